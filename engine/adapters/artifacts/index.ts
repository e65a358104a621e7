/** Session files outside the project: spilled outputs, private (0600) and never overwritten. */
import { randomBytes } from 'node:crypto'
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { ArtifactStore } from '../../ports/index.ts'

export function createArtifacts(folder: string): ArtifactStore {
  return {
    create(name) {
      const safe = name.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 60) || 'artifact'
      const path = join(folder, `${randomBytes(5).toString('hex')}-${safe}`)
      let fd: number | undefined
      let failed: string | undefined
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        fd = openSync(path, 'wx', 0o600)
      } catch (error) {
        failed = error instanceof Error ? error.message : String(error)
      }
      return {
        path,
        get failed() {
          return failed
        },
        write(data) {
          if (fd === undefined || failed !== undefined) return
          try {
            let bytes = typeof data === 'string' ? Buffer.from(data) : data
            while (bytes.length > 0) bytes = bytes.subarray(writeSync(fd, bytes))
          } catch (error) {
            failed = error instanceof Error ? error.message : String(error)
          }
        },
        close() {
          if (fd !== undefined) closeSync(fd)
          fd = undefined
        },
      }
    },
  }
}
