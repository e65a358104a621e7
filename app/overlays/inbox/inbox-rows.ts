/** The open questions of all sessions as data: what a row says, whatever asked it. */
import type { PermissionRequest } from '@sluice/engine/protocol'
import { hasHidden, mustSeeEnd, visibleLine } from '@sluice/permissions-ui'
import { type AppState, entries, type OpenQuestion, openQuestions } from '../../state/index.ts'

export type InboxRow = {
  /** The question in exactly this form: another proposal under the same id is another row. */
  key: string
  sessionId: string
  /** Where it comes from, as a person knows it. */
  source: string
  request: PermissionRequest
  tool: string
  target: string
  counts: { additions: number; deletions: number } | null
  /** ms since 1970; null when unknown. */
  askedAt: number | null
  /** How a yes is possible: at once, after its whole text was seen, or not with one key at all. */
  yes: 'row' | 'detail' | 'answer'
}

const lists = new WeakMap<readonly OpenQuestion[], readonly InboxRow[]>()

/** In the order of the sessions, oldest first; the same list as long as nothing was asked, answered or said. */
export function inboxRows(state: AppState): readonly InboxRow[] {
  const questions = openQuestions(state)
  const known = lists.get(questions)
  if (known) return known
  const rows = questions.map(
    ({ sessionId, request, askedAt }): InboxRow => ({
      key: `${request.id}\n${request.digest}`,
      sessionId,
      source: sourceOf(state, sessionId),
      request,
      tool: visibleLine(request.tool),
      target: targetOf(request),
      counts: countsOf(request),
      askedAt,
      yes: request.question !== undefined || request.kind === 'ask' ? 'answer' : mustSeeEnd(request) ? 'detail' : 'row',
    }),
  )
  lists.set(questions, rows)
  return rows
}

/** True when a row of `cells` cells for the target shows all that a command would do. */
export function wholeInRow({ request, target }: InboxRow, cells: number, width: (text: string) => number): boolean {
  const [block, more] = request.blocks.filter((one) => one.type === 'command')
  if (block?.type !== 'command' || more !== undefined || request.blocks.length > 1) return false
  if (block.command.length > mostTarget) return false
  return !hasHidden(block.command) && !block.command.includes('\n') && width(target) <= cells
}

function sourceOf({ sessions, order }: AppState, sessionId: string): string {
  const view = sessions[sessionId]
  const number = `session ${order.indexOf(sessionId) + 1}`
  if (view === undefined) return number
  if (view.title !== '') return visibleLine(view.title)
  for (const item of entries(view.settled)) {
    if (item.kind === 'user' && item.text.trim() !== '') return visibleLine(item.text.trim().split('\n')[0] ?? '')
  }
  return number
}

/** No row is wider. */
const mostTarget = 1_000

function targetOf(request: PermissionRequest): string {
  const command = request.blocks.find((block) => block.type === 'command')
  if (command?.type === 'command') return visibleLine(command.command.trim().slice(0, mostTarget))
  if (request.question !== undefined) return visibleLine(request.question.text)
  const calls = request.changeSet?.length ?? 0
  const files = request.blocks.flatMap((block) => (block.type === 'diff' ? [block.diff.path] : []))
  if (calls > 1 && files.length > 1) return `${visibleLine(files[0] ?? '')} and ${files.length - 1} more`
  return visibleLine(request.title)
}

function countsOf(request: PermissionRequest): InboxRow['counts'] {
  const diffs = request.blocks.flatMap((block) => (block.type === 'diff' ? [block.diff] : []))
  if (diffs.length === 0) return null
  return diffs.reduce(
    (sum, diff) => ({ additions: sum.additions + diff.additions, deletions: sum.deletions + diff.deletions }),
    { additions: 0, deletions: 0 },
  )
}
