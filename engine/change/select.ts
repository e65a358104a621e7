/** Applies the part of a change that a person kept: whole hunks or single lines of them. */
import type { DiffLine, Hunk } from '../protocol/index.ts'

/** Hunk index → true for all of it, or the indices within `hunk.lines` of the changed lines that are kept. */
export type HunkSelection = Record<number, true | number[]>

/**
 * The text with only the selected lines changed: a kept added line is put in, a kept deleted line is taken out, every
 * other line stays as it was. All of the hunks give the new text, none of them the old one, to the byte. Where added
 * lines stand beside deleted ones, the n-th added line belongs after the n-th deleted one.
 * Throws when the hunks were not made from `oldText`.
 */
export function applySelection(oldText: string, hunks: readonly Hunk[], selection: HunkSelection): string {
  const old = splitLines(oldText)
  const out: string[] = []
  let at = 0
  let growth = 0
  hunks.forEach((hunk, index) => {
    // The start of a side without lines is not the same everywhere; the other side's start tells where it is.
    const start = hunk.oldLines > 0 ? hunk.oldStart - 1 : Math.max(hunk.newStart - 1 - growth, at)
    growth += hunk.newLines - hunk.oldLines
    out.push(...old.slice(at, start))
    out.push(...keptLines(hunk, selection[index] ?? []))
    at = start
    for (const line of hunk.lines) {
      if (line.kind === 'add') continue
      if (old[at] !== lineText(line)) throw new Error(`Hunk ${index + 1} was not made from this text (line ${at + 1}).`)
      at++
    }
  })
  out.push(...old.slice(at))
  return joinLines(out, oldText)
}

/** The lines of a hunk, with their endings, after the kept changes. */
export function keptLines(hunk: Hunk, kept: true | readonly number[]): string[] {
  const isKept = (index: number) => kept === true || kept.includes(index)
  const out: string[] = []
  let stay: (string | null)[] = []
  let added: (string | null)[] = []
  const flush = () => {
    for (let i = 0; i < Math.max(stay.length, added.length); i++) {
      for (const line of [stay[i], added[i]]) if (typeof line === 'string') out.push(line)
    }
    stay = []
    added = []
  }
  for (const [index, line] of hunk.lines.entries()) {
    if (line.kind === 'add') {
      added.push(isKept(index) ? lineText(line) : null)
      continue
    }
    if (line.kind === 'context' || added.length > 0) flush()
    if (line.kind === 'context') out.push(lineText(line))
    else stay.push(isKept(index) ? null : lineText(line))
  }
  flush()
  return out
}

export function lineText(line: DiffLine): string {
  return line.noNewline ? line.text : `${line.text}\n`
}

/** Lines with their endings; a text that ends with a newline has no empty last line. */
export function splitLines(text: string): string[] {
  const lines = text.split(/(?<=\n)/)
  return text === '' ? [] : lines
}

/** A line that was the last one and had no ending gets one when others follow it now. */
export function joinLines(lines: string[], oldText: string): string {
  const ending = /\r\n/.test(oldText) && !/(?<!\r)\n/.test(oldText) ? '\r\n' : '\n'
  return lines.map((line, i) => (i < lines.length - 1 && !line.endsWith('\n') ? line + ending : line)).join('')
}
