/** The steps behind the menu as rows: a field to write into, and lists of servers and models; pure. */
import {
  asciiGlyphs,
  cellWidth,
  fieldSpans,
  fitSpans,
  graphemes,
  type LineState,
  padCells,
  type StyledRow,
  styledRow,
  truncateCells,
  wrapCells,
} from '@sluice/permissions-ui'
import type { FirstRunView } from './first-run-rows.ts'
import { filtered, type Step } from './first-run-state.ts'
import type { FoundServer } from './model-list.ts'

export type Field = {
  label: string
  line: LineState
  /** What is written stays unreadable: somebody may be watching. */
  masked?: boolean
  placeholder: string
  /** What a person should know, paragraph by paragraph. */
  words: readonly string[]
}

/** Words, the field, and below it what is wrong; where there is no room for all of it the words give way. */
export function fieldRows(view: FirstRunView, room: number, field: Field): StyledRow[] {
  const { state, theme, width } = view
  const wide = readable(width)
  const ascii = theme.glyphs === asciiGlyphs
  const line = field.masked
    ? { text: (ascii ? '*' : '•').repeat(graphemes(field.line.text).length), caret: field.line.caret }
    : field.line
  const label = { text: ` ${field.label}  `, bold: true, color: theme.accent }
  const shown = fieldSpans(label, line, width - 1, theme, { active: true, placeholder: field.placeholder })
  const below =
    state.asking !== null
      ? paragraph(`asking ${hostOf(state.asking.baseUrl)} …`, wide, theme.muted)
      : state.problem === null
        ? []
        : paragraph(state.problem, wide, theme.bad)
  const words = field.words.flatMap((text) => paragraph(text, wide))
  const spare = room - below.length - 1
  const gap = (rows: number) => (spare >= words.length + rows ? [styledRow()] : [])
  return [...words.slice(0, Math.max(0, spare)), ...gap(1), { spans: shown }, ...gap(2), ...below]
}

export function serverRows(view: FirstRunView, step: Extract<Step, { at: 'servers' }>, room: number): StyledRow[] {
  const servers = view.state.servers ?? []
  const hosts = Math.max(0, ...servers.map(({ baseUrl }) => cellWidth(hostOf(baseUrl))))
  const rows = servers.map((server, i) =>
    choiceRow(view, i === step.selected, `${i + 1} ${padCells(hostOf(server.baseUrl), hosts)}`, modelsOf(server)),
  )
  return windowed(rows, step.selected, room)
}

export function modelRows(view: FirstRunView, step: Extract<Step, { at: 'models' }>, room: number): StyledRow[] {
  const { theme, width } = view
  const models = filtered(step)
  const count = step.filter.text === '' ? `${models.length}` : `${models.length} of ${step.models.length}`
  const filter = fieldSpans({ text: ' filter ', color: theme.muted }, step.filter, width - 10, theme, {
    active: true,
    placeholder: 'type to filter',
  })
  const head: StyledRow = {
    spans: [
      ...fitSpans(filter, Math.max(1, width - cellWidth(count) - 2), theme.glyphs.ellipsis),
      { text: count, color: theme.muted },
    ],
  }
  const rows = [...models, 'another name …'].map((model, i) => choiceRow(view, i === step.selected, model, ''))
  return [head, ...windowed(rows, step.selected, Math.max(1, room - 1))]
}

/** One entry of a list; `detail` stands beside it as far as it fits. */
export function choiceRow(view: FirstRunView, selected: boolean, label: string, detail: string): StyledRow {
  const { theme, width } = view
  const mark = selected ? ` ${theme.glyphs.prompt} ` : '   '
  const text = truncateCells(label, Math.max(1, width - 4), theme.glyphs.ellipsis)
  const room = width - 3 - cellWidth(text) - 4
  const beside = detail === '' || room < 8 ? '' : `   ${truncateCells(detail, room, theme.glyphs.ellipsis)}`
  return styledRow(
    { text: mark, color: theme.accent },
    { text, ...(selected ? { bold: true } : {}) },
    { text: beside, color: theme.muted },
  )
}

export function paragraph(text: string, width: number, color?: string): StyledRow[] {
  return wrapCells(text, Math.max(1, width - 2)).map((line) => styledRow({ text: ` ${line}`, color }))
}

/** Lines longer than this are hard to read. */
export function readable(width: number): number {
  return Math.min(width, 92)
}

/** Names them as far as they are worth naming. */
export function modelsOf(server: FoundServer): string {
  const { models } = server
  if (models.length === 1) return models[0] ?? ''
  return models.length === 0 ? modelCount(server) : `${modelCount(server)}: ${models.slice(0, 3).join(', ')}`
}

export function modelCount({ models }: FoundServer): string {
  if (models.length === 0) return 'answers, but has no model yet'
  return models.length === 1 ? '1 model' : `${models.length} models`
}

export function hostOf(baseUrl: string): string {
  return new URL(baseUrl).host
}

/** The rows around the selected one that fit. */
function windowed(rows: readonly StyledRow[], selected: number, room: number): StyledRow[] {
  const from = Math.max(0, Math.min(selected - Math.floor(room / 2), rows.length - room))
  return rows.slice(from, from + room)
}
