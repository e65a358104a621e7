/** The first screen when no model is set up: what was found, and what can be chosen; pure. */
import {
  fieldSpans,
  type LineState,
  type StyledRow,
  type Theme,
  truncateCells,
  wrapCells,
} from '@sluice/permissions-ui'
import { oneLine } from '../dashboard/sections.ts'
import { row } from '../markdown/spans.ts'

export type FirstRunFound = {
  /** Keys in the environment: `OpenAI`, where it was found, and the model that would be used. */
  providers: readonly { id: string; name: string; source: string; model: string }[]
  /** Local servers that answered. */
  servers: readonly { url: string; models: readonly string[] }[]
  /** True while servers are still being asked. */
  looking: boolean
}

export type FirstRunChoice =
  | { type: 'demo' }
  | { type: 'provider'; id: string }
  | { type: 'server'; url: string; model: string | null }
  | { type: 'key'; key: string }
  | { type: 'base-url'; url: string }

/** `field` entries ask for a line of text before they are chosen. */
export type FirstRunEntry =
  | { kind: 'choice'; label: string; detail: string; choice: FirstRunChoice }
  | { kind: 'field'; field: 'key' | 'base-url'; label: string; detail: string; placeholder: string }

export function firstRunEntries(found: FirstRunFound): FirstRunEntry[] {
  return [
    ...found.providers.map(
      ({ id, name, source, model }): FirstRunEntry => ({
        kind: 'choice',
        label: `use ${oneLine(name)}`,
        detail: `${oneLine(source)} · ${oneLine(model)}`,
        choice: { type: 'provider', id },
      }),
    ),
    ...found.servers.map(({ url, models }): FirstRunEntry => {
      const [first = null] = models
      const more = models.length > 1 ? ` and ${models.length - 1} more` : ''
      return {
        kind: 'choice',
        label: `use ${oneLine(url)}`,
        detail: first === null ? 'answers, but names no model' : `${oneLine(first)}${more}`,
        choice: { type: 'server', url, model: first },
      }
    }),
    {
      kind: 'choice',
      label: 'try the demo',
      detail: 'offline: a scripted model, but real tools, a real review and a real test run in a temporary folder',
      choice: { type: 'demo' },
    },
    {
      kind: 'field',
      field: 'key',
      label: 'enter an API key',
      detail: 'for this run; put it into OPENAI_API_KEY to keep it',
      placeholder: 'paste the key, then ⏎',
    },
    {
      kind: 'field',
      field: 'base-url',
      label: 'point at a base URL',
      detail: 'any server that speaks Chat Completions',
      placeholder: 'http://127.0.0.1:11434/v1',
    },
  ]
}

/** The choice that a filled field means; a sentence when its text cannot be one. */
export function fieldChoice(field: 'key' | 'base-url', text: string): FirstRunChoice | string {
  const value = text.trim()
  if (field === 'key')
    return value === '' || /\s/.test(value) ? 'A key is one word without blanks.' : { type: 'key', key: value }
  const url = URL.canParse(value) ? new URL(value) : null
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    return 'A base URL begins with http:// or https://.'
  }
  return { type: 'base-url', url: value }
}

export type FirstRunView = {
  found: FirstRunFound
  selected: number
  /** The line being written, for the selected field. */
  line: LineState | null
  problem: string | null
}

export function firstRunRows(view: FirstRunView, width: number, height: number, theme: Theme): StyledRow[] {
  const { found, selected, line, problem } = view
  const rows: StyledRow[] = [
    row(),
    row({ text: ' Welcome to sluice', bold: true, color: theme.accent }),
    ...wrapCells(foundText(found), Math.max(1, width - 2)).map((text) => row({ text: ` ${text}`, color: theme.muted })),
    row(),
  ]
  firstRunEntries(found).forEach((entry, i) => {
    const chosen = i === selected
    rows.push(
      row(
        { text: chosen ? ` ${theme.glyphs.prompt} ` : '   ', color: theme.accent },
        { text: truncateCells(entry.label, Math.max(1, width - 4)), bold: chosen },
      ),
    )
    if (chosen && line !== null && entry.kind === 'field') {
      // A key never stands on the screen: somebody may be watching.
      const shown = entry.field === 'key' ? { text: '*'.repeat([...line.text].length), caret: line.caret } : line
      const options = { active: true, placeholder: entry.placeholder }
      rows.push({ spans: fieldSpans({ text: '     ' }, shown, Math.max(6, width - 2), theme, options) })
      if (problem !== null) rows.push(row({ text: truncateCells(`     ${problem}`, width), color: theme.bad }))
    } else rows.push(row({ text: truncateCells(`     ${entry.detail}`, width), color: theme.muted }))
  })
  const first = rows.findIndex((one) => one.spans[0]?.text === ` ${theme.glyphs.prompt} `)
  // Low terminals show the part around what is selected.
  const from = rows.length <= height ? 0 : Math.max(0, Math.min(first - Math.floor(height / 2), rows.length - height))
  return rows.slice(from, from + height)
}

function foundText({ providers, servers, looking }: FirstRunFound): string {
  if (providers.length === 0 && servers.length === 0) {
    return looking ? 'Looking for keys and local models …' : 'No key and no local model was found. Choose how to begin:'
  }
  return `Found ${[...providers.map(({ source }) => oneLine(source)), ...servers.map(({ url }) => oneLine(url))].join(', ')}. Choose how to begin:`
}
