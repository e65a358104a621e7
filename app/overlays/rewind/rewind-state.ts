/** What is chosen while a person goes back: the turn or one of its calls, what of it, which files; pure. */
import type { RewindCall, RewindPreview, RewindTurn, Rewound } from '@sluice/engine/protocol'

export type What = 'both' | 'conversation' | 'files'

export type RewindState = {
  /** Newest first; null while they are being read. */
  turns: readonly RewindTurn[] | null
  undo: Rewound | null
  /** Ids of the turns whose calls are shown below them. */
  open: ReadonlySet<string>
  /** The row that is marked; the one that undoes comes first. */
  selected: number
  /** What the marked row would do; null in the list. */
  preview: RewindPreview | null
  what: What
  /** Canonical paths of the files that would be restored. */
  restore: ReadonlySet<string>
  file: number
  scroll: number
  /** What is going on. */
  doing: string | null
  problem: string | null
}

/** A row of the list: what undoes the last rewind, a turn, or a call of one that is open. */
export type RewindRow =
  | { kind: 'undo'; undo: Rewound }
  | { kind: 'turn'; turn: RewindTurn }
  | { kind: 'call'; turn: RewindTurn; call: RewindCall }

/** What is to be done outside; `turnId` null undoes the last rewind, `callId` is of that turn. */
export type RewindWish =
  | { want: 'look'; turnId: string | null; callId?: string }
  | { want: 'fork'; turnId: string }
  | { want: 'apply' }
  | { want: 'close' }

export const emptyRewind: RewindState = {
  turns: null,
  undo: null,
  open: new Set(),
  selected: 0,
  preview: null,
  what: 'both',
  restore: new Set(),
  file: 0,
  scroll: 0,
  doing: null,
  problem: null,
}

export function withTurns(state: RewindState, turns: readonly RewindTurn[], undo: Rewound | null): RewindState {
  const selected = undo === null || turns.length === 0 ? 0 : 1
  return { ...state, turns: turns.toReversed(), undo, selected }
}

/** Files that somebody else changed stay unless the person says otherwise. */
export function withPreview(state: RewindState, preview: RewindPreview): RewindState {
  const restore = new Set(preview.files.filter((file) => file.state === 'restore').map(({ path }) => path))
  const what = choices(preview)[0] ?? 'conversation'
  const conflict = preview.files.findIndex((file) => file.state !== 'restore')
  return { ...state, preview, restore, what, file: Math.max(0, conflict), scroll: 0, doing: null }
}

/** What can be gone back in, the widest first. */
export function choices({ conversation, files }: Pick<RewindPreview, 'conversation' | 'files'>): What[] {
  const some = files.some(({ state }) => state !== 'lost')
  if (!some) return [conversation ? 'conversation' : 'files']
  return conversation ? ['both', 'conversation', 'files'] : ['files']
}

export function rowsOf({ turns, undo, open }: Pick<RewindState, 'turns' | 'undo' | 'open'>): RewindRow[] {
  const rows: RewindRow[] = undo === null ? [] : [{ kind: 'undo', undo }]
  for (const turn of turns ?? []) {
    rows.push({ kind: 'turn', turn })
    if (open.has(turn.turnId)) for (const call of turn.calls) rows.push({ kind: 'call', turn, call })
  }
  return rows
}

/** The files that a yes would restore. */
export function restored({ preview, restore, what }: RewindState): string[] {
  if (what === 'conversation') return []
  return (preview?.files ?? []).filter(({ path }) => restore.has(path)).map(({ path }) => path)
}

/** `page` is how many rows of the list or the diff are seen, `last` the last row that the diff can begin with. */
export function rewindKey(
  state: RewindState,
  action: string | undefined,
  { page, last }: { page: number; last: number },
): { state: RewindState; wish?: RewindWish } | null {
  if (action === undefined) return null
  if (state.doing !== null) return action === 'close' ? { state, wish: { want: 'close' } } : { state }
  const calm = state.problem === null ? state : { ...state, problem: null }
  return state.preview === null ? listKey(calm, action, page) : previewKey(calm, action, { page, last })
}

function listKey(state: RewindState, action: string, page: number): { state: RewindState; wish?: RewindWish } | null {
  const rows = rowsOf(state)
  const row = rows[state.selected]
  const mark = (to: number) => ({ state: { ...state, selected: Math.max(0, Math.min(rows.length - 1, to)) } })
  switch (action) {
    case 'close':
      return { state, wish: { want: 'close' } }
    case 'up':
      return mark(state.selected - 1)
    case 'down':
      return mark(state.selected + 1)
    case 'pageUp':
      return mark(state.selected - page)
    case 'pageDown':
      return mark(state.selected + page)
    case 'top':
      return mark(0)
    case 'bottom':
      return mark(rows.length - 1)
    case 'accept':
      return row === undefined ? { state } : { state: { ...state, doing: 'looking at the files …' }, wish: lookAt(row) }
    case 'fork': {
      if (row?.kind !== 'turn') return { state }
      return { state: { ...state, doing: 'forking …' }, wish: { want: 'fork', turnId: row.turn.turnId } }
    }
    case 'unfold':
      // Where it is open already, the first of its calls comes next.
      return row?.kind === 'turn' && state.open.has(row.turn.turnId) && row.turn.calls.length > 0
        ? mark(state.selected + 1)
        : { state: row?.kind === 'turn' ? withOpen(state, row.turn, true) : state }
    case 'fold':
      return { state: row === undefined || row.kind === 'undo' ? state : withOpen(state, row.turn, false) }
    case 'toggle':
      if (row === undefined || row.kind === 'undo') return { state }
      return { state: withOpen(state, row.turn, row.kind === 'turn' && !state.open.has(row.turn.turnId)) }
    default:
      return null
  }
}

function lookAt(row: RewindRow): RewindWish {
  if (row.kind === 'undo') return { want: 'look', turnId: null }
  const { turnId } = row.turn
  return row.kind === 'turn' ? { want: 'look', turnId } : { want: 'look', turnId, callId: row.call.callId }
}

/** The turn is marked, be it open or closed. */
function withOpen(state: RewindState, turn: RewindTurn, isOpen: boolean): RewindState {
  if (turn.calls.length === 0) return state
  const open = new Set(state.open)
  if (isOpen) open.add(turn.turnId)
  else open.delete(turn.turnId)
  const next = { ...state, open }
  const at = rowsOf(next).findIndex((row) => row.kind === 'turn' && row.turn === turn)
  return { ...next, selected: Math.max(0, at) }
}

function previewKey(
  state: RewindState,
  action: string,
  { page, last }: { page: number; last: number },
): { state: RewindState; wish?: RewindWish } | null {
  const preview = state.preview as RewindPreview
  const { files } = preview
  const file = files[state.file]
  const able = files.filter((one) => one.state !== 'lost')
  const to = (change: Partial<RewindState>) => ({ state: { ...state, ...change } })
  const fileAt = (index: number) => to({ file: Math.max(0, Math.min(files.length - 1, index)), scroll: 0 })
  const scrollTo = (row: number) => to({ scroll: Math.max(0, Math.min(last, row)) })
  switch (action) {
    case 'close':
      return to({ preview: null })
    case 'up':
      return fileAt(state.file - 1)
    case 'down':
      return fileAt(state.file + 1)
    case 'top':
      return fileAt(0)
    case 'bottom':
      return fileAt(files.length - 1)
    case 'pageUp':
      return scrollTo(Math.min(state.scroll, last) - page)
    case 'pageDown':
      return scrollTo(state.scroll + page)
    case 'what':
    case 'unfold':
    case 'fold': {
      const all = choices(preview)
      return to({ what: all.at((all.indexOf(state.what) + (action === 'fold' ? -1 : 1)) % all.length) ?? state.what })
    }
    case 'toggle': {
      if (file === undefined || file.state === 'lost' || state.what === 'conversation') return { state }
      const restore = new Set(state.restore)
      if (!restore.delete(file.path)) restore.add(file.path)
      return to({ restore })
    }
    case 'selectAll': {
      const all = able.every(({ path }) => state.restore.has(path))
      return to({ restore: new Set(all ? [] : able.map(({ path }) => path)) })
    }
    case 'apply':
      if (state.what === 'files' && restored(state).length === 0 && (preview.turnId !== null || files.length > 0)) {
        return to({ problem: 'No file is chosen.' })
      }
      return { state: { ...state, doing: 'going back …' }, wish: { want: 'apply' } }
    default:
      return null
  }
}
