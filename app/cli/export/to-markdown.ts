/** A session as Markdown: words quoted, answers as they were written but for HTML, calls folded away with what they did. */
import type { SessionSummary } from '@sluice/engine/ports'
import type { Block, FileDiff } from '@sluice/engine/protocol'
import { type CallPart, durationText, type Part } from './conversation.ts'
import { sessionFacts, titleText } from './facts.ts'
import { proseText } from './markdown-prose.ts'
import { plainText } from './plain-text.ts'

export function toMarkdown(session: SessionSummary, parts: readonly Part[]): string {
  const facts = sessionFacts(session).map(([name, value]) => `- ${name}: ${inline(value)}`)
  const body = parts.map(partText).filter((text) => text !== '')
  return `${[`# ${inline(titleText(session))}`, facts.join('\n'), ...body].join('\n\n')}\n`
}

function partText(part: Part): string {
  switch (part.kind) {
    case 'user':
      return `## You${part.joined ? ' (meanwhile)' : ''}\n\n${quoted(part.text)}`
    case 'assistant': {
      const reasoning = part.reasoning === '' ? [] : [details('Reasoning', quoted(part.reasoning))]
      const text = part.text.trim() === '' ? [] : [proseText(part.text)]
      return [...reasoning, ...text, ...(part.partial ? ['*(cut short)*'] : [])].join('\n\n')
    }
    case 'call':
      return details(callTitle(part), part.blocks.map(blockText).join('\n\n'))
    case 'remark':
      return `> **${part.level === 'info' ? 'Note' : part.level === 'warn' ? 'Warning' : 'Error'}:** ${inline(part.text)}`
    case 'turn-end':
      return part.ended === 'final_answer' && part.calls === 0
        ? ''
        : `*${part.ended} · ${durationText(part.durationMs)} · ${part.calls === 1 ? '1 call' : `${part.calls} calls`}*`
  }
}

export function callTitle({ tool, title, status, summary, decision, durationMs }: CallPart): string {
  const name = title.toLowerCase().startsWith(tool.toLowerCase()) ? title : `${tool} ${title}`
  const state = status === 'done' ? summary : status === 'open' ? 'no result' : `${status}: ${summary}`
  const time = durationMs === null || durationMs < 1000 ? '' : durationText(durationMs)
  return [name, state, decision, time].filter((text) => text !== '').join(' · ')
}

function blockText(block: Block): string {
  switch (block.type) {
    case 'text':
    case 'error':
      return fenced(block.text)
    case 'markdown':
      return proseText(block.text)
    case 'code':
      return fenced(block.text, block.language)
    case 'command':
      return fenced(block.command, 'sh')
    case 'output':
      return fenced(block.text)
    case 'diff':
      return fenced(unifiedText(block.diff), 'diff')
    case 'files':
      return block.paths.map((path) => `- ${inline(path)}`).join('\n')
    case 'todo':
      return block.items.map(({ text, status }) => `- [${status === 'done' ? 'x' : ' '}] ${inline(text)}`).join('\n')
    case 'question':
      return quoted(block.answer === undefined ? block.question : `${block.question}\n\n${block.answer}`)
  }
}

const signs = { context: ' ', add: '+', del: '-' }

export function unifiedText({ path, hunks, note }: FileDiff): string {
  const lines = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, section, lines: rows }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@${section ? ` ${section}` : ''}`,
    ...rows.map(({ kind, text }) => `${signs[kind]}${text}`),
  ])
  return [`--- ${path}`, `+++ ${path}`, ...lines, ...(note ? [note] : [])].join('\n')
}

/** GitHub and others fold it; a summary is HTML, so it must not hold any. */
function details(title: string, body: string): string {
  if (body === '') return `- ${inline(title)}`
  const summary = plainText(title)
    .replace(/\s+/g, ' ')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
  return `<details><summary>${summary}</summary>\n\n${body}\n\n</details>`
}

/** No run of backticks inside ends it. */
function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${/^[\w+-]*$/.test(language) ? language : ''}\n${plainText(text).replace(/\n+$/, '')}\n${fence}`
}

function quoted(text: string): string {
  return proseText(text)
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')
}

/** One line that cannot begin anything else. */
function inline(text: string): string {
  return plainText(text)
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\`*_[\]<>]/g, '\\$&')
}
