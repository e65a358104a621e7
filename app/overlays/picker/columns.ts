/** Which columns the list of sessions has at a width, and what stands in them. */
import { cellWidth, fitSpans, type StyledSpan, type Theme, truncateCells } from '@sluice/permissions-ui'
import { oneLine } from '../../dashboard/sections.ts'
import { stateWords } from '../../session/state-words.ts'
import { money } from '../../transcript/format.ts'
import { age } from './age.ts'
import type { HereSession, PickerRow } from './picker-row.ts'
import { marked, marksIn } from './snippet.ts'

/** Cells of each column; 0 when there is no room for it. The title takes what is left. */
export type Columns = {
  title: number
  folder: number
  age: number
  changes: number
  cost: number
  state: number
  next: number
}

/** Cells before everything, so that the list stands below its title. */
export function leadOf(width: number): number {
  return width >= 60 ? 1 : 0
}

/** Of the mark, and of the number or the star. */
const marks = 4

/** Cells that rows would fill in the columns that are as wide as what stands in them. */
export type Wanted = Omit<Columns, 'age'>

/**
 * A column takes what its rows want and no more; one that nothing stands in is not there. What is missed least goes first:
 * the folder where all are of one, the cost, the changes. What is left is the title's and the next step's: where both want
 * more than there is, the title gets most of it.
 */
export function columnsFor(width: number, everywhere: boolean, wanted: Wanted): Columns {
  const columns: Columns = {
    title: 0,
    folder: everywhere && width >= 70 ? Math.min(18, Math.floor(width / 8), wanted.folder) : 0,
    age: width >= 100 ? 11 : 8,
    changes: width >= 60 ? Math.min(10, wanted.changes) : 0,
    cost: width >= 90 ? Math.min(6, wanted.cost) : 0,
    state: width >= 60 ? Math.min(width >= 80 ? 14 : 10, wanted.state) : 1,
    next: 0,
  }
  const others = Object.values(columns).reduce((sum, cells) => sum + (cells === 0 ? 0 : cells + gap), 0)
  const rest = Math.max(1, width - leadOf(width) - marks - others - 1)
  const room = rest - gap
  const title = (cells: number) => Math.min(cells, Math.max(wanted.title, easyTitle))
  const fits = wanted.title + wanted.next <= room
  if (wanted.next === 0 || width < 60 || (room < 50 && !fits)) return { ...columns, title: title(rest) }
  const next = Math.min(wanted.next, Math.max(Math.min(34, Math.floor(room * 0.42)), room - wanted.title))
  return { ...columns, title: title(room - next), next }
}

/** Short titles have this much, so that the columns do not crowd at the left. */
const easyTitle = 40

/** What one row wants. */
export function wantedBy(row: PickerRow, theme: Theme): Wanted {
  const { title, tags, cwd, costUsd } = row.session
  const cells = (spans: readonly StyledSpan[]) => spans.reduce((sum, { text }) => sum + cellWidth(text), 0)
  const name = oneLine(title)
  return {
    title: cellWidth(name === '' ? untitled : name) + (tags.length === 0 ? 0 : 2 + cellWidth(tagWords(tags))),
    folder: cellWidth(folderName(cwd)),
    changes: cells(changesOf(row, theme)),
    cost: costUsd > 0 ? cellWidth(money(costUsd)) : 0,
    state: cells(stateOf(row, false, theme)),
    next: cellWidth(nextOf(row, theme).text),
  }
}

export type CellsLook = { selected: boolean; now: number; theme: Theme /** Lit in the title. */; words: string }

/** Everything behind the marks, in exactly the columns' cells. */
export function cellsOf(row: PickerRow, columns: Columns, { selected, now, theme, words }: CellsLook): StyledSpan[] {
  const { session } = row
  const name = oneLine(session.title)
  const title: StyledSpan[] =
    name === ''
      ? [{ text: untitled, color: theme.muted, italic: true }]
      : marked(name, marksIn(name, words), theme, { bold: selected })
  const cost = session.costUsd > 0 ? money(session.costUsd) : ''
  const spans: StyledSpan[] = fitSpans(
    [...title, ...tagsOf(row, columns.title, theme)],
    columns.title,
    theme.glyphs.ellipsis,
  )
  const put = (cells: number, content: readonly StyledSpan[], right = false) => {
    if (cells === 0) return
    const used = content.reduce((sum, { text }) => sum + cellWidth(text), 0)
    const shift = right && used < cells ? [{ text: ' '.repeat(cells - used) }] : []
    spans.push({ text: ' '.repeat(gap) }, ...fitSpans([...shift, ...content], cells, theme.glyphs.ellipsis))
  }
  put(columns.folder, [{ text: folderName(session.cwd), color: theme.muted }])
  put(columns.age, [{ text: age(session.updatedAt, now, columns.age < 11), color: theme.muted }])
  put(columns.changes, changesOf(row, theme))
  put(columns.cost, [{ text: cost, color: theme.muted }], true)
  put(columns.state, stateOf(row, columns.state < 4, theme))
  put(columns.next, [nextOf(row, theme)])
  return spans
}

const untitled = 'nothing said yet'

/** The last name of the folder. */
export function folderName(cwd: string): string {
  return oneLine(cwd.slice(cwd.lastIndexOf('/') + 1) || cwd)
}

/** Tags behind a title that leaves room for them. */
function tagsOf({ session }: PickerRow, width: number, theme: Theme): StyledSpan[] {
  const tags = tagWords(session.tags)
  const room = width - cellWidth(oneLine(session.title)) - 2
  return tags === '' || room < 4 ? [] : [{ text: `  ${truncateCells(tags, room)}`, color: theme.accent2 }]
}

function tagWords(tags: readonly string[]): string {
  return tags.map((tag) => `#${oneLine(tag)}`).join(' ')
}

function changesOf({ session: { additions, deletions } }: PickerRow, theme: Theme): StyledSpan[] {
  if (additions === 0 && deletions === 0) return []
  return [
    { text: `+${count(additions)}`, color: theme.ok },
    { text: ' ' },
    { text: `${theme.glyphs.minus}${count(deletions)}`, color: theme.bad },
  ]
}

/** Four cells at most. */
function count(lines: number): string {
  return lines < 10_000 ? `${lines}` : `${Math.floor(lines / 1000)}k`
}

/** What it does, or else what came of its last check; one sign where there is no room for words. */
export function stateOf({ session, here }: PickerRow, sign: boolean, theme: Theme): StyledSpan[] {
  const { glyphs } = theme
  const cell = (mark: string, word: string, color: string | undefined, bold = false): StyledSpan[] => [
    { text: mark, color, bold },
    ...(sign || word === '' ? [] : [{ text: ` ${word}`, color, bold }]),
  ]
  const own = session.pendingApprovals > 0 || here === null ? null : hereWords(here)
  if (own !== null) return cell(glyphs.live, own.word, theme[own.color])
  const state = stateWords(session)
  if (state === null) return []
  const looks = {
    asks: { mark: glyphs.warn, color: theme.warn },
    live: { mark: glyphs.live, color: theme.accent },
    good: { mark: glyphs.ok, color: theme.ok },
    bad: { mark: glyphs.bad, color: theme.bad },
    open: { mark: glyphs.todo, color: theme.muted },
  }
  const { mark, color } = looks[state.sign]
  return cell(mark, state.words, color, state.sign === 'asks')
}

/** What one of this process does: more than another process could see of it. */
function hereWords({ state, front }: HereSession): { word: string; color: 'accent' | 'accent2' | 'ok' | 'muted' } {
  switch (state) {
    case 'works':
      return { word: 'works', color: 'accent' }
    case 'done':
      return { word: 'done', color: 'ok' }
    case 'closing':
      return { word: 'closing', color: 'muted' }
    case 'idle':
    case 'needs you':
      return { word: front ? 'here' : 'open', color: 'accent2' }
  }
}

function nextOf(row: PickerRow, theme: Theme): StyledSpan {
  const { session, here } = row
  if (session.lostRecords > 0) return { text: lost(session.lostRecords), color: theme.warn }
  const next = oneLine(session.next)
  if (session.pendingApprovals > 0)
    return { text: next === '' ? 'waiting for you' : `waiting: ${next}`, color: theme.warn }
  if (next !== '') return { text: `next: ${next}` }
  if (here !== null || session.live || session.turns === 0) return { text: '' }
  return { text: endOf(session.stopReason), color: session.stopReason === 'final_answer' ? theme.muted : theme.warn }
}

export function lost(records: number): string {
  return `${records} ${records === 1 ? 'record' : 'records'} lost`
}

/** Why its last turn ended. */
export function endOf(reason: string | null): string {
  return reason === null ? 'cut off' : (ends[reason] ?? reason.replaceAll('_', ' '))
}

const ends: Record<string, string> = {
  final_answer: 'done',
  max_turns: 'stopped: too many turns',
  user_abort: 'interrupted',
  tool_error: 'stopped: a tool failed',
  model_error: 'stopped: model error',
  time_limit: 'stopped: time limit',
  budget_exceeded: 'stopped: cost limit',
  context_too_large: 'stopped: context full',
}

const gap = 2
