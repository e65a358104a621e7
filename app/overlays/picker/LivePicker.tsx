/** The list of sessions over the transcript: those of this process switch, stored ones open beside them. */
import { actionOf, KeysContext } from '@sluice/permissions-ui'
import { useContext, useEffect, useState } from 'react'
import { realAfter } from '../../session/real-after.ts'
import type { SessionControl } from '../../session/session-control.ts'
import type { OpenStored, StoredSessions } from '../../session/stored-sessions.ts'
import { focused, type Store } from '../../state/index.ts'
import { useHeldKeys } from '../../terminal/key-source.tsx'
import { createPicker } from './create-picker.ts'
import { hereSessions } from './here-sessions.ts'
import { Picker } from './Picker.tsx'
import type { Picker as PickerModel } from './picker-view.ts'

export type LivePickerProps = {
  width: number
  height: number
  /** What the filter begins with. */
  argument: string | undefined
  /** Whether the mark begins on the first stored session instead of the one in focus. */
  resuming: boolean
  store: Store
  stored: StoredSessions
  control: Pick<SessionControl, 'resumeStored' | 'rename' | 'fork' | 'exportStored'>
  home: string | null
  close(): void
}

export function LivePicker({ width, height, home, ...world }: LivePickerProps) {
  const { table } = useContext(KeysContext)
  const [picker, setPicker] = useState<PickerModel | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: one picker as long as it is open
  useEffect(() => {
    let wanted = true
    let stop = () => {}
    world.stored.open().then(
      (stored) => {
        if (!wanted) return
        const made = openPicker(stored, world, table)
        stop = world.store.subscribe(made.hereChanged)
        setPicker(made)
      },
      (error: unknown) => {
        if (!wanted) return
        const why = error instanceof Error ? error.message : String(error)
        world.close()
        world.store.dispatch({ type: 'ui_toast', toast: { level: 'warn', text: `The list cannot be opened: ${why}` } })
      },
    )
    return () => {
      wanted = false
      stop()
    }
  }, [])
  // What is typed before the list is there is for the list.
  useHeldKeys(picker === null, (press) => {
    if (actionOf(table, 'picker', press) !== 'close') return false
    world.close()
    return true
  })
  return picker === null ? null : <Picker picker={picker} width={width} height={height} home={home} leave="close" />
}

type World = Omit<LivePickerProps, 'width' | 'height' | 'home'>

function openPicker(
  { index, where, unsent, unreadable }: OpenStored,
  { store, control, argument, resuming, close }: World,
  table: Parameters<typeof createPicker>[0]['table'],
): PickerModel {
  const here = () => hereSessions(store.getState(), (id) => index.get(id))
  const front = focused(store.getState())
  return createPicker({
    index,
    here,
    cwd: () => focused(store.getState())?.cwd ?? '',
    table,
    after: realAfter,
    query: argument ?? '',
    unreadable,
    // Words behind a command mean sessions of all folders.
    widen: resuming && argument !== undefined,
    // Asked for before the first session is there, the list begins at the top, where that one will be.
    start: resuming ? 'stored' : front?.id,
    opens: resuming && argument !== undefined && index.get(argument) !== undefined ? argument : undefined,
    actions: {
      where,
      unsent,
      leave: close,
      async resume(id, where) {
        const refusal = await control.resumeStored(id, where)
        if (refusal === null) close()
        return refusal
      },
      async fork(id) {
        const problem = await control.fork({ id })
        if (problem === null) close()
        return problem
      },
      export: control.exportStored,
      front(id) {
        close()
        store.dispatch({ type: 'ui_focus', sessionId: id })
      },
      renamed: (id, title) => void control.rename(title, id),
    },
  })
}
