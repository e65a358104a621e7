/** Hunks whose proposed side a person wrote anew: the same result wherever it is computed. */
import type { DiffLine, Hunk } from '../protocol/index.ts'
import { diffHunks } from './hunks.ts'

/** The key under which `Amendment.editedText` holds a person's text for one hunk (from 0) instead of a whole file. */
export function hunkKey(path: string, hunk: number): string {
  return `${path}@@${hunk}`
}

/** What a hunk proposes, as a person edits it: its lines joined with line feeds, without one at the end. */
export function proposedText(hunk: Hunk): string {
  const lines = hunk.lines.filter((line) => line.kind !== 'del').map((line) => line.text)
  return (endsWithReturns(hunk) ? lines.map((line) => line.replace(/\r$/, '')) : lines).join('\n')
}

/**
 * The hunks with the proposed side of some of them, by index, replaced by texts of a person and compared again. Line
 * endings, and whether the last line has one, stay as they were proposed. Hunks keep their indices; one that now changes
 * nothing has context lines only.
 */
export function editHunks(hunks: readonly Hunk[], texts: Readonly<Record<number, string>>): Hunk[] {
  let growth = 0
  return hunks.map((hunk, index) => {
    const text = texts[index]
    const edited = text === undefined ? hunk : editHunk(hunk, text)
    const moved = growth === 0 ? edited : moveNew(edited, growth)
    growth += edited.newLines - edited.oldLines - (hunk.newLines - hunk.oldLines)
    return moved
  })
}

function editHunk(hunk: Hunk, text: string): Hunk {
  // An empty text is no line at all, unless one empty line is what was proposed.
  if (text === proposedText(hunk)) return hunk
  const oldText = sideText(hunk, 'add')
  const proposed = sideText(hunk, 'del')
  // Where the endings differ from line to line, each line of the text still carries its own.
  const crlf = endsWithReturns(hunk)
  const plain = (crlf ? text.replace(/\r\n/g, '\n') : text).replace(/\n$/, '')
  const lines = crlf ? plain.replace(/\n/g, '\r\n') : plain
  const ending = crlf ? '\r\n' : '\n'
  const open = proposed === '' ? oldText !== '' && !oldText.endsWith('\n') : !proposed.endsWith('\n')
  const fresh = plain === '' ? '' : open ? lines : lines + ending
  // So much context that it stays one hunk.
  const [made] = diffHunks(oldText, fresh, oldText.length + fresh.length + 1)
  const changed = made ?? unchanged(hunk)
  const oldBy = hunk.oldLines > 0 ? hunk.oldStart - 1 : hunk.oldStart
  const newBy = hunk.newLines > 0 ? hunk.newStart - 1 : hunk.newStart
  const shifted: Hunk = {
    oldStart: changed.oldLines > 0 ? oldBy + 1 : oldBy,
    oldLines: changed.oldLines,
    newStart: changed.newLines > 0 ? newBy + 1 : newBy,
    newLines: changed.newLines,
    lines: changed.lines.map((line) => ({
      ...line,
      ...(line.oldLine === undefined ? {} : { oldLine: line.oldLine + oldBy }),
      ...(line.newLine === undefined ? {} : { newLine: line.newLine + newBy }),
    })),
  }
  if (hunk.section !== undefined) shifted.section = hunk.section
  return shifted
}

function unchanged(hunk: Hunk): Hunk {
  const lines = hunk.lines
    .filter((line) => line.kind !== 'add')
    .map((line, i): DiffLine => ({ ...line, kind: 'context', oldLine: i + 1, newLine: i + 1 }))
  return { ...hunk, newLines: hunk.oldLines, lines }
}

function moveNew(hunk: Hunk, by: number): Hunk {
  return {
    ...hunk,
    newStart: hunk.newStart + by,
    lines: hunk.lines.map((line) => (line.newLine === undefined ? line : { ...line, newLine: line.newLine + by })),
  }
}

/** The text of one side: all lines but those of the other one. */
function sideText(hunk: Hunk, without: 'add' | 'del'): string {
  return hunk.lines
    .filter((line) => line.kind !== without)
    .map((line) => (line.noNewline ? line.text : `${line.text}\n`))
    .join('')
}

function endsWithReturns(hunk: Hunk): boolean {
  const ended = hunk.lines.filter((line) => !line.noNewline)
  return ended.length > 0 && ended.every((line) => line.text.endsWith('\r'))
}
