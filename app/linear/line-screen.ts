/** Lines one after the other, and below them the one that is being written: no cursor is ever moved but by a backspace. */
import { cellWidth, graphemes } from '@sluice/permissions-ui'

export interface LineScreen {
  /** Whole lines; what is being written goes on below them with its next key. */
  say(lines: readonly string[]): void
  /** What is being written, as it is now; null when nothing is. `caret` is the text before the caret. */
  write(field: { label: string; text: string; caret: string } | null): void
  /** The line that was being written is finished. */
  end(): void
}

/** `put` takes text for the terminal; line feeds are its own. */
export function createLineScreen(put: (text: string) => void): LineScreen {
  /** What stands on the last line; null when that is empty. */
  let shown: { label: string; text: string; caret: string } | null = null

  const newLine = () => {
    if (shown !== null) put('\n')
    shown = null
  }

  return {
    say(lines) {
      if (lines.length === 0) return
      newLine()
      put(lines.map((line) => `${line}\n`).join(''))
    },
    write(field) {
      if (field === null) return newLine()
      const before = shown
      if (before === null || before.label !== field.label) {
        newLine()
        put(field.label + field.text)
      } else if (field.text !== before.text) put(change(before.text, field) ?? `\n${field.label}${field.text}`)
      else if (field.caret !== before.caret) {
        // Whoever listens wants to know where they are, and a terminal without a cursor cannot show it.
        newLine()
        const next = [...graphemes(field.text.slice(field.caret.length))][0]
        put(`${next === undefined ? 'At the end.' : `At: ${next === ' ' ? 'space' : next}`}\n`)
        return
      }
      shown = field
    },
    end: newLine,
  }
}

/** The bytes from one text to the next when only its end differs; null for any other change. */
function change(before: string, { text, caret }: { text: string; caret: string }): string | null {
  if (caret !== text) return null
  if (text.startsWith(before)) return text.slice(before.length)
  if (!before.startsWith(text)) return null
  const gone = before.slice(text.length)
  return gone.includes('\n') ? null : '\b \b'.repeat(cellWidth(gone))
}
