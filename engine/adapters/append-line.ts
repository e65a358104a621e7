/** Appends JSON records to a private file, one write per record, so that a crash or a full disk costs at most one line. */
import { closeSync, fstatSync, fsyncSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

export interface LineAppender {
  /** Returns undefined, or what went wrong; never throws. A later record may succeed again. */
  append(record: unknown): string | undefined
  /** Makes what was written durable. */
  sync(): void
  close(): void
}

/** Opens (creates, 0600, folders 0700) the file; a torn last line is closed off so that new records stay whole. */
export function openAppender(path: string): LineAppender {
  let fd: number | undefined
  let needsNewline = false
  let dirty = false

  const open = (): number => {
    if (fd !== undefined) return fd
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    // 'a+' so that the last byte can be looked at.
    fd = openSync(path, 'a+', 0o600)
    const { size } = fstatSync(fd)
    if (size > 0) {
      const last = new Uint8Array(1)
      readSync(fd, last, 0, 1, size - 1)
      needsNewline = last[0] !== 10
    }
    return fd
  }

  return {
    append(record) {
      try {
        const target = open()
        const line = Buffer.from(`${needsNewline ? '\n' : ''}${JSON.stringify(record)}\n`)
        // Until the whole line is known to be there, the file may end in half of one.
        needsNewline = true
        dirty = true
        const written = writeSync(target, line)
        if (written !== line.length)
          return `only ${written} of ${line.length} bytes could be written to ${path} (is the disk full?)`
        needsNewline = false
        return undefined
      } catch (error) {
        return `${path} could not be written: ${error instanceof Error ? error.message : String(error)}`
      }
    },
    sync() {
      if (fd === undefined || !dirty) return
      dirty = false
      try {
        fsyncSync(fd)
      } catch {
        // Some file systems cannot; the bytes are with the kernel, which is what an append promises.
      }
    },
    close() {
      if (fd === undefined) return
      closeSync(fd)
      fd = undefined
    },
  }
}
