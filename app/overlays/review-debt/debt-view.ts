/** What stands around a change that is looked at afterwards: what it is, how it stands, and the keys; pure. */
import type { ChangeStanding, Review, Unreviewed } from '@sluice/engine/protocol'
import {
  cellWidth,
  type DialogState,
  fieldRow,
  fitSpans,
  type KeyTable,
  keyLabel,
  type StyledRow,
  type StyledSpan,
  styledRow,
  summaryOf,
  type Theme,
  visibleLine,
} from '@sluice/permissions-ui'
import { ago, plural } from '../../transcript/format.ts'
import { hintSpans } from '../hint-spans.ts'
import type { DebtState } from './debt-state.ts'

export type DebtViewInput = {
  state: DebtState
  change: Unreviewed | undefined
  review: DialogState | null
  standing: ChangeStanding | null
  changes: readonly Unreviewed[]
  /** The last answer, which `u` takes back. */
  last: Review | undefined
  width: number
  height: number
  theme: Theme
  table: KeyTable
  now: number
}

export function debtFrame(input: DebtViewInput): { header: StyledRow[]; footer: StyledRow[]; bodyHeight: number } {
  const { width, height, theme } = input
  const rule = styledRow({ text: theme.glyphs.horizontal.repeat(width), color: theme.muted })
  const status = statusRow(input)
  const header = [headRow(input), rule, ...(status === null ? [] : [status])]
  const footer = [rule, ...footRows(input)]
  return { header, footer, bodyHeight: Math.max(0, height - header.length - footer.length) }
}

/** What stands in the place of a change where there is none. */
export function emptyRows({ width, theme, table, last }: DebtViewInput): StyledRow[] {
  const undo = keyLabel(table, 'review', 'undo')
  return [
    styledRow(),
    styledRow(
      ...fitSpans([{ text: '  Nothing was applied that you have not looked at.' }], width, theme.glyphs.ellipsis),
    ),
    styledRow(
      ...fitSpans(
        [
          {
            text:
              last === undefined
                ? '  Changes that a mode or a rule lets through wait here.'
                : `  The last answer was about ${visibleLine(last.path)}: ${undo} takes it back.`,
            color: theme.muted,
          },
        ],
        width,
        theme.glyphs.ellipsis,
      ),
    ),
  ]
}

/** One line about what came of an answer. */
export function reviewWord({ path, kept, reverted, undoes }: Review): string {
  const name = visibleLine(path)
  if (undoes !== undefined) return `Put back: ${name} waits for a look again.`
  const all = kept.length + reverted.length
  if (reverted.length === 0) return `Kept ${name}.`
  return reverted.length === all
    ? `Took ${name} back.`
    : `Took ${reverted.length} of ${plural(all, 'hunk')} of ${name} back.`
}

function headRow({ change, review, changes, width, theme, now }: DebtViewInput): StyledRow {
  const title: StyledSpan = { text: ' Not looked at yet', color: theme.accent, bold: true }
  if (change === undefined || review?.review == null) return styledRow(...fitSpans([title], width))
  const { hunk, hunks } = summaryOf(review.review)
  const { diff } = change
  const index = changes.findIndex(({ id }) => id === change.id)
  const age = ago(now - Date.parse(change.time))
  const right = width < 70 ? '' : `applied ${age} `
  const narrow = width < 60
  const facts: StyledSpan[] = [
    { text: '   ' },
    { text: `+${diff.additions}`, color: theme.ok },
    { text: ' ' },
    { text: `${theme.glyphs.minus}${diff.deletions}`, color: theme.bad },
    ...(hunks > 1
      ? [{ text: narrow ? ` · hunk ${hunk}/${hunks}` : ` · hunk ${hunk} of ${hunks}`, color: theme.muted }]
      : []),
    ...(changes.length > 1
      ? [
          {
            text: narrow ? ` · ${index + 1}/${changes.length}` : ` · change ${index + 1} of ${changes.length}`,
            color: theme.accent2,
          },
        ]
      : []),
  ]
  const cells = facts.reduce((sum, span) => sum + cellWidth(span.text), 0) + cellWidth(right)
  const left: StyledSpan[] = [
    ...(narrow ? [] : [{ text: ` ${visibleLine(change.tool)} `, color: theme.accent, bold: true }]),
    { text: ` ${visibleLine(diff.path)}`, bold: narrow },
  ]
  const room = Math.max(8, width - cells)
  const named = left.reduce((sum, span) => sum + cellWidth(span.text), 0)
  const name = named > room ? fitSpans(left, room, theme.glyphs.ellipsis) : left
  const used = Math.min(named, room) + cells
  return styledRow(
    ...fitSpans(
      [...name, ...facts, { text: ' '.repeat(Math.max(0, width - used)) }, { text: right, color: theme.muted }],
      width,
    ),
  )
}

function statusRow({ standing, change, width, theme }: DebtViewInput): StyledRow | null {
  if (change === undefined || standing === null) return null
  const conflicts = Object.entries(standing.conflicts)
  if (conflicts.length === 0 && standing.same) return null
  const [first] = conflicts
  const text =
    first === undefined
      ? 'The file changed since: what you take back is found by its lines, and the rest stays.'
      : conflicts.length === change.diff.hunks.length
        ? `It cannot be taken back: ${first[1]}.`
        : `The file changed since: ${plural(conflicts.length, 'hunk')} cannot be taken back.`
  const color = first === undefined ? theme.muted : theme.warn
  return styledRow(
    ...fitSpans([{ text: ` ${theme.glyphs.warn} ${visibleLine(text)}`, color }], width, theme.glyphs.ellipsis),
  )
}

function footRows(input: DebtViewInput): StyledRow[] {
  const { state, change, review, last, width, height, theme, table } = input
  const own = (action: string) => keyLabel(table, 'review', action)
  const of = (action: string) => keyLabel(table, 'dialog', action)
  const note = state.said ?? (review?.hint ? { level: 'warn' as const, text: review.hint } : null)
  const said =
    note === null
      ? null
      : styledRow(
          ...fitSpans(
            [{ text: ` ${visibleLine(note.text)}`, color: note.level === 'warn' ? theme.warn : theme.accent2 }],
            width,
            theme.glyphs.ellipsis,
          ),
        )
  const undoable = last !== undefined || Boolean(review?.review?.past)
  const undo: [string, string][] = undoable ? [[own('undo'), 'undo']] : []
  if (change === undefined || review === null) {
    return [...(said === null ? [] : [said]), styledRow(...hintSpans([...undo, [own('close'), 'close']], width, theme))]
  }
  if (review.mode === 'reason' || review.mode === 'comment') {
    const reason = review.mode === 'reason'
    const label = reason ? ' take it back, because: ' : ' comment: '
    const line = reason ? review.reason : review.comment
    const placeholder = reason ? 'empty: silently' : 'goes to the model'
    return [
      fieldRow({ text: label, color: theme.accent }, line, width, theme, { active: true, placeholder }),
      styledRow(
        ...hintSpans(
          [
            [of('activate'), reason ? 'take it back' : 'keep'],
            [of('leave'), 'back'],
          ],
          width,
          theme,
        ),
      ),
    ]
  }
  const several = change.diff.hunks.length > 1
  const hunks: [string, string][] = several ? [[`${of('nextHunk')} ${of('previousHunk')}`, 'hunk']] : []
  const walk: [string, string][] =
    input.changes.length > 1 ? [[`${of('nextFile')} ${of('previousFile')}`, 'change']] : []
  const answers = styledRow(
    ...hintSpans([[of('apply'), applyWord(review)], [of('deny'), 'take it back, because …'], ...undo], width, theme),
  )
  // What was said takes the place of the keys only where there is none for both.
  return [
    ...(said === null ? [answers] : height < 16 ? [said] : [said, answers]),
    styledRow(
      ...hintSpans(
        [
          [of('toggle'), 'keep or not'],
          [of('selectAll'), 'all'],
          ...hunks,
          ...walk,
          [of('comment'), 'comment'],
          [own('close'), 'close'],
          [of('split'), 'split'],
          [of('whitespace'), 'blanks'],
        ],
        width,
        theme,
      ),
    ),
  ]
}

function applyWord({ review }: DialogState): string {
  if (review === null) return 'keep'
  const { all, kept, partial } = summaryOf(review)
  if (kept === 0) return 'take it back'
  if (partial) return 'keep what is selected, take the rest back'
  return kept === all ? (all > 1 ? `keep all ${all}` : 'keep') : `keep ${kept} of ${all}, take ${all - kept} back`
}
