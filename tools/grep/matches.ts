/** From ripgrep's JSON records to the lines that a model reads. */

/** A matching line: the part of it that is shown, and how many further matches of the line lie outside of that part. */
export type MatchLine = { line: number | null; text: string; unseen: number }

export type SearchRecord =
  | { type: 'begin' | 'end'; path: Buffer; binary: boolean }
  | { type: 'match'; line: number | null; bytes: Buffer; spans: { start: number; end: number }[] }
  | { type: 'summary' }

/** Longest part of a line that is shown, in characters. */
export const widestLine = 250

/** A record of `rg --json`; null for kinds that are of no use here. */
export function parseRecord(record: Buffer): SearchRecord | null {
  const { type, data } = JSON.parse(record.toString()) as { type: string; data: RawData }
  if (type === 'begin' || type === 'end') {
    return { type, path: bytesOf(data.path), binary: typeof data.binary_offset === 'number' }
  }
  if (type === 'summary') return { type }
  if (type !== 'match') return null
  return { type, line: data.line_number ?? null, bytes: bytesOf(data.lines), spans: data.submatches ?? [] }
}

/** The line without its ending, clipped to a window around the first match. */
export function matchLine(record: SearchRecord & { type: 'match' }): MatchLine {
  const { text, at } = decodeLine(record.bytes)
  const line = text.replace(/\r?\n$/, '')
  const spans = record.spans.map((span) => ({ start: at(span.start), end: at(span.end) }))
  const first = spans[0] ?? { start: 0, end: 0 }
  const window = windowAround(line, first.start, first.end)
  const unseen = spans.filter((span) => span.start >= window.end || span.end <= window.start).length
  const shown = line.slice(window.start, window.end)
  return {
    line: record.line,
    text: `${window.start > 0 ? '…' : ''}${shown}${window.end < line.length ? '…' : ''}`.replaceAll('\0', '␀'),
    unseen: window.start === 0 && window.end === line.length ? 0 : Math.max(0, unseen),
  }
}

/** The part of a line, at most `widestLine` characters, that has the match in its middle. */
export function windowAround(line: string, start: number, end: number): { start: number; end: number } {
  if (line.length <= widestLine) return { start: 0, end: line.length }
  const room = Math.max(0, widestLine - (end - start))
  const from = Math.max(0, Math.min(start - Math.floor(room / 2), line.length - widestLine))
  const to = from + widestLine
  // Never half of a surrogate pair.
  return { start: from + (isLowHalf(line, from) ? 1 : 0), end: to - (isLowHalf(line, to) ? 1 : 0) }
}

type RawText = { text?: string; bytes?: string }
type RawData = {
  path: RawText
  lines: RawText
  line_number?: number | null
  binary_offset?: number | null
  submatches?: { start: number; end: number }[]
}

function bytesOf(raw: RawText): Buffer {
  return raw.bytes === undefined ? Buffer.from(raw.text ?? '') : Buffer.from(raw.bytes, 'base64')
}

/** The line as text and the way from byte offsets to characters; bytes that are no UTF-8 are read as windows-1252. */
function decodeLine(bytes: Buffer): { text: string; at(offset: number): number } {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return { text, at: (offset) => bytes.subarray(0, offset).toString().length }
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), at: (offset) => offset }
  }
}

function isLowHalf(line: string, index: number): boolean {
  const unit = line.charCodeAt(index)
  return unit >= 0xdc00 && unit <= 0xdfff
}
