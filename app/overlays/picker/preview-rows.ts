/** The closer look at the marked session: where it worked, what was lost, the last exchange, files, plan and how it ended. */
import type { SessionPreview } from '@sluice/engine/ports'
import {
  fitSpans,
  type StyledRow,
  type StyledSpan,
  sanitizeForTerminal,
  type Theme,
  wrapCells,
} from '@sluice/permissions-ui'
import { oneLine } from '../../dashboard/sections.ts'
import { shortPath } from '../../screen/header.ts'
import { money, plural } from '../../transcript/format.ts'
import { endOf, lost } from './columns.ts'
import type { PickerRow } from './picker-row.ts'
import type { Looked, PickerView } from './picker-view.ts'
import { marked, marksIn } from './snippet.ts'

export type PreviewPlace = { width: number; height: number; home: string | null; theme: Theme }

/** At most `height` rows of exactly `width` cells. What is known without reading a transcript is there at once. */
export function previewRows(view: PickerView, place: PreviewPlace): StyledRow[] {
  const { row, looked, state } = view
  if (row === undefined) return []
  const { width, height, theme } = place
  const fit = (spans: readonly StyledSpan[]): StyledRow => ({
    spans: fitSpans([{ text: ' ' }, ...spans], width, theme.glyphs.ellipsis),
  })
  const head = [fit(aboutSpans(row, place)), ...warnings(row, looked, theme).map(fit)]
  if (looked === null || 'problem' in looked) return head.slice(0, height)
  const words = state.content ? state.line.text : ''
  if (height >= roomyRows) {
    const facts = factLines(row, looked, theme, 8).map(fit)
    const room = Math.max(3, height - head.length - facts.length - 2)
    const said = exchange(looked.preview, words, room, width - 2, theme).map(fit)
    const gap = [{ spans: [{ text: ' '.repeat(width) }] }]
    return [...head, ...(said.length > 0 ? gap : []), ...said, ...gap, ...facts].slice(0, height)
  }
  const facts = factLines(row, looked, theme, 1).map(fit)
  // The exchange says most; of the facts those stay that leave three lines for it.
  const kept = facts.slice(0, Math.max(0, height - head.length - 3))
  const room = Math.max(0, height - head.length - kept.length)
  return [...head, ...exchange(looked.preview, words, room, width - 2, theme).map(fit), ...kept].slice(0, height)
}

/** From this height on there are gaps between the parts, and a line for each file and each step. */
const roomyRows = 18

function aboutSpans({ session }: PickerRow, { home, theme }: PreviewPlace): StyledSpan[] {
  const folder = session.cwd === '' ? 'no folder in its records' : shortPath(oneLine(session.cwd), home)
  const parts = [
    ...(session.model === '' ? [] : [oneLine(session.model)]),
    ...(session.turns === 0 ? [] : [plural(session.turns, 'turn')]),
    ...(session.costUsd > 0 ? [money(session.costUsd)] : []),
    ...(session.forkedFrom === null ? [] : [`fork of ${oneLine(session.forkedFrom)}`]),
    oneLine(session.id),
  ]
  return [{ text: folder }, { text: parts.map((part) => ` ${theme.glyphs.todo} ${part}`).join(''), color: theme.muted }]
}

function warnings({ session, here }: PickerRow, looked: Looked | null, theme: Theme): StyledSpan[][] {
  const warn = (text: string): StyledSpan[] => [
    { text: `${theme.glyphs.warn} `, color: theme.warn, bold: true },
    { text, color: theme.warn },
  ]
  const lines: StyledSpan[][] = []
  if (session.lostRecords > 0)
    lines.push(warn(`${lost(session.lostRecords)}; the rest was recovered, and no byte was removed`))
  if (session.live && here === null) {
    const where = looked !== null && 'where' in looked ? looked.where : ''
    lines.push(warn(`runs in another sluice${where}: it cannot be resumed here`))
  }
  if (looked !== null && 'problem' in looked) lines.push(warn(`it cannot be read: ${oneLine(looked.problem)}`))
  return lines
}

function exchange(
  { lastInput, lastAnswer }: { lastInput: string; lastAnswer: string },
  words: string,
  room: number,
  width: number,
  theme: Theme,
): StyledSpan[][] {
  if (room === 0) return []
  const question = linesOf(lastInput, width - 2, room)
  const answer = linesOf(lastAnswer, width - 2, room)
  // Either takes what the other one leaves.
  const asks = Math.min(question.length, Math.max(Math.floor(room / 3), room - answer.length, 1))
  const asked = atMost(question, asks, width - 2, theme)
  const said = atMost(answer, room - asked.length, width - 2, theme)
  const lit = (text: string, look: Omit<StyledSpan, 'text'>) => marked(text, marksIn(text, words), theme, look)
  return [
    ...asked.map((line, i) => [
      { text: i === 0 ? `${theme.glyphs.prompt} ` : '  ', color: theme.accent },
      ...lit(line, { bold: true }),
    ]),
    ...said.map((line) => [{ text: '  ' }, ...lit(line, {})]),
  ]
}

/** The lines of `text` that say something: one more than `most` tells that there are more. */
function linesOf(text: string, width: number, most: number): string[] {
  if (text === '') return []
  const clean = sanitizeForTerminal(text.slice(0, (most + 1) * width * 4), 'output')
  return wrapCells(clean.trim(), Math.max(8, width)).filter((line) => line.trim() !== '')
}

/** Where lines are left out, the last one ends with an ellipsis, and loses only whole words that have no room beside it. */
function atMost(lines: readonly string[], most: number, width: number, theme: Theme): string[] {
  if (lines.length <= most || most <= 0) return lines.slice(0, Math.max(0, most))
  const [last = ''] = wrapCells((lines[most - 1] ?? '').trim(), Math.max(8, width) - 2)
  return [...lines.slice(0, most - 1), `${last.trimEnd()} ${theme.glyphs.ellipsis}`]
}

/** Its files, its plan, how it ended, its tags; in at most `each` lines a part, the most telling first. */
function factLines({ session, here }: PickerRow, looked: Looked, theme: Theme, each: number): StyledSpan[][] {
  if ('problem' in looked) return []
  const { files, todo, stopReason } = looked.preview
  const unsent = oneLine(looked.unsent)
  const lines: StyledSpan[][] = []
  const fact = (name: string, ...parts: StyledSpan[][]) =>
    lines.push(...parts.map((spans, i) => [{ text: (i === 0 ? name : '').padEnd(7), color: theme.muted }, ...spans]))
  if (session.pendingApprovals > 0 && session.next !== '')
    fact('asks', [{ text: oneLine(session.next), color: theme.warn }])
  if (unsent !== '') fact('draft', [{ text: unsent, color: theme.accent2 }])
  if (files.length > 0) fact('files', ...fileParts(files, each))
  if (todo.length > 0) fact('plan', planSpans(todo, theme), ...(each > 1 ? steps(todo, each, theme) : []))
  if (here === null && !session.live && session.turns > 0) {
    const well = stopReason === 'final_answer'
    fact('ended', [{ text: well ? 'with an answer' : endOf(stopReason), color: well ? undefined : theme.warn }])
  }
  if (session.tags.length > 0)
    fact('tags', [{ text: session.tags.map((tag) => `#${oneLine(tag)}`).join(' '), color: theme.accent2 }])
  return lines
}

/** One line for all of them, or one for each. */
function fileParts(files: readonly string[], each: number): StyledSpan[][] {
  if (each === 1) return [[{ text: files.map(oneLine).join('  ') }]]
  const shown = files.length > each ? files.slice(0, each - 1) : files
  const more = files.length - shown.length
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].map((path) => [{ text: oneLine(path) }])
}

function planSpans(todo: SessionPreview['todo'], theme: Theme): StyledSpan[] {
  const counted = todo.filter(({ status }) => status !== 'dropped')
  const done = counted.filter(({ status }) => status === 'done').length
  const figure: StyledSpan = { text: `${done} of ${counted.length}` }
  const open = openStep(todo)
  if (open === undefined) return [figure, { text: ' done', color: theme.muted }]
  return [figure, { text: `  ${theme.glyphs.running} `, color: theme.accent }, { text: oneLine(open.text) }]
}

/** The steps behind the open one. */
function steps(todo: SessionPreview['todo'], most: number, theme: Theme): StyledSpan[][] {
  const open = openStep(todo)
  return todo
    .filter((step) => step !== open && step.status === 'pending')
    .slice(0, most)
    .map(({ text }) => [{ text: `        ${theme.glyphs.todo} `, color: theme.muted }, { text: oneLine(text) }])
}

function openStep(todo: SessionPreview['todo']): SessionPreview['todo'][number] | undefined {
  return todo.find(({ status }) => status === 'in_progress') ?? todo.find(({ status }) => status === 'pending')
}
