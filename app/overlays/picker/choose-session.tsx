/** `sluice --resume` without an id: the list comes first, and what is chosen in it is what the program begins with. */
import { existsSync } from 'node:fs'
import type { KeyTable } from '@sluice/permissions-ui'
import { useWindowSize } from 'ink'
import type { ReactNode } from 'react'
import type { Options } from '../../cli/args.ts'
import { UsageError } from '../../cli/usage-error.ts'
import { elsewhere, type Setup, setUp } from '../../compose/setup.ts'
import { realAfter } from '../../session/real-after.ts'
import { exportHere, type StoredSessions } from '../../session/stored-sessions.ts'
import { createPicker } from './create-picker.ts'
import { Picker } from './Picker.tsx'
import type { Picker as PickerModel } from './picker-view.ts'

export type Chosen = { options: Options; setup: Setup; notice?: string }

/** Resolves with what to begin with, or with null when the person leaves. `show` puts an element on the screen. */
export async function chooseSession(world: {
  options: Options
  setup: Setup
  stored: StoredSessions
  table: KeyTable
  show(element: ReactNode): void
  quit(): void
  /** Resolves when the screen is gone. */
  left: Promise<void>
}): Promise<Chosen | null> {
  const { options, setup, stored, table, show, quit, left } = world
  const chosen = Promise.withResolvers<Chosen>()
  const { index, where, unsent, unreadable } = await stored.open()
  const folderOf = (id: string) => index.get(id)?.cwd ?? ''
  /** `cwd` is named, so it goes on there whatever its records say. */
  const begin = async (id: string, cwd: string) => {
    const folder = cwd === '' ? setup.cwd : cwd
    const said = folder === setup.cwd ? fresh(options) : elsewhere(fresh(options))
    const own = { ...said, resume: id, cwd: folder }
    chosen.resolve({ options: own, setup: await setUp(own) })
    return null
  }
  const picker = createPicker({
    index,
    here: () => [],
    cwd: () => setup.cwd,
    table,
    after: realAfter,
    widen: true,
    unreadable,
    actions: {
      where,
      unsent,
      quit,
      leave: () => chosen.resolve({ options: fresh(options), setup, notice: anew }),
      front: () => {},
      export: (id, format) => exportHere(index, setup, id, format),
      async resume(id, where) {
        const folder = folderOf(id)
        const gone = folder !== '' && !existsSync(folder)
        const elsewhere = folder !== '' && folder !== setup.cwd
        // As with `--resume ID`: a person says in which folder it goes on.
        if (where !== 'here' && (gone || (elsewhere && where === 'asks'))) return { folder, gone }
        return begin(id, where === 'here' ? setup.cwd : folder).catch(problemOf)
      },
      async fork(id) {
        const cwd = folderOf(id)
        if (cwd !== '' && !existsSync(cwd)) return `Its folder is not there any more: ${cwd}. Resume it here instead`
        try {
          const { forkSession } = await import('../../compose/fork-session.ts')
          return await begin((await forkSession(setup.paths, id, null)).id, cwd)
        } catch (error) {
          return problemOf(error)
        }
      },
    },
  })
  show(<FullScreen picker={picker} home={setup.paths.home} />)
  return Promise.race([chosen.promise, left.then(() => null)])
}

function problemOf(error: unknown): string {
  if (error instanceof UsageError) return `${error.message} ${error.fix}`
  throw error
}

function fresh({ resume: _, ...options }: Options): Options {
  return { ...options, continue: false }
}

const anew = 'This is a new session. The stored ones are behind /sessions.'

function FullScreen(props: { picker: PickerModel; home: string }) {
  const { columns, rows } = useWindowSize()
  return <Picker width={Math.max(1, columns)} height={Math.max(1, rows)} leave="new session" {...props} />
}
