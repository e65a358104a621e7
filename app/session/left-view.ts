/** What a person had before them when a session was closed: the place in its transcript, and words not yet sent. */
import { constants, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Left } from '../screen/index.ts'

const fileName = 'view.json'
/** What is no file, a pipe say, keeps nobody waiting. */
const atOnce = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/**
 * Empty where nothing was left, or nothing that can be read: then the session begins at its end. Checked by hand, since it
 * is read before the first frame.
 */
export function readLeftView(sessionFolder: string): Left {
  try {
    const { v, place, draft } = JSON.parse(
      readFileSync(join(sessionFolder, fileName), { encoding: 'utf8', flag: atOnce }),
    )
    if (v !== 1) return {}
    return { ...(isPlace(place) ? { place } : {}), ...(isDraft(draft) ? { draft } : {}) }
  } catch {
    return {}
  }
}

/**
 * Whole or not at all; at once, since the process may be ending. False where it could not be written: a session whose
 * folder is gone, or whose disk stays full, loses its view.
 */
export function writeLeftView(sessionFolder: string, view: Left): boolean {
  const path = join(sessionFolder, fileName)
  const temporary = `${path}.tmp`
  try {
    if (view.place === undefined && view.draft === undefined) {
      rmSync(path, { force: true })
      return true
    }
    writeFileSync(temporary, JSON.stringify({ v: 1, ...view }), { mode: 0o600 })
    renameSync(temporary, path)
    return true
  } catch {
    // Nothing else depends on it, and half of it is of no use.
    try {
      rmSync(temporary, { force: true })
    } catch {
      // A disk that went away.
    }
    return false
  }
}

function isPlace(given: unknown): given is NonNullable<Left['place']> {
  if (!isObject(given)) return false
  return typeof given.entry === 'string' && Number.isInteger(given.row) && Number(given.row) >= 0
}

function isDraft(given: unknown): given is NonNullable<Left['draft']> {
  if (!isObject(given) || typeof given.text !== 'string') return false
  const { pastes = {} } = given
  return isObject(pastes) && Object.values(pastes).every((text) => typeof text === 'string')
}

function isObject(given: unknown): given is Record<string, unknown> {
  return typeof given === 'object' && given !== null
}
