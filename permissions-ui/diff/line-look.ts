/** The signs and colours of a line of a diff: what was added, removed, changed within it, or marked by a review. */
import type { FileDiff } from '@sluice/engine/protocol'
import { type StyledSpan, sliceSpans } from '../blocks/styled-row.ts'
import { cellWidth } from '../text/cells.ts'
import type { Theme } from '../theme.ts'
import type { CodeSpan } from './highlight.ts'
import type { DiffRow } from './rows.ts'
import type { Ranges } from './word-diff.ts'

/** What a review says about a row: the cursor or a range is on it, it is left out, and for heads of hunks a box and a badge. */
export type LineMark = { cursor?: boolean; range?: boolean; off?: boolean; box?: string; badge?: string }

export type Look = {
  sign: string
  marker: Omit<StyledSpan, 'text'>
  fill: Omit<StyledSpan, 'text'>
  word: Omit<StyledSpan, 'text'>
}

export const plainLook: Look = { sign: ' ', marker: {}, fill: {}, word: {} }

/** The first cell of a row: the cursor, or a dot for what is left out, so that it shows without colours too. */
export function leadSpan({ cursor = false, range = false, off = false }: LineMark, theme: Theme): StyledSpan {
  if (cursor) return { text: theme.glyphs.prompt, color: theme.accent }
  if (range && !off) return { text: theme.glyphs.vertical, color: theme.accent }
  return off ? { text: theme.glyphs.todo, color: theme.muted } : { text: ' ' }
}

export function lookOf(kind: DiffRow['kind'], theme: Theme): Look {
  const plain = !theme.color
  if (kind === 'add') {
    const fill = theme.addBackground === undefined ? {} : { backgroundColor: theme.addBackground }
    const word =
      plain || theme.addWord === undefined ? { underline: true } : { backgroundColor: theme.addWord, bold: true }
    return { sign: '+', marker: { ...fill, color: theme.addText }, fill, word }
  }
  if (kind === 'del') {
    const fill = theme.delBackground === undefined ? {} : { backgroundColor: theme.delBackground }
    const word =
      plain || theme.delWord === undefined ? { underline: true } : { backgroundColor: theme.delWord, bold: true }
    return { sign: theme.glyphs.minus, marker: { ...fill, color: theme.delText }, fill, word }
  }
  return plainLook
}

/** Spans of code with the words that changed set off. */
export function emphasise(
  code: CodeSpan[],
  words: Ranges,
  kind: DiffRow['kind'],
  theme: Theme,
  look: Look,
): StyledSpan[] {
  const out: StyledSpan[] = []
  const base = kind === 'add' ? theme.addText : kind === 'del' ? theme.delText : undefined
  let at = 0
  let word = 0
  for (const span of code) {
    const end = at + span.text.length
    const color = (span.scope && theme.code[span.scope]) ?? base
    let from = at
    while (from < end) {
      while ((words[word]?.[1] ?? Number.POSITIVE_INFINITY) <= from) word++
      const [start, stop] = words[word] ?? [end, end]
      const inside = start <= from && from < stop
      const to = Math.min(end, inside ? stop : Math.max(start, from + 1))
      const text = span.text.slice(from - at, to - at)
      out.push({ ...look.fill, ...(color === undefined ? {} : { color }), ...(inside ? look.word : {}), text })
      from = to
    }
    at = end
  }
  return out
}

export function moveLeft(spans: StyledSpan[], left: number, theme: Theme, look: Look): StyledSpan[] {
  if (left === 0) return spans
  const total = spans.reduce((sum, span) => sum + cellWidth(span.text), 0)
  if (total <= left) return total > 0 ? [{ ...look.fill, text: theme.glyphs.ellipsis, color: theme.muted }] : []
  const mark = cellWidth(theme.glyphs.ellipsis)
  return [
    { ...look.fill, text: theme.glyphs.ellipsis, color: theme.muted },
    ...sliceSpans(spans, left + mark, Number.POSITIVE_INFINITY),
  ]
}

/** `new file · +12` or `+2 −1`. */
export function countSpans(diff: Pick<FileDiff, 'additions' | 'deletions' | 'change'>, theme: Theme): StyledSpan[] {
  const spans: StyledSpan[] = []
  if (diff.change !== 'edit')
    spans.push({ text: diff.change === 'create' ? 'new file ' : 'deleted ', color: theme.accent2 })
  spans.push({ text: `+${diff.additions}`, color: theme.ok }, { text: ' ' })
  spans.push({ text: `${theme.glyphs.minus}${diff.deletions}`, color: theme.bad })
  return spans
}
