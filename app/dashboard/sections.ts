/** What the side panel says about a session: plan, changes, questions, checks, running commands, meters. */
import type { PermissionRequest, TodoItem } from '@sluice/engine/protocol'
import {
  cellWidth,
  fitSpans,
  type StyledRow,
  type StyledSpan,
  sanitizeForTerminal,
  sliceCells,
  type Theme,
} from '@sluice/permissions-ui'
import {
  changeTotals,
  type FileChange,
  type OpenQuestion,
  pendingChanges,
  running,
  type SessionView,
  unverifiedEdits,
} from '../state/index.ts'
import { clock, money, plural, tokens } from '../transcript/format.ts'
import { line, type Section } from './section.ts'

export function planSection(todo: readonly TodoItem[], width: number, theme: Theme): Section | null {
  if (todo.length === 0) return null
  const { glyphs } = theme
  const looks: Record<TodoItem['status'], { mark: string; color: string | undefined; dim?: boolean; bold?: boolean }> =
    {
      done: { mark: glyphs.ok, color: theme.ok },
      in_progress: { mark: glyphs.running, color: theme.accent, bold: true },
      pending: { mark: glyphs.todo, color: undefined },
      dropped: { mark: glyphs.minus, color: theme.muted, dim: true },
    }
  const rows = nearCurrent(todo).map((item) => {
    const look = looks[item.status]
    const text: StyledSpan = { text: ` ${oneLine(item.text)}` }
    if (look.bold) text.bold = true
    if (look.dim) text.dim = true
    if (item.status === 'done') text.color = theme.muted
    return line([{ text: look.mark, color: look.color }, text], [], width)
  })
  const done = todo.filter((item) => item.status === 'done').length
  const counted = todo.filter((item) => item.status !== 'dropped').length
  return { title: 'PLAN', figure: [{ text: `${done} of ${counted}`, color: theme.muted }], rows, least: 3 }
}

/** A long plan starts one step before what is being done; what was done long ago goes to the end. */
function nearCurrent(todo: readonly TodoItem[]): readonly TodoItem[] {
  const current = todo.findIndex((item) => item.status === 'in_progress' || item.status === 'pending')
  return current <= 1 || todo.length <= 6 ? todo : [...todo.slice(current - 1), ...todo.slice(0, current - 1)]
}

/** `reviewKey` opens the review of what was applied without a look; '' leaves the line about it out. */
export function changesSection(view: SessionView, width: number, theme: Theme, reviewKey = ''): Section | null {
  const pending = pendingChanges(view.approvals)
  if (view.changes.length === 0 && pending.length === 0) return null
  const total = changeTotals([...view.changes, ...pending])
  const waiting = new Set(pending.map((change) => change.path))
  const unseen = changeTotals(view.changes).unreviewed
  const debt = { text: `${theme.glyphs.warn} ${plural(unseen, 'edit')} not looked at`, color: theme.warn }
  const rows = [
    ...(unseen > 0 && reviewKey !== '' ? [line([debt], [{ text: reviewKey, color: theme.muted }], width)] : []),
    ...pending.map((change) => changeRow(change, 'pending', width, theme)),
    ...[...view.changes]
      .reverse()
      .filter((change) => !waiting.has(change.path))
      .map((change) => changeRow(change, 'applied', width, theme)),
  ]
  return { title: 'CHANGES', figure: delta(total.additions, total.deletions, theme), rows, least: 2 }
}

function changeRow(change: FileChange, state: 'pending' | 'applied', width: number, theme: Theme): StyledRow {
  const letter = change.change === 'create' ? 'A' : change.change === 'delete' ? 'D' : 'M'
  const right = [...delta(change.additions, change.deletions, theme)]
  if (state === 'pending') right.push({ text: ' pending', color: theme.warn })
  else if (change.unreviewed > 0) right.push({ text: ` ${theme.glyphs.todo} unseen`, color: theme.warn })
  const cells = right.reduce((sum, span) => sum + cellWidth(span.text), 0)
  const path = keepEnd(oneLine(change.path), Math.max(4, width - cells - 4), theme)
  return line([{ text: `${letter} `, color: theme.muted }, { text: path }], right, width)
}

export function questionsSection(
  questions: readonly OpenQuestion[],
  focus: string,
  answerKey: string,
  width: number,
  theme: Theme,
  inboxKey = '',
): Section | null {
  if (questions.length === 0) return null
  const own = questions.filter((one) => one.sessionId === focus)
  const others = questions.length - own.length
  const rows = own.map(({ request }, i) => questionRow(request, i, answerKey, width, theme))
  if (others > 0)
    rows.push(
      line(
        [{ text: `${plural(others, 'question')} elsewhere`, color: theme.warn }],
        inboxKey === '' ? [] : [{ text: inboxKey, color: theme.muted }],
        width,
      ),
    )
  const figure = [{ text: `${questions.length}`, color: theme.warn, bold: true }]
  return { title: 'NEEDS YOU', figure, rows, least: 2 }
}

function questionRow(
  request: PermissionRequest,
  index: number,
  answerKey: string,
  width: number,
  theme: Theme,
): StyledRow {
  const right = index === 0 && answerKey !== '' ? [{ text: answerKey, color: theme.muted }] : []
  return line(
    [
      { text: `${index + 1} `, color: theme.muted },
      { text: oneLine(request.tool), bold: true },
      { text: ` ${oneLine(request.title)}` },
    ],
    right,
    width,
  )
}

export function verificationSection(view: SessionView, width: number, theme: Theme): Section | null {
  const { results, edits } = view.verification
  const open = unverifiedEdits(view)
  if (results.length === 0 && open === 0) return null
  const rows: StyledRow[] = []
  if (open > 0) {
    const text = ` ${plural(open, 'edit')} not verified yet`
    rows.push(
      line(
        [
          { text: theme.glyphs.warn, color: theme.warn, bold: true },
          { text, color: theme.warn },
        ],
        [],
        width,
      ),
    )
  }
  for (const { result, editsBefore } of [...results].reverse()) {
    const mark = result.passed
      ? { text: theme.glyphs.ok, color: theme.ok }
      : result.unknown
        ? { text: '?', color: theme.warn }
        : { text: theme.glyphs.bad, color: theme.bad }
    const old = edits > editsBefore
    const before = edits - editsBefore === 1 ? 'before the edit' : 'before the edits'
    const remark = old ? before : result.unknown ? 'result not known' : ''
    const right = remark === '' ? [] : [{ text: remark, color: theme.muted }]
    rows.push(line([mark, { text: ` ${oneLine(result.command)}`, ...(old ? { dim: true } : {}) }], right, width))
  }
  return { title: 'VERIFICATION', rows, least: 2 }
}

export function runningSection(view: SessionView, now: number, width: number, theme: Theme): Section | null {
  const calls = running(view)
  if (calls.length === 0 && view.background.length === 0) return null
  const rows = calls.flatMap((call) => {
    const time = [{ text: clock(now - call.since), color: theme.muted }]
    const head = line(
      [{ text: `${theme.glyphs.running} `, color: theme.accent }, { text: oneLine(call.title || call.name) }],
      time,
      width,
    )
    const last = lastLine(call.tail.text)
    return last === '' ? [head] : [head, { spans: fitSpans([{ text: `  ${last}`, dim: true }], width) }]
  })
  for (const { title, pids } of view.background) {
    const left = [{ text: `${theme.glyphs.running} `, color: theme.muted }, { text: oneLine(title) }]
    const pid = pids.length > 1 ? `pid ${pids[0]} +${pids.length - 1}` : `pid ${pids[0]}`
    rows.push(line(left, [{ text: pid, color: theme.muted }], width))
  }
  return { title: 'RUNNING', rows, least: 2 }
}

/** Turn, context and money: one line each. */
export function metersSection(view: SessionView, now: number, width: number, theme: Theme): Section | null {
  const rows: StyledRow[] = []
  const { turn, context, usage } = view
  if (turn !== null) {
    const parts = [clock(turn.durationMs ?? now - turn.startedAt), plural(turn.calls, 'call')]
    if (turn.tokens > 0) parts.push(`${tokens(turn.tokens)} tokens`)
    rows.push(line([{ text: parts.join(' · ') }], [], width))
  }
  const share = contextShare(view)
  if (share !== null && context.budget !== null) {
    const right = [{ text: `${tokens(context.used)} of ${tokens(context.budget.limit)}`, color: theme.muted }]
    rows.push(
      line(
        [{ text: 'ctx ', color: theme.muted }, ...bar(share, 8, theme), { text: ` ${percent(share)}` }],
        right,
        width,
      ),
    )
  }
  if (usage.replies > 0) {
    const cost = usage.costUsd > 0 || usage.costKnown ? money(usage.costUsd, usage.costKnown) : 'unknown'
    const right = [{ text: `${tokens(usage.totalTokens)} tokens in all`, color: theme.muted }]
    rows.push(line([{ text: 'cost ', color: theme.muted }, { text: cost }], right, width))
  }
  return rows.length === 0 ? null : { title: 'TURN', rows, least: 1 }
}

/** True when the panel has anything to say: before that it would be an empty column. */
export function panelSays(view: SessionView, questions: readonly OpenQuestion[]): boolean {
  const { todo, changes, verification, turn, usage, context } = view
  if (todo.length > 0 || questions.length > 0 || changes.length > 0 || turn !== null) return true
  return verification.results.length > 0 || usage.replies > 0 || context.budget !== null
}

/** How full the model's window is, 0 to 1; null when unknown. */
export function contextShare(view: SessionView): number | null {
  const { budget, used } = view.context
  return budget === null || budget.limit <= 0 ? null : Math.min(1, used / budget.limit)
}

export function percent(share: number): string {
  return `${Math.round(share * 100)}%`
}

/** A meter of `cells` cells that warns when it is nearly full. */
export function bar(share: number, cells: number, theme: Theme): StyledSpan[] {
  const full = Math.min(cells, Math.max(share > 0 ? 1 : 0, Math.round(share * cells)))
  const color = share >= 0.9 ? theme.bad : share >= 0.75 ? theme.warn : theme.accent
  return [
    { text: theme.glyphs.bar.repeat(full), color },
    { text: theme.glyphs.barEmpty.repeat(cells - full), color: theme.muted },
  ]
}

export function delta(additions: number, deletions: number, theme: Theme): StyledSpan[] {
  return [
    { text: `+${additions}`, color: theme.ok },
    { text: ' ' },
    { text: `${theme.glyphs.minus}${deletions}`, color: theme.bad },
  ]
}

/** Paths say most at their end. */
function keepEnd(text: string, width: number, theme: Theme): string {
  const cells = cellWidth(text)
  if (cells <= width) return text
  const mark = cellWidth(theme.glyphs.ellipsis)
  return theme.glyphs.ellipsis + sliceCells(text, cells - width + mark, cells)
}

function lastLine(text: string): string {
  const clean = sanitizeForTerminal(text.slice(-2_000), 'output').trimEnd()
  return clean.slice(clean.lastIndexOf('\n') + 1)
}

export function oneLine(text: string): string {
  const line = text.length > 400 ? text.slice(0, 400) : text
  return sanitizeForTerminal(line, 'output')
    .replace(/\s*\n\s*/g, ' ')
    .trim()
}
