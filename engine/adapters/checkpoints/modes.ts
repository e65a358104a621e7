/** Permissions other than git's own two, by path: kept beside the repository, since its trees have no room for them. */
import { readFileSync, writeFileSync } from 'node:fs'

export interface Modes {
  /** As seen last. */
  known(): ReadonlyMap<string, number>
  note(path: string, mode: number): void
  save(): void
  /** They went away with the repository. */
  forget(): void
}

export function openModes(file: string): Modes {
  let modes: Map<string, number> | undefined
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
      if (mode === 0o644 || mode === 0o755) all().delete(path)
      else all().set(path, mode)
    },
    save: () => writeFileSync(file, JSON.stringify(Object.fromEntries(all())), { mode: 0o600 }),
    forget() {
      modes = undefined
    },
  }
}
