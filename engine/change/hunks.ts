/** Text to hunks: the diff that is shown, counted, selected from and written into results. */
import { structuredPatch } from 'diff'
import type { DiffLine, FileDiff, Hunk } from '../protocol/index.ts'

/** Line-ending-preserving diff of two texts as hunks with `context` lines around. */
export function diffHunks(oldText: string, newText: string, context = 3): Hunk[] {
  if (oldText === newText) return []
  // A rewrite of a large file takes seconds to diff minimally; past the timeout the whole text is one hunk.
  const patch = structuredPatch('a', 'b', oldText, newText, '', '', { context, timeout: 400 })
  if (!patch) return [wholeHunk(oldText, newText)]
  return patch.hunks.map((hunk) => {
    let oldLine = hunk.oldStart
    let newLine = hunk.newStart
    const lines: DiffLine[] = []
    for (const raw of hunk.lines) {
      const mark = raw[0]
      const text = raw.slice(1)
      if (mark === '\\') {
        const last = lines[lines.length - 1]
        if (last) last.noNewline = true
      } else if (mark === '+') lines.push({ kind: 'add', text, newLine: newLine++ })
      else if (mark === '-') lines.push({ kind: 'del', text, oldLine: oldLine++ })
      else lines.push({ kind: 'context', text, oldLine: oldLine++, newLine: newLine++ })
    }
    const { oldLines, newLines } = hunk
    // The library counts a side without lines from one further on than the format, and the protocol, do.
    const oldStart = oldLines === 0 ? hunk.oldStart - 1 : hunk.oldStart
    const newStart = newLines === 0 ? hunk.newStart - 1 : hunk.newStart
    return { oldStart, oldLines, newStart, newLines, lines }
  })
}

export type FileDiffInput = {
  path: string
  oldText: string | null
  newText: string | null
  oldHash: string | null
  newHash: string | null
  note?: string
}

/** The FileDiff of one file; null texts mean that the side does not exist. */
export function fileDiff(input: FileDiffInput): FileDiff {
  const hunks = diffHunks(input.oldText ?? '', input.newText ?? '')
  const count = (kind: DiffLine['kind']) => hunks.reduce((n, h) => n + h.lines.filter((l) => l.kind === kind).length, 0)
  const diff: FileDiff = {
    path: input.path,
    change: input.oldText === null ? 'create' : input.newText === null ? 'delete' : 'edit',
    hunks,
    additions: count('add'),
    deletions: count('del'),
    oldHash: input.oldHash,
    newHash: input.newHash,
  }
  if (input.note !== undefined) diff.note = input.note
  return diff
}

/** Unified diff text with `a/` and `b/` headers, as `git apply` reads it. */
export function unifiedDiff(diff: FileDiff): string {
  if (diff.hunks.length === 0) return ''
  const out = [
    `--- ${diff.change === 'create' ? '/dev/null' : `a/${diff.path}`}`,
    `+++ ${diff.change === 'delete' ? '/dev/null' : `b/${diff.path}`}`,
  ]
  for (const hunk of diff.hunks) {
    out.push(`@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@`)
    for (const line of hunk.lines) {
      out.push(`${line.kind === 'add' ? '+' : line.kind === 'del' ? '-' : ' '}${line.text}`)
      if (line.noNewline) out.push('\\ No newline at end of file')
    }
  }
  return `${out.join('\n')}\n`
}

function range(start: number, lines: number): string {
  return lines === 1 ? `${start}` : `${start},${lines}`
}

function wholeHunk(oldText: string, newText: string): Hunk {
  const side = (text: string, kind: 'add' | 'del'): DiffLine[] => {
    if (text === '') return []
    const lines = text.split('\n')
    const noNewline = lines[lines.length - 1] !== ''
    if (!noNewline) lines.pop()
    return lines.map((line, i) => {
      const entry: DiffLine = { kind, text: line, [kind === 'add' ? 'newLine' : 'oldLine']: i + 1 }
      if (noNewline && i === lines.length - 1) entry.noNewline = true
      return entry
    })
  }
  const del = side(oldText, 'del')
  const add = side(newText, 'add')
  return {
    oldStart: del.length ? 1 : 0,
    oldLines: del.length,
    newStart: add.length ? 1 : 0,
    newLines: add.length,
    lines: [...del, ...add],
  }
}
