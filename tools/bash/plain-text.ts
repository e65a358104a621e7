/** Turns what a program drew on a terminal into the lines that would be left to read. */

/** Folds a stream piece by piece; pieces may end anywhere, also within an escape sequence. */
export interface PlainText {
  /** Finished lines of what was given so far; an unfinished line waits for its end. */
  push(text: string): string
  /** The unfinished line. */
  end(): string
}

/** A line that grows beyond this many UTF-16 units is given out in parts. */
const longestLine = 65_536
/** A control string that has not ended by then is no control string. */
const longestControl = 8_192

/**
 * Escape sequences and control characters are dropped. A carriage return starts its line anew, so that of a progress
 * bar the last state remains; a backspace takes a character back.
 */
export function plainText(): PlainText {
  let line = ''
  let returned = false
  let state: 'text' | 'escape' | 'sequence' | 'string' | 'stringEscape' = 'text'
  let held = ''

  function write(text: string): void {
    if (returned) line = ''
    returned = false
    line += text
  }

  function control(character: string): string {
    if (character === '\n') {
      const whole = `${line}\n`
      line = ''
      returned = false
      return whole
    }
    if (character === '\r') returned = line !== ''
    else if (character === '\t') write(character)
    else if (character === '\b') line = withoutLast(line)
    else if (character === '\x1b') state = 'escape'
    else if (character === '\x9b') state = 'sequence'
    else if (/[\x90\x98\x9d-\x9f]/.test(character)) state = 'string'
    return ''
  }

  /** What erases or moves to the beginning of a line matters for what is left on it. */
  function sequence(whole: string): void {
    const final = whole.at(-1)
    if (final === 'K' && (whole.startsWith('2') || returned)) line = ''
    if (final === 'G' && /^[01]?G$/.test(whole)) returned = line !== ''
  }

  /** A newline or return ends an escape sequence that was never finished; control strings may hold them. */
  function interrupts(character: string): boolean {
    return /[\n\r]/.test(character) && (state === 'escape' || state === 'sequence')
  }

  function leaveEscape(): void {
    state = 'text'
    held = ''
  }

  function inEscape(character: string): void {
    held += character
    if (state === 'escape') {
      state = character === '[' ? 'sequence' : /[\]PX^_]/.test(character) ? 'string' : 'text'
      // `ESC ( B` and its like have one more character.
      if (/[ #%()*+\-./]/.test(character)) state = 'escape'
      held = ''
    } else if (state === 'sequence') {
      if (/[\x40-\x7e]/.test(character)) sequence(held)
      if (!/[\x20-\x3f]/.test(character)) state = 'text'
    } else if (state === 'string') {
      if (character === '\x07' || character === '\x9c') state = 'text'
      else if (character === '\x1b') state = 'stringEscape'
    } else state = character === '\\' ? 'text' : 'string'
    if (state === 'text' || held.length > longestControl) leaveEscape()
  }

  return {
    push(text) {
      let out = ''
      let at = 0
      while (at < text.length) {
        if (state !== 'text') {
          const character = text[at] ?? ''
          if (interrupts(character)) leaveEscape()
          else {
            inEscape(character)
            at++
          }
          continue
        }
        const run = nextControl(text, at)
        if (run > at) {
          // Newlines alone need no look at every line.
          const part = text.slice(at, run)
          const cut = part.lastIndexOf('\n')
          if (cut >= 0) {
            if (returned && part[0] !== '\n') line = ''
            out += line + part.slice(0, cut + 1)
            line = ''
            returned = false
          }
          if (cut < part.length - 1) write(part.slice(cut + 1))
          at = run
        } else {
          out += control(text[at] ?? '')
          at++
        }
        if (line.length > longestLine) {
          out += line
          line = ''
        }
      }
      return out
    },
    end() {
      const rest = line
      line = ''
      return rest
    },
  }
}

/** Index of the next control character other than a newline, or the length. */
function nextControl(text: string, from: number): number {
  controls.lastIndex = from
  return controls.exec(text)?.index ?? text.length
}
const controls = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g

function withoutLast(line: string): string {
  return line.replace(/[\ud800-\udbff][\udc00-\udfff]$|[\s\S]$/, '')
}
