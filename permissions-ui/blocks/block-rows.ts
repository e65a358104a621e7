/** Any protocol block as rows of styled text at a width: the same rows in the transcript and in dialogs. */
import type { Block } from '@sluice/engine/protocol'
import { diffLines } from '../diff/diff-lines.ts'
import { highlighterVersion, highlightLines, languageNamed, languageOf } from '../diff/highlight.ts'
import { cellWidth, sliceCells, truncateCells, wrapCells } from '../text/cells.ts'
import { revealBlanks } from '../text/reveal.ts'
import { sanitizeForTerminal } from '../text/sanitize.ts'
import type { Theme } from '../theme.ts'
import { commandRows, outputRows } from './command-rows.ts'
import { fitSpans, type StyledRow, type StyledSpan, styledRow } from './styled-row.ts'
import { moreRow, oneLine, prefixed, wrapped, wrapSpansHard } from './wrapping.ts'

export type BlockRowOptions = {
  /**
   * For eyes that decide: control and invisible characters are shown, long blanks written out, and nothing is left out.
   * Otherwise they are dropped, and long content is cut as the other options say.
   */
  whole?: boolean
  /** Rows of an output that are kept, counted from its end; default 10. */
  outputRows?: number
  /** Rows of a diff that are kept; default 60. */
  diffRows?: number
  /** Whether an output ends with the exit code when that is not 0; default true. */
  exitCode?: boolean
  /** Entries of a file list that are kept; default 20. */
  fileRows?: number
}

/** Rows of at most `width` cells. Blocks are immutable: the rows of the latest are kept, for the last few widths and themes. */
export function blockRows(block: Block, width: number, theme: Theme, options: BlockRowOptions = {}): StyledRow[] {
  const coloured = block.type === 'diff' || block.type === 'code' ? highlighterVersion() : 0
  const { whole = false, outputRows = 10, diffRows = 60, fileRows = 20, exitCode = true } = options
  const key = `${width} ${themeNumber(theme)} ${whole} ${outputRows} ${diffRows} ${fileRows} ${exitCode} ${coloured}`
  let known = cache.get(block)
  if (!known) {
    known = new Map()
    cache.set(block, known)
    recent.push(block)
    // A long session keeps its blocks, but not the rows of all that was ever looked at.
    const oldest = recent.length > keptBlocks ? recent.shift() : undefined
    if (oldest !== undefined) cache.delete(oldest)
  }
  const rows =
    known.get(key) ?? build(block, Math.max(1, width), theme, { whole, outputRows, diffRows, fileRows, exitCode })
  known.delete(key)
  known.set(key, rows)
  if (known.size > keptVariants) known.delete(known.keys().next().value ?? '')
  return rows
}

const keptVariants = 3
const keptBlocks = 200
const cache = new WeakMap<Block, Map<string, StyledRow[]>>()
/** Blocks in the cache, oldest first. */
const recent: Block[] = []
const themeNumbers = new WeakMap<Theme, number>()
let themes = 0

function themeNumber(theme: Theme): number {
  const known = themeNumbers.get(theme)
  if (known !== undefined) return known
  themeNumbers.set(theme, ++themes)
  return themes
}

/** Longer lines are clipped outside dialogs, before anything measures or wraps them. */
const longestLine = 4_000

function build(block: Block, width: number, theme: Theme, options: Required<BlockRowOptions>): StyledRow[] {
  const clean = (text: string) => cleanText(text, options.whole)
  switch (block.type) {
    case 'text':
    case 'markdown':
      return wrapped(clean(block.text), width, {})
    case 'error':
      return prefixed({ text: `${theme.glyphs.bad} `, color: theme.bad }, clean(block.text), width, {
        color: theme.bad,
      })
    case 'code':
      return codeRows(block, width, theme, clean)
    case 'diff':
      return diffBlockRows(block, width, theme, options)
    case 'command':
      return commandRows(block, width, theme, clean, options.whole)
    case 'output':
      return outputRows(block, width, theme, clean, options)
    case 'files':
      return fileRows(block, width, theme, clean, options)
    case 'todo':
      return block.items.flatMap((item) => {
        const [glyph, color] = todoMark(item.status, theme)
        const style = item.status === 'dropped' ? { dim: true } : item.status === 'done' ? { color: theme.muted } : {}
        return prefixed({ text: `${glyph} `, color }, oneLine(clean(item.text)), width, style)
      })
    case 'question':
      return questionRows(block, width, theme, clean)
  }
}

function cleanText(text: string, whole: boolean): string {
  if (whole) return revealBlanks(sanitizeForTerminal(text, 'visible'))
  const plain = sanitizeForTerminal(text, 'output')
  if (plain.length <= longestLine) return plain
  return plain
    .split('\n')
    .map((line) => (line.length > longestLine ? truncateCells(line, longestLine) : line))
    .join('\n')
}

function codeRows(
  block: Block & { type: 'code' },
  width: number,
  theme: Theme,
  clean: (text: string) => string,
): StyledRow[] {
  const language = block.language ? languageNamed(block.language) : block.path ? languageOf(block.path) : undefined
  const text = block.text.endsWith('\n') ? block.text.slice(0, -1) : block.text
  const lines = clean(text).split('\n')
  const coloured = theme.color
    ? highlightLines(
        lines.map((line) => line.replaceAll('→', ' ')),
        language,
      )
    : null
  const start = block.startLine
  const numberCells = start === undefined ? 0 : String(start + lines.length).length + 2
  const room = width - numberCells > 4 ? width - numberCells : width
  return lines.flatMap((line, i) => {
    const gutter =
      room === width ? [] : [{ text: `${String((start ?? 0) + i).padStart(numberCells - 2)}  `, color: theme.muted }]
    const blank = room === width ? [] : [{ text: ' '.repeat(numberCells) }]
    let at = 0
    const spans = (coloured?.[i] ?? [{ text: line }]).map((span): StyledSpan => {
      const part = line.slice(at, at + span.text.length)
      at += span.text.length
      const color = span.scope && theme.code[span.scope]
      return color === undefined ? { text: part } : { text: part, color }
    })
    return wrapSpansHard(spans, room).map((part, k) => ({ spans: [...(k === 0 ? gutter : blank), ...part] }))
  })
}

function diffBlockRows(
  block: Block & { type: 'diff' },
  width: number,
  theme: Theme,
  options: Required<BlockRowOptions>,
): StyledRow[] {
  const lines = diffLines([block.diff], { width, theme, reveal: options.whole })
  const kept = options.whole || lines.count <= options.diffRows ? lines.count : Math.max(0, options.diffRows - 1)
  const rows = Array.from({ length: kept }, (_, i) => lines.at(i))
  if (kept < lines.count) rows.push(moreRow(lines.count - kept, 'lines of the change', theme))
  return rows
}

function fileRows(
  block: Block & { type: 'files' },
  width: number,
  theme: Theme,
  clean: (text: string) => string,
  options: Required<BlockRowOptions>,
): StyledRow[] {
  const limit = options.whole ? Number.POSITIVE_INFINITY : options.fileRows
  const shown = block.paths.slice(0, limit)
  const rows = shown.map((path) => {
    const line = oneLine(clean(path))
    if (options.whole || cellWidth(line) <= width)
      return wrapCells(line, width, { hard: true }).map((text) => styledRow({ text }))
    // Of a long path the end tells more than the beginning.
    const cells = cellWidth(line)
    const tail = sliceCells(line, cells - width + cellWidth(theme.glyphs.ellipsis), cells)
    return [styledRow({ text: theme.glyphs.ellipsis, color: theme.muted }, { text: tail })]
  })
  const more = block.paths.length - shown.length + (block.omitted ?? 0)
  return more > 0 ? [...rows.flat(), moreRow(more, more === 1 ? 'file' : 'files', theme)] : rows.flat()
}

function questionRows(
  block: Block & { type: 'question' },
  width: number,
  theme: Theme,
  clean: (text: string) => string,
): StyledRow[] {
  const rows = wrapped(clean(block.question), width, { bold: true })
  for (const option of block.options ?? []) {
    const chosen = block.answer === option
    rows.push(
      ...prefixed(
        {
          text: chosen ? `${theme.glyphs.prompt} ` : `${theme.glyphs.todo} `,
          color: chosen ? theme.accent : theme.muted,
        },
        clean(option),
        width,
        chosen ? { color: theme.accent } : {},
      ),
    )
  }
  if (block.answer !== undefined && !block.options?.includes(block.answer)) {
    rows.push(
      ...prefixed({ text: `${theme.glyphs.prompt} `, color: theme.accent }, clean(block.answer), width, {
        color: theme.accent,
      }),
    )
  }
  return rows
}

function todoMark(status: 'pending' | 'in_progress' | 'done' | 'dropped', theme: Theme): [string, string | undefined] {
  if (status === 'done') return [theme.glyphs.ok, theme.ok]
  if (status === 'in_progress') return [theme.glyphs.running, theme.accent]
  return status === 'dropped' ? [theme.glyphs.minus, theme.muted] : [theme.glyphs.todo, theme.muted]
}

/** Rows cut or filled to exactly `width` cells. */
export function fitRow(row: StyledRow, width: number, ellipsis = '…'): StyledRow {
  return { spans: fitSpans(row.spans, width, ellipsis) }
}
