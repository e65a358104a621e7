/** The prompts of one folder in a file: one JSON value a line, private, and cut back when it has grown. */
import { appendFileSync, chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { HistoryEntry, HistoryStore } from './history.ts'

/**
 * `path` is the file of this folder; it and its parents are made when the first prompt is kept. Lines that are no entry are
 * passed over. `onProblem` hears once when nothing can be written; the session goes on without.
 */
export function historyFile(path: string, onProblem: (message: string) => void = () => {}): HistoryStore {
  let failed = false
  return {
    load() {
      let lines: string[]
      try {
        lines = readFileSync(path, 'utf8').split('\n')
      } catch {
        return []
      }
      const entries = lines.flatMap(readEntry)
      if (entries.length > mostEntries * 1.5) shorten(path, entries.slice(-mostEntries))
      return entries.slice(-mostEntries)
    },
    append(entry) {
      const line = JSON.stringify(entry)
      // A prompt of megabytes is found again in its session; here it would slow every start.
      if (failed || line.length > longestLine) return
      try {
        // The state folder is there by now; where it can't be, a recursive mkdir would never come back on some file systems.
        makeOne(dirname(path))
        appendFileSync(path, `${line}\n`, { mode: 0o600 })
      } catch (error) {
        failed = true
        onProblem(`prompts are not kept for later: ${error instanceof Error ? error.message : String(error)}`)
      }
    },
  }
}

function makeOne(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function readEntry(line: string): HistoryEntry[] {
  if (line === '') return []
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value !== 'object' || value === null || !('text' in value) || typeof value.text !== 'string') return []
    const entry: HistoryEntry = { text: value.text }
    if ('pastes' in value && typeof value.pastes === 'object' && value.pastes !== null) {
      const pastes = Object.entries(value.pastes).filter(([, text]) => typeof text === 'string')
      if (pastes.length > 0) entry.pastes = Object.fromEntries(pastes)
    }
    return [entry]
  } catch {
    return []
  }
}

/** Another process may append meanwhile; a prompt lost in that moment is a fair price for a short file. */
function shorten(path: string, entries: HistoryEntry[]): void {
  const next = `${path}.${process.pid}`
  try {
    writeFileSync(next, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''), { mode: 0o600 })
    chmodSync(next, 0o600)
    renameSync(next, path)
  } catch {
    // It stays long; reading it still works.
  }
}

const mostEntries = 2000
const longestLine = 256 * 1024
