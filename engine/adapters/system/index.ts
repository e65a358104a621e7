/** Real time, real timers, random ids and sha256 from Node. */
import { createHash } from 'node:crypto'
import type { Clock, Digest } from '../../ports/index.ts'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

export const systemClock: Clock = {
  timestamp: () => new Date().toISOString(),
  monotonic: () => performance.now(),
  id: (prefix) => `${prefix}_${randomWord(12)}`,
  random: () => Math.random(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

export const systemDigest: Digest = { sha256: (data) => createHash('sha256').update(data).digest('hex') }

/**
 * `length` characters of 5 random bits each; no letters that are easily confused. Ids must be unique, not secret, so the
 * engine's own generator will do: loading crypto for the first of them would cost the first frame.
 */
function randomWord(length: number): string {
  let word = ''
  for (let i = 0; i < length; i++) word += alphabet[Math.floor(Math.random() * alphabet.length)]
  return word
}
