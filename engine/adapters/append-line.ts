/** Appends JSON records to a private file, one write per record; what a full disk refuses waits and is written when it can be. */
import { closeSync, fstatSync, fsync, fsyncSync, ftruncateSync, openSync, readSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { writtenInPart } from './disk-report.ts'
import { makeFolder } from './make-folder.ts'
import { whyOf } from './system-words.ts'

export interface LineAppender {
  /** Returns undefined, or what went wrong; never throws. A record that could not be written is tried again before the next. */
  append(record: unknown): string | undefined
  /** Makes what was written durable, and tries again what waits. */
  sync(): void
  /** The same without holding anything up; resolves when it is done. */
  syncLater(): Promise<void>
  close(): void
  /** Records that wait to be written. */
  readonly waiting: number
  /** Records that were given up: too many waited. */
  readonly lost: number
  /** How often the file was deleted while it was open, and written again with all that was in it. */
  readonly restored: number
  /** Records that are not in the file, and why; null while all are. */
  unsaved(): Unsaved | null
}

/** `none`: not one record is in the file. */
export type Unsaved = { records: number; why: string; none: boolean }

/**
 * `shared`: other processes append to the file too. `onLine` gets the bytes of each record, with the line feed. `onDeleted`
 * is called before a file that was deleted is made again, when its folder is there.
 */
export type AppenderOptions = { shared?: boolean; onLine?(line: Buffer): void; onDeleted?(): void }

/** A disk that stays full must not fill the memory. */
const mostWaiting = 32 * 1024 * 1024

/**
 * Opens (creates, 0600, folders 0700) the file; a torn last line is closed off so that new records stay whole. Half a line
 * that we wrote ourselves is taken back, unless others append to the file.
 */
export function openAppender(path: string, options: AppenderOptions = {}): LineAppender {
  let fd: number | undefined
  let needsNewline = false
  let dirty = false
  let fresh = false
  const waiting: Buffer[] = []
  let waitingBytes = 0
  let lost = 0
  let restored = 0
  let why = ''

  const open = (): number => {
    if (fd !== undefined) return fd
    makeFolder(dirname(path))
    // 'a+' so that the last byte can be looked at.
    const opened = openSync(path, 'a+', 0o600)
    fd = opened
    const { size } = fstatSync(opened)
    fresh = size === 0
    needsNewline = size > 0 && !endsLine(opened, size)
    return opened
  }

  /** It is opened by its name next time: a disk that went away and came back knows the old descriptor no more. */
  const letGo = (): void => {
    try {
      if (fd !== undefined) closeSync(fd)
    } catch {
      // There is nothing to close any more.
    }
    fd = undefined
  }

  /** What was deleted under its name is still there as long as it is open. */
  const restore = (deleted: number): number => {
    fd = undefined
    try {
      makeFolder(dirname(path))
      options.onDeleted?.()
      const target = open()
      // Somebody may have put a copy of it there, from before the last records. What else is there stays as it is.
      if (!options.shared && isBeginning(target, deleted)) {
        copyRest(deleted, target, path)
        restored++
        needsNewline = !endsWhole(target)
      }
      closeSync(deleted)
      return target
    } catch (error) {
      letGo()
      fd = deleted
      throw error
    }
  }

  const write = (line: Buffer): void => {
    const opened = open()
    const target = isDeleted(opened, path) ? restore(opened) : opened
    const whole = needsNewline ? Buffer.concat([newline, line]) : line
    dirty = true
    const written = writeSync(target, whole)
    // Until the whole line is known to be there, the file ends in half of one.
    needsNewline = true
    if (written < whole.length) {
      if (!options.shared) takeBack(target, written)
      throw writtenInPart(path)
    }
    needsNewline = false
  }

  const takeBack = (target: number, written: number): void => {
    try {
      const size = fstatSync(target).size - written
      ftruncateSync(target, size)
      needsNewline = size > 0 && !endsLine(target, size)
    } catch {
      // The half line stays, and the next record begins on a line of its own.
    }
  }

  const writeWaiting = (): void => {
    try {
      for (let line = waiting[0]; line; line = waiting[0]) {
        write(line)
        waiting.shift()
        waitingBytes -= line.length
      }
    } catch (error) {
      why = whyOf(error)
      if (!isFull(error) && fd !== undefined && !isDeleted(fd, path)) letGo()
      throw error
    }
  }

  return {
    get waiting() {
      return waiting.length
    },
    get lost() {
      return lost
    },
    get restored() {
      return restored
    },
    unsaved() {
      const records = waiting.length + lost
      return records === 0 ? null : { records, why, none: sizeOf(path) === 0 }
    },
    append(record) {
      let line: Buffer
      try {
        line = Buffer.from(`${JSON.stringify(record)}\n`)
      } catch (error) {
        lost++
        why = whyOf(error)
        return `a record could not be written: ${messageOf(error)}`
      }
      options.onLine?.(line)
      waiting.push(line)
      waitingBytes += line.length
      try {
        writeWaiting()
        return undefined
      } catch (error) {
        while (waitingBytes > mostWaiting) {
          waitingBytes -= waiting.shift()?.length ?? 0
          lost++
        }
        return `${path} could not be written: ${messageOf(error)}`
      }
    },
    sync() {
      try {
        writeWaiting()
      } catch {
        // Told when the record came.
      }
      if (fd === undefined || !dirty) return
      dirty = false
      try {
        fsyncSync(fd)
        if (fresh) syncFolder(dirname(path))
        fresh = false
      } catch {
        // Some file systems cannot; the bytes are with the kernel, which is what an append promises.
      }
    },
    syncLater() {
      try {
        writeWaiting()
      } catch {
        // Told when the record came.
      }
      const file = fd
      if (file === undefined || !dirty) return Promise.resolve()
      dirty = false
      const folder = fresh ? dirname(path) : null
      fresh = false
      return new Promise((resolve) =>
        fsync(file, () => {
          try {
            if (folder !== null) syncFolder(folder)
          } catch {
            // As above: some file systems cannot.
          }
          resolve()
        }),
      )
    },
    close() {
      try {
        writeWaiting()
      } catch {
        // Told when the record came.
      }
      letGo()
    },
  }
}

const newline = Buffer.from('\n')

function endsLine(fd: number, size: number): boolean {
  const last = new Uint8Array(1)
  readSync(fd, last, 0, 1, size - 1)
  return last[0] === 10
}

/** A new file is only there after a power cut when its name is. */
function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Some file systems count no names: then the name itself is asked. */
function isDeleted(fd: number, path: string): boolean {
  try {
    const { nlink, ino, dev } = fstatSync(fd)
    if (nlink > 0) return false
    const named = statSync(path, { throwIfNoEntry: false })
    return named === undefined || named.ino !== ino || named.dev !== dev
  } catch {
    return false
  }
}

/** False also where all of it is there. */
function isBeginning(part: number, whole: number): boolean {
  const { size } = fstatSync(part)
  if (size >= fstatSync(whole).size) return false
  const [one, other] = [Buffer.allocUnsafe(pieceSize), Buffer.allocUnsafe(pieceSize)]
  for (let at = 0; at < size; ) {
    const length = Math.min(pieceSize, size - at)
    const read = Math.min(readSync(part, one, 0, length, at), readSync(whole, other, 0, length, at))
    if (read === 0 || one.compare(other, 0, read, 0, read) !== 0) return false
    at += read
  }
  return true
}

/** All that is missing at the end, or nothing. */
function copyRest(from: number, to: number, path: string): void {
  const { size } = fstatSync(to)
  const piece = Buffer.allocUnsafe(pieceSize)
  try {
    for (let at = size; ; ) {
      const read = readSync(from, piece, 0, piece.length, at)
      if (read === 0) return
      if (writeSync(to, piece, 0, read) < read) throw writtenInPart(path)
      at += read
    }
  } catch (error) {
    ftruncateSync(to, size)
    throw error
  }
}

const pieceSize = 1 << 20

function endsWhole(fd: number): boolean {
  const { size } = fstatSync(fd)
  return size === 0 || endsLine(fd, size)
}

function isFull(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOSPC' || code === 'EDQUOT'
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function sizeOf(path: string): number {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size ?? 0
  } catch {
    return 0
  }
}
