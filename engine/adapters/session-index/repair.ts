/** Makes a transcript whole again: damaged lines move into a file of their own, and not one byte is lost. */
import { closeSync, existsSync, fsyncSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { writtenInPart } from '../disk-report.ts'
import { transcriptName } from '../stored-transcript.ts'
import { parse } from './records.ts'

export { moveDamagedMeta as repairSettings } from './meta-file.ts'

export type Repaired = {
  /** Lines that are records. */
  kept: number
  moved: number
  movedBytes: number
  /** Where they are; null when there were none. */
  damagedFile: string | null
}

/**
 * Nobody may write to the session meanwhile. The transcript is replaced as a whole or not at all; `change` false only
 * looks. Throws the system's error.
 */
export function repairTranscript(folder: string, change = true): Repaired {
  const path = join(folder, transcriptName)
  const damagedFile = freeName(folder)
  const temporary = join(folder, `.${transcriptName}.${process.pid}.tmp`)
  const result: Repaired = { kept: 0, moved: 0, movedBytes: 0, damagedFile: null }
  const whole = change ? openOutput(temporary) : nowhere
  let damaged = nowhere
  try {
    for (const line of linesOf(path)) {
      const { good, bad } = divide(line)
      if (bad.length > 0) {
        if (damaged === nowhere && change) damaged = openOutput(damagedFile)
        damaged.write(bad)
        result.moved++
        result.movedBytes += bad.length
        result.damagedFile = damagedFile
      }
      whole.write(good)
      if (good.length > 1) result.kept++
    }
    // First what was taken out, then what is left of it: a crash in between costs nothing.
    damaged.close()
    whole.close()
    if (change && result.moved > 0) renameSync(temporary, path)
    return result
  } finally {
    damaged.close()
    whole.close()
    rmSync(temporary, { force: true })
  }
}

/** With line feeds, the last line possibly without one. */
function* linesOf(path: string): Iterable<Buffer> {
  const file = openSync(path, 'r')
  try {
    let rest: Buffer[] = []
    for (;;) {
      const piece = Buffer.allocUnsafe(pieceBytes)
      const length = readSync(file, piece, 0, piece.length, null)
      if (length === 0) break
      let from = 0
      for (let to = piece.subarray(0, length).indexOf(10); to >= 0; to = piece.subarray(0, length).indexOf(10, from)) {
        yield Buffer.concat([...rest, piece.subarray(from, to + 1)])
        rest = []
        from = to + 1
      }
      if (from < length) rest.push(piece.subarray(from, length))
    }
    if (rest.length > 0) yield Buffer.concat(rest)
  } finally {
    closeSync(file)
  }
}

/** Behind damage on the same line a whole record may follow. Blank lines are neither. */
function divide(line: Buffer): { good: Buffer; bad: Buffer } {
  const ended = line[line.length - 1] === 10 ? line : Buffer.concat([line, Buffer.from('\n')])
  if (ended.toString('latin1').trim() === '' || parse(ended) !== undefined) return { good: ended, bad: nothing }
  const start = ended.lastIndexOf(recordStart)
  if (start > 0 && parse(ended.subarray(start)) !== undefined) {
    return { good: ended.subarray(start), bad: Buffer.concat([ended.subarray(0, start), Buffer.from('\n')]) }
  }
  return { good: nothing, bad: ended }
}

const recordStart = '{"v":'
const nothing = Buffer.alloc(0)
const pieceBytes = 1 << 20

type Output = { write(bytes: Buffer): void; close(): void }

const nowhere: Output = { write() {}, close() {} }

function openOutput(path: string): Output {
  const file = openSync(path, 'wx', 0o600)
  let open = true
  let held: Buffer[] = []
  let size = 0
  const flush = () => {
    const bytes = Buffer.concat(held)
    if (bytes.length > 0 && writeSync(file, bytes) !== bytes.length) throw writtenInPart(path)
    held = []
    size = 0
  }
  return {
    write(bytes) {
      held.push(bytes)
      size += bytes.length
      if (size > pieceBytes) flush()
    },
    close() {
      if (!open) return
      open = false
      try {
        flush()
        fsyncSync(file)
      } finally {
        closeSync(file)
      }
    },
  }
}

function freeName(folder: string): string {
  for (let n = 1; ; n++) {
    const path = join(folder, `transcript.damaged-${n}.jsonl`)
    if (!existsSync(path)) return path
  }
}
