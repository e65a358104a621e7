/** Why a file could not be brought into an earlier state as things are now, before anything is done. */
import { constants } from 'node:fs'
import { access, lstat, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { PlannedRestore } from '../../ports/index.ts'
import { isFolder } from '../../session/rewind-plan.ts'
import type { Blobs } from './blobs.ts'

export const noPaths: ReadonlySet<string> = new Set()

/** A sentence for each path that could not be restored, when all of these are. */
export async function findObstacles(plans: readonly PlannedRestore[], blobs: Blobs): Promise<Map<string, string>> {
  const leaving = new Set(plans.flatMap(({ path, to }) => (to.kind === 'absent' || isFolder(to) ? [path] : [])))
  const found = new Map<string, string>()
  const known = new Map<string, Promise<string | null>>()
  for (const { path, now, to } of plans) {
    const folder = dirname(path)
    const above = known.get(folder) ?? problemAbove(folder, leaving)
    known.set(folder, above)
    const occupied = isFolder(now) && !(await holdsOnly(path, leaving, { left: mostInside }))
    const problem =
      (await above) ??
      // What it holds cannot be kept first.
      (now.kind === 'other' && !isFolder(now) ? `it is ${now.what} now` : null) ??
      (to.kind === 'file' && !blobs.has(to.hash, to.size) ? 'its earlier content is not there any more' : null) ??
      (occupied && to.kind !== 'other' ? 'a folder with other files stands there now' : null)
    if (problem !== null) found.set(path, problem)
  }
  return found
}

const mostInside = 10_000

/** Nothing may be written through a link that took the place of a folder: it would land elsewhere. `leaving` will be gone. */
export async function problemAbove(folder: string, leaving: ReadonlySet<string>): Promise<string | null> {
  let lowest = true
  for (let at = folder; ; at = dirname(at)) {
    const stat = await lstat(at).catch((error: NodeJS.ErrnoException) => {
      return error.code === 'ENOENT' || error.code === 'ENOTDIR' ? null : undefined
    })
    if (stat === undefined) return 'its folder cannot be looked into'
    if (stat !== null && !leaving.has(at)) {
      if (stat.isSymbolicLink()) return 'its folder leads somewhere else now'
      if (!stat.isDirectory()) return 'a file stands where its folder was'
      if (lowest && !(await writable(at))) return 'its folder cannot be written to'
      lowest = false
    }
    if (dirname(at) === at) return null
  }
}

async function holdsOnly(folder: string, leaving: ReadonlySet<string>, room: { left: number }): Promise<boolean> {
  const inside = await readdir(folder, { withFileTypes: true }).catch(() => null)
  room.left -= inside?.length ?? mostInside
  if (inside === null || room.left < 0) return false
  for (const one of inside) {
    const path = join(folder, one.name)
    if (!leaving.has(path) && !(one.isDirectory() && (await holdsOnly(path, leaving, room)))) return false
  }
  return true
}

async function writable(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK).then(
    () => true,
    () => false,
  )
}
