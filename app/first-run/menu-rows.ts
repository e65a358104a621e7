/** The menu of the first screen as rows: what was looked for, what was found, and the five ways to begin; pure. */
import { padCells, type StyledRow, styledRow, type Theme, wrapCells } from '@sluice/permissions-ui'
import type { FirstRunView } from './first-run-rows.ts'
import { entries, type Step } from './first-run-state.ts'
import type { Looked } from './looked.ts'
import { localPorts } from './model-list.ts'
import { choiceRow, hostOf, modelCount, modelsOf, paragraph, readable } from './step-rows.ts'

/** At most about `room` rows: on low or narrow terminals what was looked for becomes a sentence, then gives way. */
export function menuRows(view: FirstRunView, step: Extract<Step, { at: 'menu' }>, room: number): StyledRow[] {
  const { width, theme } = view
  const blank = styledRow()
  const narrow = width < 72
  const labels = entries.map((entry, i) => `${i + 1} ${words[entry]}`)
  const column = Math.max(...labels.map((label) => label.length))
  const details = entries.map((entry) => detailOf(view, entry))
  const list = labels.map((label, i) =>
    choiceRow(view, i === step.selected, narrow ? label : padCells(label, column), narrow ? '' : (details[i] ?? '')),
  )
  // Beside the entries there is no room: below them, in a place of its own so that nothing moves.
  const detail = narrow ? [...paragraph(details[step.selected] ?? '', width, theme.muted), blank].slice(0, 2) : []
  const choices = [...list, ...detail]

  const intro = paragraph('No model can be reached yet. This was looked for:', width)
  const table = lookedRows(view)
  const question = paragraph('How do you want to begin?', width)
  const short = paragraph(sentence(view.looked), Math.min(readable(width), width - 2), theme.muted)
  const layouts = [
    [...intro, blank, ...table, blank, ...question, blank, ...choices],
    [...intro, ...table, blank, ...choices],
    [...short, blank, ...choices],
    [...cutAfter(short, room - choices.length, theme), ...choices],
    list,
  ]
  const fits = layouts.find((rows) => rows.length <= room)
  if (fits !== undefined) return fits
  const from = Math.max(0, Math.min(step.selected - Math.floor(room / 2), list.length - room))
  return list.slice(from, from + room)
}

const words: Record<(typeof entries)[number], string> = {
  demo: 'try the offline demo',
  local: 'use a local model server',
  key: 'enter an OpenAI key',
  url: 'point at a base URL',
  quit: 'quit',
}

function detailOf({ state: { servers } }: FirstRunView, entry: (typeof entries)[number]): string {
  switch (entry) {
    case 'demo':
      return 'scripted model, real tools, tests and review'
    case 'local': {
      if (servers === null) return 'looking for one …'
      const [first] = servers
      if (first === undefined) return 'none answers; choose this to look again'
      return servers.length === 1
        ? `${hostOf(first.baseUrl)}: ${modelsOf(first)}`
        : `${servers.length} answer: ${servers.map(({ baseUrl }) => hostOf(baseUrl)).join(', ')}`
    }
    case 'key':
      return 'for this run; it is never written to disk'
    case 'url':
      return 'any server that speaks Chat Completions'
    case 'quit':
      return ''
  }
}

/** Name and finding in two columns; what is there stands out from what is not. */
function lookedRows({ looked, state: { servers }, theme, width }: FirstRunView): StyledRow[] {
  const { glyphs } = theme
  const local = (text: string, found: boolean) => ({ name: 'local servers', text, found, mark: glyphs.ok })
  const lines = [
    ...looked.map(({ name, found, missing }) => ({
      name,
      text: found ?? missing ?? 'not set',
      found: found !== null,
      mark: glyphs.warn,
    })),
    ...(servers === null || servers.length === 0
      ? [local(`${servers === null ? 'asking' : 'none on'} 127.0.0.1, ports ${localPorts.join(', ')}`, false)]
      : servers.map((server, i) => ({
          ...local(`${hostOf(server.baseUrl)} ${glyphs.todo} ${modelCount(server)}`, true),
          ...(i > 0 ? { name: '' } : {}),
        }))),
  ]
  const column = Math.max(...lines.map(({ name }) => name.length))
  return lines.flatMap(({ name, text, found, mark }) =>
    wrapCells(text, Math.max(8, readable(width) - column - 8)).map((part, i) =>
      styledRow(
        {
          text: i > 0 ? '     ' : `   ${found ? mark : glyphs.todo} `,
          color: mark === glyphs.ok ? theme.ok : theme.warn,
        },
        { text: padCells(i > 0 ? '' : name, column) },
        { text: `  ${part}`, color: found ? undefined : theme.muted },
      ),
    ),
  )
}

/** The first `count` rows; the last of them says that something is missing. */
function cutAfter(rows: readonly StyledRow[], count: number, theme: Theme): StyledRow[] {
  const kept = rows.slice(0, Math.max(0, count))
  const last = kept.at(-1)
  if (last === undefined || kept.length === rows.length) return kept
  return [...kept.slice(0, -1), { spans: [...last.spans, { text: ` ${theme.glyphs.ellipsis}`, color: theme.muted }] }]
}

/** In one sentence each: what is missing, and what is there but does not help. */
function sentence(looked: readonly Looked[]): string {
  const missing = looked.flatMap(({ name, found }) => (found === null ? [name] : []))
  const found = looked.flatMap(({ name, found }) => (found === null ? [] : [`${name}: ${found}.`]))
  return [`No ${missing.join(', ')}.`, ...found].join(' ')
}
