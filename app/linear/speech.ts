/** Text and blocks as sentences and lines that can be heard: no boxes, no marks that only eyes can read. */
import type { Block, FileDiff } from '@sluice/engine/protocol'
import { asciiGlyphs, darkTheme, revealBlanks, rowText, sanitizeForTerminal } from '@sluice/permissions-ui'
import { blockTokenRows } from '../markdown/block-rows.ts'
import { codeText, parseMarkdown } from '../markdown/document.ts'
import { inlineSpans } from '../markdown/inline.ts'
import type { Token, Tokens } from '../markdown/lexer.ts'
import { plainText } from '../markdown/spans.ts'
import { unwrapped } from '../scrollback/flow.ts'
import { plural } from '../transcript/format.ts'

/** How text that is not ours is made safe; `decide` shows what is hidden in it, for a person who says yes or no. */
export type Care = 'tell' | 'decide'

export function spoken(text: string, care: Care = 'tell'): string {
  return care === 'tell' ? sanitizeForTerminal(text, 'output') : revealBlanks(sanitizeForTerminal(text, 'visible'))
}

export function spokenLine(text: string, care: Care = 'tell'): string {
  return spoken(text, care)
    .replace(/\s*\n\s*/g, ' ')
    .trim()
}

/** Lines without the trailing line feed of the text. */
export function spokenLines(text: string, care: Care = 'tell'): string[] {
  return spoken(text.replace(/\n$/, ''), care).split('\n')
}

/** Markdown as lines: headings, items, quotes, code and tables are named. */
export function spokenMarkdown(markdown: string): string[] {
  return parseMarkdown(markdown).blocks.flatMap(spokenToken)
}

function spokenToken(token: Token): string[] {
  switch (token.type) {
    case 'hr':
      return []
    case 'heading':
      return textLines(token).map((line) => `Heading: ${line}`)
    case 'code': {
      const language = spokenLine(String(token.lang ?? '').split(/\s/)[0] ?? '')
      const lines = spokenLines(codeText(String(token.text)))
      return [`Code${language === '' ? '' : ` in ${language}`}:`, ...lines, 'End of code.']
    }
    case 'blockquote':
      return textLines(token).map((line) => `Quote: ${line.replace(/^(?:\| ?)+/, '')}`)
    case 'table':
      return spokenTable(token as Tokens.Table)
    default:
      return textLines(token)
  }
}

/** Rows become sentences: each cell is told with the head of its column. */
function spokenTable(table: Tokens.Table): string[] {
  const cell = (tokens: Token[] | undefined) =>
    plainText(inlineSpans(tokens ?? [], theme))
      .replace(/\s+/g, ' ')
      .trim()
  const heads = table.header.map((head) => cell(head.tokens))
  return table.rows.map((cells) =>
    cells
      .map((one, i) => {
        const head = heads[i] ?? ''
        return head === '' ? cell(one.tokens) : `${head}: ${cell(one.tokens)}`
      })
      .join('; '),
  )
}

function textLines(token: Token): string[] {
  return blockTokenRows(token, unwrapped, theme)
    .map((row) => rowText(row).trimEnd())
    .filter((line) => line !== '')
}

/** Signs that are read as words: a hyphen before an item, a bar before a quote. */
const theme = { ...darkTheme, glyphs: asciiGlyphs }

/** A change of a file: each line says whether it goes, comes or stays. */
export function spokenDiff(diff: FileDiff, care: Care, most = Number.POSITIVE_INFINITY): string[] {
  const what = diff.change === 'create' ? 'New file' : diff.change === 'delete' ? 'Deleted file' : 'Change of'
  const lines = [`${what} ${spokenLine(diff.path, care)}, ${spokenCounts(diff)}:`]
  if (diff.note !== undefined) lines.push(spokenLine(diff.note, care))
  const labels = { context: 'same', add: 'added', del: 'removed' }
  for (const hunk of diff.hunks) {
    const section = hunk.section === undefined ? '' : `, ${spokenLine(hunk.section, care)}`
    lines.push(`At line ${hunk.newStart || hunk.oldStart}${section}:`)
    for (const { kind, text, noNewline } of hunk.lines) {
      lines.push(`${labels[kind]}: ${spoken(text, care)}`)
      if (noNewline) lines.push('No newline at the end.')
    }
  }
  if (lines.length <= most) return lines
  return [...lines.slice(0, most), `${plural(lines.length - most, 'more line')} of the change.`]
}

export function spokenCounts({ additions, deletions }: Pick<FileDiff, 'additions' | 'deletions'>): string {
  return `plus ${additions} minus ${deletions}`
}

/** Any block; `most` lines of an output are kept, counted from its end. */
export function spokenBlock(block: Block, care: Care, most = Number.POSITIVE_INFINITY): string[] {
  switch (block.type) {
    case 'text':
      return spokenLines(block.text, care)
    case 'markdown':
      return care === 'decide' ? spokenLines(block.text, care) : spokenMarkdown(block.text)
    case 'code':
      return [
        `Code${block.path === undefined ? '' : ` of ${spokenLine(block.path, care)}`}:`,
        ...spokenLines(block.text, care),
      ]
    case 'diff':
      return spokenDiff(block.diff, care, most)
    case 'command':
      return spokenCommand(block, care)
    case 'output':
      return spokenOutput(block, care, most)
    case 'files':
      return [
        ...block.paths.map((path) => `File: ${spokenLine(path, care)}`),
        ...(block.omitted ? [`${plural(block.omitted, 'more file')}.`] : []),
      ]
    case 'todo':
      return block.items.map((item) => `Plan, ${item.status.replace('_', ' ')}: ${spokenLine(item.text, care)}`)
    case 'question':
      return [
        spokenLine(block.question, care),
        ...(block.answer === undefined ? [] : [`Answer: ${spokenLine(block.answer, care)}`]),
      ]
    case 'error':
      return spokenLines(block.text, care).map((line) => `Error: ${line}`)
  }
}

function spokenCommand(block: Block & { type: 'command' }, care: Care): string[] {
  const lines = spokenLines(block.command, care)
  const facts = [
    `in ${spokenLine(block.cwd, care)}`,
    ...(block.background ? ['in the background'] : []),
    ...(block.timeoutMs ? [`for at most ${Math.round(block.timeoutMs / 1000)} seconds`] : []),
  ]
  const command =
    lines.length === 1
      ? [`Command: ${lines[0]}`]
      : lines.map((line, i) => `Command, line ${i + 1} of ${lines.length}: ${line}`)
  return [...command, `It runs ${facts.join(', ')}.`]
}

function spokenOutput(block: Block & { type: 'output' }, care: Care, most: number): string[] {
  if (block.text.trim() === '') return []
  const all = spokenLines(block.text, care).filter((line) => line.trim() !== '')
  const kept = all.slice(-most)
  const count = kept.length < all.length || block.omittedBytes ? `, last ${plural(kept.length, 'line')}` : ''
  const rest = block.artifact === undefined ? [] : [`All of it is in ${spokenLine(block.artifact, care)}.`]
  return [`Output${count}:`, ...kept, 'End of output.', ...rest]
}

/** A key as it is said: `Enter`, `Control X, then A`, `capital A`. */
export function spokenKey(key: string): string {
  return key
    .split(' ')
    .map((one) => {
      if (one === '+') return 'plus'
      const parts = one.split('+')
      const last = parts.pop() ?? ''
      const name =
        keyNames[last] ?? (/^[A-Z]$/.test(last) ? `capital ${last}` : parts.length > 0 ? last.toUpperCase() : last)
      return [...parts.map((part) => keyNames[part] ?? part), name].join(' ')
    })
    .join(', then ')
}

const keyNames: Record<string, string> = {
  return: 'Enter',
  escape: 'Escape',
  ctrl: 'Control',
  alt: 'Alt',
  shift: 'Shift',
  tab: 'Tab',
  space: 'Space',
  pageup: 'Page Up',
  pagedown: 'Page Down',
  '?': 'question mark',
  ']': 'right bracket',
  '[': 'left bracket',
  '}': 'right brace',
  '{': 'left brace',
  '/': 'slash',
}
