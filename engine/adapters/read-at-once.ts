/** Reads a small file that anybody may have put there, and never waits: of a pipe there is nothing to read. */
import { constants, readFileSync } from 'node:fs'

export function readAtOnce(path: string): string {
  return readFileSync(path, { encoding: 'utf8', flag: constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) })
}
