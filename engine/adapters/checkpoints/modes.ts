/** Permissions other than git's own two, by path: kept beside the repository, since its trees have no room for them. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'

export interface Modes {
  /** As seen last. */
  known(): ReadonlyMap<string, number>
  note(path: string, mode: number): void
  /** Nothing where all that was noted is there already. */
  save(): void
  /** What is in the file counts again. */
  forget(): void
}

/** `file` is one session's own. */
export function openModes(file: string): Modes {
  let modes: Map<string, number> | undefined
  let saved = true
  function all(): Map<string, number> {
    if (modes) return modes
    try {
      modes = new Map(Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>))
    } catch {
      modes = new Map()
    }
    return modes
  }
  return {
    known: all,
    note(path, mode) {
      const told = mode === 0o644 || mode === 0o755 ? undefined : mode
      if (all().get(path) === told) return
      saved = false
      if (told === undefined) all().delete(path)
      else all().set(path, told)
    },
    save() {
      if (saved) return
      // As a whole: half of it would count as nothing known.
      const temporary = `${file}.tmp`
      writeFileSync(temporary, JSON.stringify(Object.fromEntries(all())), { mode: 0o600 })
      renameSync(temporary, file)
      saved = true
    },
    forget() {
      modes = undefined
      saved = true
    },
  }
}
