/**
 * What Ink's writes mean: a frame, a caret that moved, or an erased frame. Ink draws below the cursor wherever it is and erases
 * what it drew by counting rows; who wants to draw its frames elsewhere needs to know the frame and not the movements. Made
 * for the non-incremental renderer of Ink 8.0.0: frames come whole, with movements before them and the caret's place after.
 */

/** Rows and columns count from 0. `caret` null hides the cursor; `bottom` is the row on which Ink believes to have left it. */
export type InkFrame = { lines: string[]; caret: { row: number; column: number } | null; bottom: number }

export type InkWrite =
  | { type: 'frame'; frame: InkFrame }
  | { type: 'caret'; caret: InkFrame['caret'] }
  | { type: 'erased' }
  /** Modes of the terminal, which are not about the frame. */
  | { type: 'modes'; sequence: string }
  | { type: 'nothing' }

/** Reads one write; `bottom` is that of the last frame. */
export function readInkWrite(chunk: string, bottom: number): InkWrite {
  if (modes.test(chunk)) return { type: 'modes', sequence: chunk }
  const text = chunk.replaceAll(synchronized, '')
  const lead = movements.exec(text)?.[0] ?? ''
  const rest = text.slice(lead.length)
  const suffix = caretSuffix.exec(rest)
  const body = suffix === null ? rest : rest.slice(0, suffix.index)
  if (body !== '') {
    const rows = body.split('\n')
    const lines = body.endsWith('\n') ? rows.slice(0, -1) : rows
    const end = rows.length - 1
    return { type: 'frame', frame: { lines, caret: caretOf(suffix, end), bottom: end } }
  }
  if (suffix === null) {
    // The caret's place ends like a movement, so it was read as one.
    const last = caretSuffix.exec(lead)
    if (last !== null) return { type: 'caret', caret: caretOf(last, bottom) }
    if (erasure.test(lead)) return { type: 'erased' }
    if (lead.includes('\x1b[?25l') && lead.length > hide.length) return { type: 'caret', caret: null }
  }
  return { type: 'nothing' }
}

function caretOf(suffix: RegExpExecArray | null, bottom: number): InkFrame['caret'] {
  if (suffix === null) return null
  return { row: Math.max(0, bottom - Number(suffix[1] ?? 0)), column: Number(suffix[2]) - 1 }
}

const modes = /^(?:\x1b\[\?(?!25[hl]|2026[hl])\d+[hl])+$/
const hide = '\x1b[?25l'
const synchronized = /\x1b\[\?2026[hl]/g
const movements = /^(?:\x1b\[(?:\?25[lh]|\d*[A-GJK]|\d*;?\d*H))*/
const erasure = /\x1b\[\d*[JK]/
const caretSuffix = /(?:\x1b\[(\d+)A)?\x1b\[(\d+)G\x1b\[\?25h$/
