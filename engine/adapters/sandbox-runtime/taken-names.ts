/** Empty folders that keep names of the workspace free while commands run; shared by the sluices of this machine. */
import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder as makeStateFolder } from '../make-folder.ts'
import { isAlive } from '../process-identity.ts'

/** How many commands of this process need a folder, by path. */
const needed = new Map<string, { commands: number; marks: string }>()
let atExit = false

/**
 * Makes a folder at each of `paths`, or joins in where another sluice has made one; the answer gives them up again. The last one that
 * needs a folder removes it: a folder that is removed under a command's walls protects nothing any more, so each process
 * leaves a mark of its own in the folder `marks` for as long as it needs one. What a killed one left goes with the next.
 */
export function takeNames(paths: readonly string[], marks: string): () => void {
  if (!atExit) {
    atExit = true
    process.on('exit', () => {
      for (const path of [...needed.keys()]) giveUp(path, Number.POSITIVE_INFINITY)
    })
  }
  const taken = paths.filter((path) => take(path, marks))
  let open = true
  return () => {
    if (open) for (const path of taken) giveUp(path, 1)
    open = false
  }
}

/**
 * False where no folder can be made, as in a read-only workspace where a command can make nothing either, and where one
 * is that nobody marked: that is the person's own, and stays.
 */
function take(path: string, marks: string): boolean {
  const before = needed.get(path)
  if (before) {
    before.commands++
    return true
  }
  const mark = join(marks, markOf(path, process.pid))
  try {
    makeStateFolder(marks)
    const marked = marksOf(path, marks).length > 0
    // The mark comes first: whoever sees the folder sees whose it is.
    writeFileSync(mark, path, { mode: 0o600 })
    if (!makeFolder(path) && !marked) throw new Error('it is not ours')
  } catch {
    rmSync(mark, { force: true })
    return false
  }
  needed.set(path, { commands: 1, marks })
  return true
}

/** False where there is one already. */
function makeFolder(path: string): boolean {
  try {
    mkdirSync(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && lstatSync(path).isDirectory()) return false
    throw error
  }
}

function giveUp(path: string, commands: number): void {
  const now = needed.get(path)
  if (!now) return
  now.commands -= commands
  if (now.commands > 0) return
  needed.delete(path)
  try {
    rmSync(join(now.marks, markOf(path, process.pid)), { force: true })
    if (!isNeededElsewhere(path, now.marks)) rmdirSync(path)
  } catch {
    // Somebody has put something into it from outside, or it is gone.
  }
}

function isNeededElsewhere(path: string, marks: string): boolean {
  return marksOf(path, marks).some((name) => {
    if (isAlive(Number(name.slice(name.lastIndexOf('.') + 1)))) return true
    rmSync(join(marks, name), { force: true })
    return false
  })
}

function marksOf(path: string, marks: string): string[] {
  return readdirSync(marks).filter((name) => name.startsWith(markOf(path, '')))
}

function markOf(path: string, pid: number | string): string {
  return `${createHash('sha256').update(path).digest('hex').slice(0, 24)}.${pid}`
}
