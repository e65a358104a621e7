/** File changes as one flat list of rows, so that a window over any number of them is a slice. */
import type { FileDiff, Hunk } from '@sluice/engine/protocol'

/**
 * `file` counts the diffs; `hunk` and `line` count within their parent and are -1 for rows that belong to none.
 * `text` is raw: it is sanitised when it is drawn.
 */
export type DiffRow = {
  kind: 'file' | 'hunk' | 'context' | 'add' | 'del' | 'note' | 'gap'
  file: number
  hunk: number
  line: number
  oldLine?: number
  newLine?: number
  text: string
}

/** `files` heads each file with its name; `hunks` heads each hunk, otherwise only the gaps between them are marked. */
export type DiffRowOptions = { files?: boolean; hunks?: boolean }

export function diffRows(diffs: readonly FileDiff[], options: DiffRowOptions = {}): DiffRow[] {
  const rows: DiffRow[] = []
  for (const [file, diff] of diffs.entries()) {
    const top = (kind: 'file' | 'note', text: string) => rows.push({ kind, file, hunk: -1, line: -1, text })
    if (options.files) top('file', diff.path)
    if (diff.note !== undefined) top('note', diff.note)
    const crlf = endsWithReturns(diff)
    if (crlf) top('note', 'line endings: CRLF')
    if (diff.hunks.length === 0 && diff.note === undefined) top('note', emptyNote(diff))
    for (const [hunk, body] of diff.hunks.entries()) {
      if (options.hunks) rows.push({ kind: 'hunk', file, hunk, line: -1, text: hunkTitle(body) })
      else if (hunk > 0) rows.push({ kind: 'gap', file, hunk, line: -1, text: gapText(diff.hunks[hunk - 1], body) })
      addLines(rows, file, hunk, body, crlf)
    }
  }
  return rows
}

/** One row of two columns: indices into the unified rows; `full` for rows that span both. */
export type SplitRow = { left?: number; right?: number; full?: number }

/** The unified rows side by side: removed lines stand beside the added lines that follow them. */
export function splitRows(rows: readonly DiffRow[]): SplitRow[] {
  const out: SplitRow[] = []
  let i = 0
  while (i < rows.length) {
    const kind = rows[i]?.kind
    if (kind === 'context') out.push({ left: i, right: i++ })
    else if (kind !== 'add' && kind !== 'del') out.push({ full: i++ })
    else {
      const left: number[] = []
      const right: number[] = []
      for (; belongsToRun(rows, i); i++) (rows[i]?.kind === 'del' ? left : right).push(i)
      for (let k = 0; k < Math.max(left.length, right.length); k++) {
        const row: SplitRow = {}
        if (left[k] !== undefined) row.left = left[k]
        if (right[k] !== undefined) row.right = right[k]
        out.push(row)
      }
    }
  }
  return out
}

/** `@@ 10,6 +10,7 @@ section`. */
export function hunkTitle(hunk: Hunk): string {
  const head = `@@ ${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`
  return hunk.section === undefined ? head : `${head} ${hunk.section}`
}

/** A run ends where removed lines follow added ones: they are the next change. */
function belongsToRun(rows: readonly DiffRow[], i: number): boolean {
  const kind = rows[i]?.kind
  return kind === 'add' || (kind === 'del' && rows[i - 1]?.kind !== 'add')
}

function addLines(rows: DiffRow[], file: number, hunk: number, body: Hunk, crlf: boolean): void {
  for (const [line, entry] of body.lines.entries()) {
    const text = crlf && entry.text.endsWith('\r') ? entry.text.slice(0, -1) : entry.text
    const row: DiffRow = { kind: entry.kind, file, hunk, line, text }
    if (entry.oldLine !== undefined) row.oldLine = entry.oldLine
    if (entry.newLine !== undefined) row.newLine = entry.newLine
    rows.push(row)
    if (entry.noNewline) rows.push({ kind: 'note', file, hunk, line, text: 'no newline at the end' })
  }
}

/** A file that is CRLF throughout says so once; where the endings differ, each one is drawn. */
function endsWithReturns(diff: FileDiff): boolean {
  let seen = false
  for (const hunk of diff.hunks) {
    for (const line of hunk.lines) {
      if (line.noNewline) continue
      if (!line.text.endsWith('\r')) return false
      seen = true
    }
  }
  return seen
}

function emptyNote(diff: FileDiff): string {
  if (diff.change === 'create') return 'an empty file'
  return diff.change === 'delete' ? 'the file was empty' : 'the text does not change'
}

function gapText(before: Hunk | undefined, after: Hunk): string {
  const skipped = before ? after.oldStart - (before.oldStart + before.oldLines) : 0
  return skipped === 1 ? '1 unchanged line' : `${Math.max(0, skipped)} unchanged lines`
}
