/** The rewind that is being done, in a file that goes when it is done: what a killed process leaves of it is known to the next. */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { PendingRewind } from '../../ports/index.ts'
import { writtenInPart } from '../disk-report.ts'
import { makeFolder } from '../make-folder.ts'
import { removeHalfWritten } from './half-written.ts'

export function openPendingRewind(path: string) {
  /** It was begun here, and not by a process that was killed. */
  let ours = false

  function read(): PendingRewind | null {
    try {
      const value = JSON.parse(readFileSync(path, 'utf8')) as PendingRewind & { v: number }
      const whole = value.v === 1 && Array.isArray(value.effects?.files) && typeof value.rewound?.id === 'string'
      return whole ? { effects: value.effects, rewound: value.rewound, folders: value.folders ?? {} } : null
    } catch {
      return null
    }
  }

  return {
    read,
    /** Returns what went wrong, or undefined. */
    write(rewind: PendingRewind): string | undefined {
      const temporary = `${path}.tmp`
      try {
        makeFolder(dirname(path))
        const file = openSync(temporary, 'w', 0o600)
        try {
          const bytes = Buffer.from(JSON.stringify({ v: 1, ...rewind }))
          const written = writeSync(file, bytes)
          if (written < bytes.length) throw writtenInPart(path)
          fsyncSync(file)
        } finally {
          closeSync(file)
        }
        renameSync(temporary, path)
        ours = true
        return undefined
      } catch (error) {
        return error instanceof Error ? error.message : String(error)
      }
    },
    /** With what a killed process had half written. */
    remove(): void {
      if (!ours) removeHalfWritten(read()?.effects.files.map((file) => file.path) ?? [])
      ours = false
      try {
        rmSync(path, { force: true })
      } catch {
        // What it says is compared with the records when it is read.
      }
    },
  }
}
