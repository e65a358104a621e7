/** The one gate between text that is not ours and the terminal: nothing passes that could move, hide, recolour or reorder. */
import { cellWidth } from './cells.ts'

/** `output` drops what cannot be shown; `visible` shows it as `\x1b`, `<U+202E>`, `␍`, `→`, for everything a person decides on. */
export type SanitizeMode = 'output' | 'visible'

/**
 * Text that is safe to print: of all control characters only line feeds remain. In `output` mode escape sequences vanish with
 * their payload, colours too, and of a line that was overwritten by carriage returns the last state remains. Tabs become
 * spaces up to the next multiple of `tabWidth`.
 */
export function sanitizeForTerminal(text: string, mode: SanitizeMode, tabWidth = 8): string {
  return plain.test(text) ? text : clean(text, mode, tabWidth).text
}

/** True when `text` has characters that a terminal would act on or not draw; tabs and line endings are none. */
export function hasHidden(text: string): boolean {
  return plain.test(text) ? false : clean(text, 'visible', 8).hidden
}

// Letters, digits, punctuation, symbols and ideographs that stand for themselves: no marks, no joiners, no odd blanks.
const ordinary =
  ' -~\\u00a1-\\u00ac\\u00ae-\\u02ff\\u0370-\\u0482\\u048a-\\u052f\\u1e00-\\u1eff\\u2010-\\u2027\\u2030-\\u205e' +
  '\\u2070-\\u20bf\\u2100-\\u27ff\\u2801-\\u2bff\\u3000-\\u3029\\u3030-\\u3096\\u309b-\\u30ff\\u3105-\\u312f\\u3131-\\u3163' +
  '\\u3165-\\u318e\\u3190-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7a3\\ue000-\\uf8ff\\uff01-\\uff9f'
const plain = new RegExp(`^[\\n${ordinary}]*$`)
const plainRun = new RegExp(`[${ordinary}]+`, 'y')

const mark = /^\p{M}/u
const ignorable = /^[\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\ufff9-\ufffb]/u
const pictograph = /^\p{Extended_Pictographic}/u
const onEmoji = /^[\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}]/u
const oddBlank = /^[\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800]/u
const indic = /^[\u0900-\u0dff]/
const virama = /^[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca]/
/** More marks than this on one letter reach into the rows around it. */
const maxMarks = 8

const esc = 0x1b
const joiners = new Set([0x200c, 0x200d])

function clean(source: string, mode: SanitizeMode, tabWidth: number): { text: string; hidden: boolean } {
  const visible = mode === 'visible'
  const text = source.isWellFormed() ? source : source.toWellFormed()
  let hidden = false
  let done = ''
  // The current line is `line` (ends at a tab) and `run` (since then); `column` counts the cells of `line`.
  let line = ''
  let run = ''
  let column = 0
  /** The last code point of this line, 0 at its start. */
  let last = 0
  let marks = 0
  let returned = false

  const put = (piece: string, lastCode: number) => {
    if (returned) {
      returned = false
      line = ''
      column = 0
      run = piece
    } else run += piece
    last = lastCode
  }
  const reveal = (label: string) => {
    hidden = true
    if (!visible) return
    // A mark after a label has nothing to sit on: it is shown as well.
    put(label, 0)
  }

  let i = 0
  while (i < text.length) {
    plainRun.lastIndex = i
    if (plainRun.test(text)) {
      const end = plainRun.lastIndex
      put(text.slice(i, end), text.charCodeAt(end - 1))
      marks = 0
      i = end
      continue
    }
    const code = text.codePointAt(i) ?? 0
    const char = String.fromCodePoint(code)
    const next = i + char.length
    if (code === 0x0a) {
      done += `${line}${run}\n`
      line = ''
      run = ''
      column = 0
      last = 0
      marks = 0
      returned = false
    } else if (code === 0x09) {
      put('', 0x20)
      column += cellWidth(run)
      const blanks = tabWidth - (column % tabWidth)
      line += run + (visible ? `→${' '.repeat(blanks - 1)}` : ' '.repeat(blanks))
      run = ''
      column += blanks
      marks = 0
    } else if (code === 0x0d) {
      const ending = next === text.length || text[next] === '\n'
      if (visible) put('␍', 0x240d)
      else {
        returned = true
        last = 0
      }
      if (!ending) hidden = true
      marks = 0
    } else if (code < 0x20 || (code >= 0x7f && code < 0xa0)) {
      reveal(`\\x${code.toString(16).padStart(2, '0')}`)
      if (!visible && (code === esc || code >= 0x80)) {
        i = afterSequence(text, i)
        continue
      }
    } else if (ignorable.test(char)) {
      if (belongs(code, last, text, next)) put(char, code)
      else reveal(label(code))
    } else if (mark.test(char)) {
      if (last === 0 || marks >= maxMarks || splitsEmoji(code, last)) reveal(label(code))
      else {
        put(char, code)
        marks++
      }
    } else {
      if (visible && oddBlank.test(char)) put(label(code), 0x3e)
      else if ((code & 0xfffe) === 0xfffe || (code >= 0xfdd0 && code <= 0xfdef)) put('\ufffd', 0xfffd)
      else put(char, code)
      marks = 0
    }
    i = next
  }
  return { text: done + line + run, hidden }
}

function label(code: number): string {
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`
}

/** Whether an invisible character is part of the cluster it stands in: emoji styles and joiners, Indic conjuncts. */
function belongs(code: number, last: number, text: string, next: number): boolean {
  if (last === 0) return false
  const before = String.fromCodePoint(last)
  const following = text.codePointAt(next)
  const after = following === undefined ? '' : String.fromCodePoint(following)
  if (code === 0xfe0f || code === 0xfe0e)
    return pictograph.test(before) || (/^[0-9#*]/.test(before) && after === '\u20e3')
  if (!joiners.has(code)) return false
  if (indic.test(before) && indic.test(after)) return virama.test(before) || virama.test(after)
  const emoji = pictograph.test(before) || last === 0xfe0f || (last >= 0x1f3fb && last <= 0x1f3ff)
  return code === 0x200d && emoji && pictograph.test(after)
}

/** Emoji take no accents: terminals and tables of widths disagree about what such a cluster is. */
function splitsEmoji(code: number, last: number): boolean {
  const keycap = 0x20e3
  if (code === keycap) return last === keycap
  if (last === 0xfe0f || last === 0xfe0e || last === keycap) return true
  return onEmoji.test(String.fromCodePoint(last))
}

/**
 * Where the text goes on after the control sequence that starts at `start` (ESC or a C1 control). A string sequence without
 * an end takes the rest of its line with it, not the rest of the text: what follows is harmless and may matter to the reader.
 */
function afterSequence(text: string, start: number): number {
  let i = start + 1
  let kind = text.charCodeAt(start)
  if (kind === esc) {
    const code = text.charCodeAt(i)
    // Two-byte introducers are the 7-bit spelling of C1 controls.
    if (code >= 0x40 && code <= 0x5f) {
      kind = code + 0x40
      i++
    } else {
      while (inRange(text.charCodeAt(i), 0x20, 0x2f)) i++
      return inRange(text.charCodeAt(i), 0x30, 0x7e) ? i + 1 : i
    }
  }
  if (kind === 0x9b) {
    while (inRange(text.charCodeAt(i), 0x30, 0x3f)) i++
    while (inRange(text.charCodeAt(i), 0x20, 0x2f)) i++
    return inRange(text.charCodeAt(i), 0x40, 0x7e) ? i + 1 : i
  }
  if (kind === 0x9d) return afterString(text, i, oscEnd)
  if (kind === 0x90 || kind === 0x98 || kind === 0x9e || kind === 0x9f) return afterString(text, i, stringEnd)
  return i
}

const oscEnd = /[\x07\x18\x1a\x1b\x80-\x9f]/g
const stringEnd = /[\x18\x1a\x1b\x80-\x9f]/g

function afterString(text: string, from: number, end: RegExp): number {
  end.lastIndex = from
  const found = end.exec(text)
  if (!found) {
    const feed = text.indexOf('\n', from)
    return feed === -1 ? text.length : feed
  }
  const at = found.index
  const code = text.charCodeAt(at)
  if (code === esc) return text[at + 1] === '\\' ? at + 2 : at
  // Any other C1 control ends the string and starts its own sequence.
  return code >= 0x80 && code !== 0x9c ? at : at + 1
}

function inRange(code: number, from: number, to: number): boolean {
  return code >= from && code <= to
}
