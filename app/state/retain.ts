/** Bounds what the screen remembers: texts and blocks are cut here, the whole stands in the transcript file. */
import type { Block, DiffLine, FileDiff } from '@sluice/engine/protocol'

/** Characters of text that one call's blocks may keep together. */
const blockChars = 8_000
const diffLines = 600
const tailChars = 64_000
const tailLines = 200

/** The end of a growing output; `cut` is true once something before it was dropped. */
export type Tail = { text: string; cut: boolean }

export const emptyTail: Tail = { text: '', cut: false }

/** Adds a chunk and keeps the last 200 lines or 64,000 characters. */
export function appendTail(tail: Tail, chunk: string): Tail {
  const whole = tail.text + chunk
  let from = Math.max(0, whole.length - tailChars)
  let newline = whole.length - 1
  for (let lines = 0; lines < tailLines && newline >= 0; lines++) newline = whole.lastIndexOf('\n', newline - 1)
  if (newline > 0) from = Math.max(from, newline + 1)
  return { text: from === 0 ? whole : whole.slice(from), cut: tail.cut || from > 0 }
}

/** A text of at most `limit` characters: its start, a line that says how much is missing, its end; a string of its own. */
export function keepEnds(text: string, limit: number): string {
  if (text.length <= limit) return text
  const head = Math.floor(limit / 3)
  const missing = text.length - limit
  // ASCII: one other character would double what most texts take in memory.
  return own(
    `${text.slice(0, head)}\n... ${grouped(missing)} characters not kept here ...\n${text.slice(-(limit - head))}`,
  )
}

/** A piece of a long string would keep all of it in memory. */
function own(text: string): string {
  return JSON.parse(JSON.stringify(text))
}

/** `1234567` as `1,234,567`; Intl takes longer than all the rest of a cut. */
function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** The same blocks with bounded texts; returns the given array when nothing had to be cut. */
export function retainBlocks(blocks: readonly Block[]): readonly Block[] {
  let left = blockChars
  let changed = false
  const kept = blocks.map((block) => {
    const bounded = retainBlock(block, Math.max(left, 400))
    left -= weight(bounded)
    if (bounded !== block) changed = true
    return bounded
  })
  return changed ? kept : blocks
}

function retainBlock(block: Block, limit: number): Block {
  switch (block.type) {
    case 'text':
    case 'markdown':
    case 'code':
    case 'output':
    case 'error': {
      const text = keepEnds(block.text, limit)
      return text === block.text ? block : { ...block, text }
    }
    case 'command': {
      const command = keepEnds(block.command, limit)
      return command === block.command ? block : { ...block, command }
    }
    case 'diff':
      return retainDiff(block, limit)
    case 'files':
      return block.paths.length <= 200
        ? block
        : { ...block, paths: block.paths.slice(0, 200), omitted: (block.omitted ?? 0) + block.paths.length - 200 }
    case 'todo':
    case 'question':
      return block
  }
}

function retainDiff(block: Block & { type: 'diff' }, limit: number): Block {
  let lines = 0
  let chars = 0
  let cutLines = 0
  const hunks: FileDiff['hunks'] = []
  for (const hunk of block.diff.hunks) {
    const kept: DiffLine[] = []
    for (const line of hunk.lines) {
      const text = line.text.length > 2_000 ? own(`${line.text.slice(0, 2_000)}…`) : line.text
      if (lines >= diffLines || chars + text.length > limit * 2) {
        cutLines++
        continue
      }
      lines++
      chars += text.length
      kept.push(text === line.text ? line : { ...line, text })
    }
    if (kept.length > 0)
      hunks.push(
        kept.every((line, i) => line === hunk.lines[i]) && kept.length === hunk.lines.length
          ? hunk
          : { ...hunk, lines: kept },
      )
  }
  if (cutLines === 0 && hunks.every((hunk, i) => hunk === block.diff.hunks[i])) return block
  const note = cutLines > 0 ? `${grouped(cutLines)} more lines are not kept here` : undefined
  const diff: FileDiff = { ...block.diff, hunks }
  if (note !== undefined) diff.note = diff.note === undefined ? note : `${diff.note}; ${note}`
  return { type: 'diff', diff }
}

function weight(block: Block): number {
  switch (block.type) {
    case 'text':
    case 'markdown':
    case 'code':
    case 'output':
    case 'error':
      return block.text.length
    case 'command':
      return block.command.length
    default:
      return 0
  }
}
