/** The rewind as rows: the list of turns, and what going back to one of them would do. */
import type { DiffLines, StyledRow } from '@sluice/permissions-ui'
import { listRoom, listRows } from './list-rows.ts'
import { diffRoom, previewRows } from './preview-rows.ts'
import type { RewindState } from './rewind-state.ts'
import { blank, type RewindPlace } from './row-parts.ts'

/** Exactly `height` rows. */
export function rewindRows(state: RewindState, lines: DiffLines | null, place: RewindPlace): StyledRow[] {
  const rows = state.preview === null ? listRows(state, place) : previewRows(state, state.preview, lines, place)
  return Array.from({ length: place.height }, (_, i) => rows[i] ?? blank)
}

/** How many rows of the list, or of the diff, are seen. */
export function pageOf(state: RewindState, place: RewindPlace): number {
  return state.preview === null ? listRoom(place.height) : diffRoom(state.preview, place)
}
