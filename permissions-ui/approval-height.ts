/** How many rows an approval dialog could fill, so that the screen can give it no more than it needs. */
import type { PermissionRequest } from '@sluice/engine/protocol'
import { dialogFrame } from './dialog-frame.ts'
import { withDialogKeys } from './dialog-keys.ts'
import { openDialog } from './dialog-state.ts'
import { dialogBody } from './dialogs/index.ts'
import { reviewLines } from './dialogs/review.ts'
import type { Theme } from './theme.ts'

/** From this width on a change is shown in two columns unless the person chose otherwise. */
export const splitFrom = 160

/** Rows that `request` fills at `width` without scrolling, frame included, but no more than `most`. */
export function approvalHeight(request: PermissionRequest, width: number, most: number, theme: Theme): number {
  const options = { width, theme, left: 0, split: width >= splitFrom }
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
  return Math.min(most, frame.header.length + frame.footer.length + Math.max(1, rows))
}
