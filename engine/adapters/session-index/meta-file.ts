/** What a person set on a session, in `meta.json` beside its records: it outlives the index. */
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { writtenInPart } from '../disk-report.ts'
import { readAtOnce } from '../read-at-once.ts'
import type { SetByPerson } from './fold.ts'

export const metaName = 'meta.json'

/** Nothing set where there is no file or it cannot be read. */
export function readMeta(folder: string): SetByPerson {
  const { title, titledAt, pinned, tags } = content(folder).known
  return {
    title: typeof title === 'string' && title !== '' ? title : undefined,
    titledAt: typeof titledAt === 'string' ? titledAt : undefined,
    pinned: pinned === true,
    tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [],
  }
}

/** True when there is such a file and nothing can be made of it. */
export function isMetaDamaged(folder: string): boolean {
  return content(folder).damaged
}

/** Moves a damaged file out of the way; where it is then, or null when nothing was damaged. Throws the system's error. */
export function moveDamagedMeta(folder: string): string | null {
  if (!isMetaDamaged(folder)) return null
  const path = freeName(folder)
  renameSync(join(folder, metaName), path)
  return path
}

/** Replaces the file as a whole; fields that it does not know stay. Throws the system's error. */
export function writeMeta(folder: string, change: Partial<SetByPerson>): SetByPerson {
  const { known, damaged } = content(folder)
  // What could not be read is kept for a person to look at.
  if (damaged) moveDamagedMeta(folder)
  const next: Record<string, unknown> = { ...known, ...change }
  if (next.title === '') {
    delete next.title
    delete next.titledAt
  }
  replace(join(folder, metaName), `${JSON.stringify(next, null, 2)}\n`)
  return readMeta(folder)
}

function content(folder: string): { known: Record<string, unknown>; damaged: boolean } {
  let text: string
  // Most sessions have none, and an error costs more than this question.
  if (!existsSync(join(folder, metaName))) return { known: {}, damaged: false }
  try {
    text = readAtOnce(join(folder, metaName))
  } catch (error) {
    return { known: {}, damaged: (error as NodeJS.ErrnoException).code !== 'ENOENT' }
  }
  try {
    const value: unknown = JSON.parse(text)
    if (value !== null && typeof value === 'object' && !Array.isArray(value))
      return { known: value as Record<string, unknown>, damaged: false }
  } catch {
    // Said by the result.
  }
  return { known: {}, damaged: true }
}

function freeName(folder: string): string {
  return join(folder, `meta.damaged-${process.pid}-${process.hrtime.bigint().toString(36)}.json`)
}

/** At once, since a key waits for it; the same steps as `replaceFile`. */
function replace(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.${process.hrtime.bigint().toString(36)}.tmp`
  try {
    const file = openSync(temporary, 'wx', 0o600)
    try {
      const bytes = Buffer.from(text)
      if (writeSync(file, bytes) !== bytes.length) throw writtenInPart(path)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}
