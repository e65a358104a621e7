/** How many rows an approval dialog could fill, so that the screen can give it no more than it needs. */
import type { PermissionRequest } from '@sluice/engine/protocol'
import { dialogFrame } from './dialog-frame.ts'
import { roomy } from './dialog-hints.ts'
import { withDialogKeys } from './dialog-keys.ts'
import { openDialog } from './dialog-state.ts'
import { dialogBody } from './dialogs/index.ts'
import { reviewLines } from './dialogs/review.ts'
import type { Theme } from './theme.ts'

/** From this width on a change is shown in two columns unless the person chose otherwise. */
export const splitFrom = 160

/** Rows that `request` fills at `width` without scrolling, frame included, but no more than `most`. */
export function approvalHeight(request: PermissionRequest, width: number, most: number, theme: Theme): number {
  // A change that is longer than that in any case need not be laid out to be measured.
  const split = width >= splitFrom
  if (leastRows(request, split) >= most) return most
  const options = { width, theme, left: 0, split }
  const state = openDialog(request)
  const lines = state.review === null ? null : reviewLines(state.review.diffs, { ...options, blanks: false })
  const rows = dialogBody(request, state, lines, options).count
  const frame = dialogFrame({
    request,
    state,
    table: withDialogKeys({}),
    theme,
    width,
    height: rows + 100,
    rows,
    mustSeeEnd: false,
    focused: true,
    draftPending: false,
    position: { index: 0, count: 2 },
    fullScreen: false,
    focusKey: '',
  })
  const needed = frame.header.length + frame.footer.length + Math.max(1, rows)
  // Measured with all the room there could be, it names its keys in two rows.
  return Math.min(most, state.review !== null && needed < roomy ? needed - 1 : needed)
}

/** Rows that the changes of a request have at least. */
function leastRows({ blocks }: PermissionRequest, split: boolean): number {
  const lines = blocks.reduce(
    (sum, block) => sum + (block.type === 'diff' ? block.diff.hunks.reduce((n, hunk) => n + hunk.lines.length, 0) : 0),
    0,
  )
  return split ? lines / 2 : lines
}
