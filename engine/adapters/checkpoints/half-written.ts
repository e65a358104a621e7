/** The names under which files are written before they take their place, and their removal where a process was killed in between. */
import { randomBytes } from 'node:crypto'
import { readdirSync, realpathSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Beside the file. No other program gives such a name. */
export function halfWrittenName(path: string): string {
  return join(dirname(path), `${beginning(path)}${randomBytes(8).toString('hex')}.rewind.tmp`)
}

/** Of these files, in folders that are still where they were. */
export function removeHalfWritten(paths: readonly string[]): void {
  const byFolder = Map.groupBy(paths, dirname)
  for (const [folder, files] of byFolder) {
    try {
      if (realpathSync(folder) !== folder) continue
      const beginnings = new Set(files.map(beginning))
      for (const name of readdirSync(folder)) {
        const found = /^(\..+\.)[0-9a-f]{16}\.rewind\.tmp$/s.exec(name)?.[1]
        if (found !== undefined && beginnings.has(found)) rmSync(join(folder, name))
      }
    } catch {
      // The folder is not there any more, or not for us to change.
    }
  }
}

function beginning(path: string): string {
  return `.${basename(path).slice(0, 60)}.`
}
