/** The list of sessions as rows: title, filter, one line a session, and with a search a second one with what was found. */
import { cellWidth, fieldSpans, fitSpans, type StyledRow, type StyledSpan, type Theme } from '@sluice/permissions-ui'
import { grouped, plural } from '../../transcript/format.ts'
import { type Columns, cellsOf, columnsFor, leadOf, type Wanted, wantedBy } from './columns.ts'
import { mostHits } from './listing.ts'
import type { PickerRow } from './picker-row.ts'
import type { PickerView } from './picker-view.ts'
import { fromFirstMark, marked } from './snippet.ts'

/** `scope` is the key that changes it. */
export function titleRow(view: PickerView, scope: string, width: number, theme: Theme): StyledRow {
  const { everywhere } = view.state
  const chosen = (on: boolean): Omit<StyledSpan, 'text'> =>
    on ? { color: theme.accent2, bold: true } : { color: theme.muted }
  const right = countOf(view)
  const name: StyledSpan = { text: ' Sessions', color: theme.accent, bold: true }
  const both: StyledSpan[] = [
    { text: '   ' },
    { text: 'this folder', ...chosen(!everywhere) },
    { text: ` ${theme.glyphs.todo} `, color: theme.muted },
    { text: 'all folders', ...chosen(everywhere) },
    ...(scope === '' || !keysAbove(width) ? [] : [{ text: ` (${scope})`, color: theme.muted }]),
  ]
  const one: StyledSpan[] = [{ text: '  ' }, { text: everywhere ? 'all folders' : 'this folder', ...chosen(true) }]
  const rest = width - cellWidth(right) - 1
  const left = cells([name, ...both]) + 2 <= rest ? [name, ...both] : [name, ...one]
  const spans = [...fitSpans(left, rest, theme.glyphs.ellipsis), { text: right, color: theme.muted }, { text: ' ' }]
  return { spans: fitSpans(spans, width, theme.glyphs.ellipsis) }
}

/** Of what is shown: sessions of other folders do not count beside "this folder". */
function countOf({ state, listing, scope, reading }: PickerView): string {
  if (reading) return `${grouped(scope)}, reading …`
  if (state.content && state.line.text.trim() !== '')
    return listing.total >= mostHits ? `the first ${mostHits}` : plural(listing.total, 'match', 'matches')
  return listing.total === scope ? plural(scope, 'session') : `${grouped(listing.total)} of ${grouped(scope)}`
}

/** True where title and filter have room to say which keys change them. */
export function keysAbove(width: number): boolean {
  return width >= 70
}

/** What is typed, and what it does; `search` is the key that searches in content instead. */
export function filterRow({ state }: PickerView, search: string, width: number, theme: Theme): StyledRow {
  const { content, line, asking } = state
  const label: StyledSpan = content
    ? { text: ' search in content: ', color: theme.accent2 }
    : { text: ` ${theme.glyphs.prompt} `, color: theme.accent }
  const placeholder = content ? 'words that were said, commands, files' : 'type to filter'
  const right = content || line.text !== '' || search === '' || !keysAbove(width) ? '' : `${search} search in content `
  const rest = width - cellWidth(right)
  const field = fieldSpans(label, line, rest - 1, theme, { active: asking === null, placeholder })
  return { spans: [...fitSpans(field, rest), { text: right, color: theme.muted }] }
}

/** Rows that one session takes. */
export function rowsEach({ state }: PickerView): number {
  return state.content && state.line.text.trim() !== '' ? 2 : 1
}

export type ListPlace = { width: number; now: number; theme: Theme }

/** The rows of the sessions from `from` up to `to`. */
export function sessionRowsOf(view: PickerView, from: number, to: number, place: ListPlace): StyledRow[] {
  const { width, theme } = place
  if (view.listing.total === 0) return nothingRows(view, width, theme)
  const rows = view.listing.rows(from, to)
  // The first ones count too, so that the columns seldom move while somebody goes down the list.
  const columns = columnsFor(width, view.state.everywhere, wanted([...view.listing.rows(0, firstRows), ...rows], place))
  const words = view.state.content ? '' : view.state.line.text
  return rows.flatMap((row, i) => {
    const selected = from + i === view.selected
    const first = askedRow(view, row, width, theme) ?? sessionRow(row, columns, { ...place, selected, words })
    return row.snippet === null ? [first] : [first, snippetRow(row, width, theme)]
  })
}

/** Less than the list reads at once; each key measures them anew. */
const firstRows = 24

/** The cells that the widest row wants in each column. */
function wanted(rows: readonly PickerRow[], { theme }: ListPlace): Wanted {
  const most = { title: 0, folder: 0, changes: 0, cost: 0, state: 0, next: 0 }
  for (const row of rows) {
    const one = measured.get(row) ?? wantedBy(row, theme)
    measured.set(row, one)
    for (const name of Object.keys(most) as (keyof Wanted)[]) most[name] = Math.max(most[name], one[name])
  }
  return most
}

const measured = new WeakMap<PickerRow, Wanted>()

type Look = ListPlace & { selected: boolean; words: string }

/** The same object while nothing about it changes: a moved mark draws two rows and not all of them. */
function sessionRow(row: PickerRow, columns: Columns, look: Look): StyledRow {
  const { width, theme, selected, words } = look
  const key = JSON.stringify([selected, words, columns, width, Math.floor(look.now / 60_000)])
  const known = drawn.get(row)
  if (known !== undefined && known.key === key && known.theme === theme) return known.styled
  const spans = [...marksOf(row, selected, width, theme), ...cellsOf(row, columns, look)]
  const styled = { spans: fitSpans(spans, width, theme.glyphs.ellipsis) }
  drawn.set(row, { key, theme, styled })
  return styled
}

const drawn = new WeakMap<PickerRow, { key: string; theme: Theme; styled: StyledRow }>()

/** The mark, then the number that switches to it, or the star of a pinned one. */
function marksOf({ session, here }: PickerRow, selected: boolean, width: number, theme: Theme): StyledSpan[] {
  const pin = { text: `${theme.glyphs.star} `, color: theme.accent2 }
  const number = here !== null && here.number <= 9 ? { text: `${here.number} `, color: theme.muted } : { text: '  ' }
  return [
    { text: ' '.repeat(leadOf(width)) },
    selected ? { text: `${theme.glyphs.closed} `, color: theme.accent, bold: true } : { text: '  ' },
    session.pinned ? pin : number,
  ]
}

/** Instead of a session: the field in which its title or its tags are written. */
function askedRow({ state: { asking } }: PickerView, row: PickerRow, width: number, theme: Theme): StyledRow | null {
  if (asking === null || !('line' in asking) || asking.id !== row.session.id) return null
  const label = {
    text: `${' '.repeat(leadOf(width))}${theme.glyphs.closed} ${asking.what}: `,
    color: theme.accent,
    bold: true,
  }
  const placeholder = asking.what === 'title' ? 'empty: after its first words' : 'words, with blanks between them'
  return { spans: fitSpans(fieldSpans(label, asking.line, width - 1, theme, { active: true, placeholder }), width) }
}

function snippetRow({ snippet }: PickerRow, width: number, theme: Theme): StyledRow {
  const indent = { text: ' '.repeat(leadOf(width) + 6) }
  const { ellipsis } = theme.glyphs
  const { text, marks } = fromFirstMark(snippet ?? { text: '', marks: [] }, width - indent.text.length - 1, ellipsis)
  return { spans: fitSpans([indent, ...marked(text, marks, theme)], width, ellipsis) }
}

function nothingRows({ state, all }: PickerView, width: number, theme: Theme): StyledRow[] {
  const text = state.line.text.trim()
  const say = (...words: string[]): StyledRow[] =>
    words.map((line) => ({
      spans: fitSpans([{ text: `   ${line}`, color: theme.muted }], width, theme.glyphs.ellipsis),
    }))
  const where = state.everywhere ? '' : ' in this folder'
  if (text !== '') {
    const what = state.content
      ? 'Nothing was said or done with all of these words'
      : 'No session has all of these words'
    return say(`${what}${where}.`)
  }
  if (all === 0) return say('There are no sessions yet.')
  return say(`There are no sessions${where}; there are ${all} in all folders.`)
}

function cells(spans: readonly StyledSpan[]): number {
  return spans.reduce((sum, { text }) => sum + cellWidth(text), 0)
}
