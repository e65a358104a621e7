/** Reads a range of lines from a file of any size without holding more than the range. */
import type { FileHandle } from 'node:fs/promises'
import { ToolFailure } from '@sluice/engine/ports'
import { binaryKind } from '../shared/binary-kind.ts'
import { longestLine, type NumberedLines, numberedLines } from './numbered.ts'

export type Range = {
  numbered: NumberedLines
  /** The file ended within the range; `lastLine` is its number of lines then. */
  ended: boolean
  lastLine: number
  /** The result had no room for all of the range. */
  full: boolean
}

/** Lines `first` to `first + limit - 1`. Null for binary data. Bytes that are no UTF-8 become U+FFFD. */
export async function readRange(
  handle: FileHandle,
  first: number,
  limit: number,
  signal: AbortSignal,
): Promise<Range | null> {
  const numbered = numberedLines(first)
  const decoder = new TextDecoder('utf-8')
  const buffer = Buffer.allocUnsafe(256 * 1024)
  const line = openLine()
  let current = 1
  let position = 0
  const done = (ended: boolean, full = false): Range => ({ numbered, ended, lastLine: current - 1, full })
  const finish = (): boolean => {
    if (current >= first) {
      const { head, length } = line.take()
      if (!numbered.add(head, length)) return false
    }
    current++
    return true
  }
  for (;;) {
    if (signal.aborted) throw new ToolFailure('Reading was interrupted.', 'USER_ABORTED')
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position)
    const chunk = buffer.subarray(0, bytesRead)
    if (position === 0 && binaryKind(chunk) !== null) return null
    position += bytesRead
    const text = bytesRead === 0 ? decoder.decode() : decoder.decode(chunk, { stream: true })
    for (let from = 0; from < text.length; ) {
      const newline = text.indexOf('\n', from)
      if (current >= first) line.append(newline < 0 ? text.slice(from) : text.slice(from, newline))
      if (newline < 0) {
        line.open = true
        break
      }
      from = newline + 1
      line.open = false
      if (!finish()) return done(false, true)
      if (numbered.lines.length === limit) return done(false)
    }
    if (bytesRead > 0) continue
    if (line.open && !finish()) return done(false, true)
    return done(true)
  }
}

/** The line that is being read: its beginning and its length, never all of a very long one. */
function openLine(): { open: boolean; append(text: string): void; take(): { head: string; length: number } } {
  let head = ''
  let length = 0
  return {
    open: false,
    append(text) {
      if (head.length <= longestLine) head += text.slice(0, longestLine + 1)
      length += text.length
    },
    take() {
      const taken = head.length === length && head.endsWith('\r') ? head.slice(0, -1) : head
      const cut = head.length - taken.length
      const result = { head: taken, length: length - cut }
      head = ''
      length = 0
      return result
    },
  }
}
