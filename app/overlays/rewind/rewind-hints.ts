/** The keys that do something now, the ones that are missed most first. */
import type { RewindPreview } from '@sluice/engine/protocol'
import { asciiGlyphs, type KeyTable, type Theme } from '@sluice/permissions-ui'
import { plural } from '../../transcript/format.ts'
import type { Hint } from '../hint-spans.ts'
import { shownKeys } from '../key-rows.ts'
import { type RewindState, restored, turnAt } from './rewind-state.ts'

type Place = { table: KeyTable; theme: Theme; width: number }

export function listHints(state: RewindState, place: Place): Hint[] {
  const turn = turnAt(state)
  const hints: Hint[] = []
  if (turn !== undefined) hints.push([keyOf('overlay', 'accept', place), 'see what it would do'])
  if (turn) hints.push([keyOf('rewind', 'fork', place), 'fork from here'])
  if (turn !== undefined) hints.push([upAndDown(place), 'turn'])
  return [...hints, [keyOf('overlay', 'close', place), 'close']]
}

export function previewHints(state: RewindState, preview: RewindPreview, place: Place): Hint[] {
  const files = restored(state).length
  const parts = [
    ...(state.what === 'files' || !preview.conversation ? [] : [plural(preview.turns, 'turn')]),
    ...(files > 0 ? [plural(files, 'file')] : []),
  ]
  const verb = preview.turnId === null ? 'undo' : 'rewind'
  const hints: Hint[] = [[keyOf('rewind', 'apply', place), [verb, parts.join(', ')].join(' ').trim()]]
  const back: Hint = [keyOf('overlay', 'close', place), 'back']
  // Where two hints have no room, the way out is worth more.
  if (place.width < 60) hints.push(back)
  if (preview.files.length > 0 && state.what !== 'conversation') {
    hints.push([keyOf('rewind', 'toggle', place), 'restore or keep'])
    if (place.width >= 90) hints.push([keyOf('rewind', 'selectAll', place), 'all'])
  }
  if (place.width >= 60) hints.push(back)
  if (preview.files.length > 1) hints.push([upAndDown(place), 'file'])
  if (preview.files.length > 0) hints.push([keyOf('overlay', 'pageDown', place), 'diff'])
  return hints
}

/** How the first key of an action is written. */
export function keyOf(context: string, action: string, { table, theme }: Pick<Place, 'table' | 'theme'>): string {
  return shownKeys((table[context]?.[action]?.keys ?? []).slice(0, 1), theme.glyphs === asciiGlyphs)
}

function upAndDown(place: Place): string {
  const keys = [keyOf('overlay', 'up', place), keyOf('overlay', 'down', place)]
  return keys.join(place.theme.glyphs === asciiGlyphs ? '/' : '')
}
