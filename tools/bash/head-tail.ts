/** Keeps the beginning and the end of a text of any length. */

export type HeadTail = {
  append(text: string): void
  /** The text, or its two ends; `omittedBytes` is how much of it, in UTF-8, lay between them. */
  result(): { head: string; tail: string; omittedBytes: number }
}

/** `headSize` and `tailSize` are in UTF-16 units. Cuts are made between lines where one ends nearby. */
export function headTail(headSize: number, tailSize: number): HeadTail {
  let head = ''
  const tail: string[] = []
  let tailLength = 0
  let allBytes = 0
  let dropped = false

  return {
    append(text) {
      allBytes += Buffer.byteLength(text)
      const room = headSize - head.length
      if (room > 0) head += text.slice(0, room)
      if (text.length <= room) return
      const rest = room > 0 ? text.slice(room) : text
      tail.push(rest)
      tailLength += rest.length
      while (tailLength - (tail[0]?.length ?? 0) >= tailSize) {
        tailLength -= tail.shift()?.length ?? 0
        dropped = true
      }
    },
    result() {
      const kept = tail.join('')
      if (!dropped && kept.length <= tailSize) return { head: head + kept, tail: '', omittedBytes: 0 }
      const first = untilLineEnd(head)
      const last = fromLineStart(kept.slice(-tailSize))
      return { head: first, tail: last, omittedBytes: allBytes - Buffer.byteLength(first) - Buffer.byteLength(last) }
    },
  }
}

/** How far back or forth a line's end is worth looking for. */
const nearby = 2_048

function untilLineEnd(text: string): string {
  const end = text.lastIndexOf('\n')
  return end >= 0 && text.length - end < nearby ? text.slice(0, end + 1) : text.replace(/[\ud800-\udbff]$/, '')
}

function fromLineStart(text: string): string {
  const end = text.indexOf('\n')
  return end >= 0 && end < nearby && end < text.length - 1 ? text.slice(end + 1) : text.replace(/^[\udc00-\udfff]/, '')
}
