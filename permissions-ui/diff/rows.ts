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

/** `@@ 10,6 +10,7 @@ section`. */
export function hunkTitle(hunk: Hunk): string {
  if (hunk.lines.length === 0) return '@@ the whole file @@'
  const head = `@@ ${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`
  return hunk.section === undefined ? head : `${head} ${hunk.section}`
}

/** A file that is CRLF throughout says so once; where the endings differ, each one is drawn. */
export function endsWithReturns(diff: FileDiff): boolean {
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

export function emptyNote(diff: FileDiff): string {
  if (diff.change === 'create') return 'an empty file'
  return diff.change === 'delete' ? 'the file was empty' : 'the text does not change'
}

export function gapText(before: Hunk | undefined, after: Hunk): string {
  const skipped = before ? after.oldStart - (before.oldStart + before.oldLines) : 0
  return skipped === 1 ? '1 unchanged line' : `${Math.max(0, skipped)} unchanged lines`
}
