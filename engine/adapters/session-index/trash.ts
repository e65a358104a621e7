/** Deleted sessions wait in `trash/ID` beside `sessions`, whole, until somebody empties it. */
import { existsSync, lstatSync, readdirSync, renameSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../make-folder.ts'

export const trashName = 'trash'

/** `at` (ms since 1970) becomes the folder's time: it says since when it lies there. Throws the system's error. */
export function moveToTrash(stateFolder: string, sessionsDir: string, id: string, at: number): void {
  refuseOtherPlaces(id)
  const trash = join(stateFolder, trashName)
  makeFolder(trash)
  const target = join(trash, id)
  // A session of that id was deleted before: both are kept.
  if (existsSync(target)) renameSync(target, freeName(target))
  renameSync(join(sessionsDir, id), target)
  utimesSync(target, at / 1000, at / 1000)
}

/** A session of that id is in the way. */
export class IdTaken extends Error {}

/** `name` is that of its folder in the trash. Returns the id; throws IdTaken, and the system's error. */
export function takeFromTrash(stateFolder: string, sessionsDir: string, name: string): string {
  refuseOtherPlaces(name)
  const id = idOfTrashed(name)
  const target = join(sessionsDir, id)
  const source = join(stateFolder, trashName, name)
  if (existsSync(source) && existsSync(target))
    throw new IdTaken(`There is another session ${id}; the deleted one stays in the trash.`)
  renameSync(source, target)
  return id
}

/** One that was there when another session of its id was deleted has a number behind it. */
export function idOfTrashed(name: string): string {
  return name.replace(/\.\d+$/, '')
}

export type Trashed = { id: string; folder: string; since: number }

export function listTrash(stateFolder: string): Trashed[] {
  const trash = join(stateFolder, trashName)
  try {
    return readdirSync(trash).flatMap((id) => {
      const folder = join(trash, id)
      const since = folderTime(folder)
      return since === null ? [] : [{ id, folder, since }]
    })
  } catch {
    return []
  }
}

/** Null for what is no folder, or cannot be looked at. */
function folderTime(folder: string): number | null {
  try {
    const stat = lstatSync(folder)
    return stat.isDirectory() ? stat.mtimeMs : null
  } catch {
    return null
  }
}

/** Ids may come from a command line, and name folders here and nowhere else. */
function refuseOtherPlaces(id: string): void {
  if (/[\\/\0]/.test(id) || id === '' || id === '.' || id === '..') throw new Error(`"${id}" is no id of a session.`)
}

function freeName(target: string): string {
  for (let n = 2; ; n++) if (!existsSync(`${target}.${n}`)) return `${target}.${n}`
}

/** Of all files below; what cannot be looked at counts nothing. */
export function folderBytes(folder: string): number {
  let bytes = 0
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      bytes += entry.isDirectory() ? folderBytes(path) : lstatSync(path).size
    }
  } catch {
    // It is gone, or not ours.
  }
  return bytes
}

/** Nothing brings it back after this. Throws the system's error. */
export function eraseTrashed({ folder }: Trashed): void {
  rmSync(folder, { recursive: true, force: true })
}
