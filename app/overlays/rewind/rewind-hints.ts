/** The keys that do something now, the ones that are missed most first. */
import type { RewindPreview } from '@sluice/engine/protocol'
import { asciiGlyphs, type KeyTable, type Theme } from '@sluice/permissions-ui'
import { plural } from '../../transcript/format.ts'
import type { Hint } from '../hint-spans.ts'
import { shownKeys } from '../key-rows.ts'
import { type RewindRow, type RewindState, restored } from './rewind-state.ts'

type Place = { table: KeyTable; theme: Theme; width: number }

export function listHints({ open }: RewindState, row: RewindRow | undefined, place: Place): Hint[] {
  const close: Hint = [keyOf('overlay', 'close', place), 'close']
  if (row === undefined) return [close]
  const hints: Hint[] = [[keyOf('overlay', 'accept', place), 'see what it would do']]
  if (row.kind === 'call') hints.push([keyOf('rewind', 'fold', place), 'its turn'])
  if (row.kind === 'turn' && row.turn.calls.length > 0) {
    hints.push(
      open.has(row.turn.turnId)
        ? [keyOf('rewind', 'fold', place), 'hide calls']
        : [keyOf('rewind', 'unfold', place), plural(row.turn.calls.length, 'call')],
    )
  }
  if (row.kind === 'turn') hints.push([keyOf('rewind', 'fork', place), 'fork from here'])
  return [...hints, [upAndDown(place), row.kind === 'call' ? 'call' : 'turn'], close]
}

export function previewHints(state: RewindState, preview: RewindPreview, place: Place): Hint[] {
  const files = restored(state).length
  const parts = [
    ...(state.what === 'files' || !preview.conversation ? [] : [plural(preview.turns, 'turn')]),
    ...(files > 0 ? [plural(files, 'file')] : []),
  ]
  const verb = preview.turnId === null || preview.call !== undefined ? 'undo' : 'rewind'
  // A rewind of which nothing is left gives way to the one before it.
  const nothing = !preview.conversation && preview.files.length === 0 && preview.turnId !== null
  const hints: Hint[] = nothing ? [] : [[keyOf('rewind', 'apply', place), [verb, parts.join(', ')].join(' ').trim()]]
  const back: Hint = [keyOf('overlay', 'close', place), 'back']
  // Where there is room for few, the way out is worth more.
  if (place.width < 60) hints.push(back)
  if (preview.files.length > 0 && state.what !== 'conversation') {
    hints.push([keyOf('rewind', 'toggle', place), 'restore or keep'])
    hints.push([keyOf('rewind', 'selectAll', place), 'all'])
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
