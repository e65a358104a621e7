/** The panel in one line, for narrow terminals: what waits for a person comes first. */
import { fitSpans, rowWidth, type StyledRow, type StyledSpan, type Theme } from '@sluice/permissions-ui'
import { changeTotals, type OpenQuestion, pendingChanges, type SessionView, unverifiedEdits } from '../state/index.ts'
import { money, plural } from '../transcript/format.ts'
import { contextShare, delta, percent } from './sections.ts'

/** `2/4 plan · +2 −1 · 1 needs you · unverified`; `mode`, context and cost stand here when the header is not there to say them, `lead` before all else. Null when there is nothing to say. */
export function stripRow(
  view: SessionView,
  questions: readonly OpenQuestion[],
  width: number,
  theme: Theme,
  mode: string | null,
  lead: readonly StyledSpan[] = [],
): StyledRow | null {
  const parts: StyledSpan[][] = lead.length > 0 ? [[...lead]] : []
  if (questions.length > 0)
    parts.push([
      { text: `${questions.length} ${questions.length === 1 ? 'needs' : 'need'} you`, color: theme.warn, bold: true },
    ])
  if (mode !== null) parts.push([{ text: mode, color: mode === 'yolo' ? theme.bad : theme.muted }])
  const counted = view.todo.filter((item) => item.status !== 'dropped')
  if (counted.length > 0) {
    parts.push([{ text: `${counted.filter((item) => item.status === 'done').length}/${counted.length} plan` }])
  }
  const changes = changeTotals([...view.changes, ...pendingChanges(view.approvals)])
  if (changes.files > 0) parts.push(delta(changes.additions, changes.deletions, theme))
  if (changes.unreviewed > 0) parts.push([{ text: `${changes.unreviewed} unseen`, color: theme.warn }])
  const open = unverifiedEdits(view)
  const { results, edits } = view.verification
  const current = results.filter(({ editsBefore }) => editsBefore === edits)
  if (current.some(({ result }) => !result.passed && !result.unknown))
    parts.push([{ text: 'checks fail', color: theme.bad }])
  else if (open > 0) parts.push([{ text: `${plural(open, 'edit')} unverified`, color: theme.warn }])
  else if (edits > 0) parts.push([{ text: 'verified', color: theme.ok }])
  const share = contextShare(view)
  if (mode !== null && share !== null) parts.push([{ text: `ctx ${percent(share)}`, color: theme.muted }])
  if (mode !== null && view.usage.costUsd > 0)
    parts.push([{ text: money(view.usage.costUsd, view.usage.costKnown), color: theme.muted }])
  if (parts.length === 0) return null
  const spans: StyledSpan[] = [{ text: ' ' }]
  let cells = 1
  for (const [i, part] of parts.entries()) {
    const whole = i === 0 ? part : [{ text: ' · ', color: theme.muted }, ...part]
    cells += rowWidth({ spans: whole })
    // Parts are told whole or not at all; the first one is cut rather than left out.
    if (cells > width && i > 0) break
    spans.push(...whole)
  }
  return { spans: fitSpans(spans, width) }
}
