/** Finds private keys in PEM form wherever they stand: in files, numbered listings, diffs and JSON strings. */

/**
 * `text` with every private key block replaced by `mark`. A block whose end was cut off loses as many lines as look like
 * key material. With `perLine` each of its lines is replaced by itself, so that the number of lines stays. Linear in the
 * length of the text.
 */
export function replaceKeyBlocks(text: string, mark: string, perLine = false): string {
  if (!text.includes(beginning)) return text
  let kept = ''
  let at = 0
  let end: RegExpExecArray | null | undefined
  starts.lastIndex = 0
  for (let start = starts.exec(text); start !== null; start = starts.exec(text)) {
    // The nearest end is looked for once, not once for each beginning.
    if (end === undefined || (end !== null && end.index < start.index)) end = search(ends, text, start.index)
    const next = end === null ? -1 : end.index
    const whole = end !== null && next - start.index <= longestBlock
    const stop = whole && end !== null ? next + end[0].length : materialEnd(text, starts.lastIndex)
    const block = text.slice(start.index, stop)
    kept += text.slice(at, start.index) + (perLine ? block.replace(/[^\n]+/g, mark) : mark)
    at = stop
    starts.lastIndex = stop
  }
  return kept + text.slice(at)
}

const beginning = '-----BEGIN '
const starts = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g
const ends = /-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g
/** The largest keys in use take some 13 kB. */
const longestBlock = 32_768

function search(pattern: RegExp, text: string, from: number): RegExpExecArray | null {
  pattern.lastIndex = from
  return pattern.exec(text)
}

/** Where the lines that look like key material end, from the end of a beginning mark on. */
function materialEnd(text: string, from: number): number {
  let at = from
  for (;;) {
    material.lastIndex = at
    const line = material.exec(text)
    if (line === null || line[0] === '') return at
    at += line[0].length
  }
}

/** A line break (also an escaped one), what a listing or a diff puts in front, and at least sixteen characters of base64. */
const material = /(?:\\r|\\n|\r|\n){1,4}[ \t]{0,8}\d{0,8}[\t :|+>-]{0,4}[A-Za-z0-9+/=]{16,}/y
