/** What "copy" takes of a transcript entry: the words or the content, without frames and marks. */
import { unifiedDiff } from '@sluice/engine/change'
import type { Block } from '@sluice/engine/protocol'
import type { Entry } from './entries.ts'

/** The text of an entry; '' when there is nothing to copy. A call gives its changes or its output. */
export function copyableText(entry: Entry): string {
  switch (entry.kind) {
    case 'user':
    case 'assistant':
    case 'live-text':
    case 'notice':
      return entry.text
    case 'call':
      return blocksText(entry.blocks) || entry.title
    case 'live-call':
      return entry.call.tail.text || blocksText(entry.call.blocks) || entry.call.title
    case 'error':
      return [entry.error.message, entry.error.hint ?? ''].filter((text) => text !== '').join('\n')
    case 'compaction':
      return entry.summary
    case 'session':
    case 'cleared':
    case 'turn-end':
      return ''
  }
}

/** Diffs as `git apply` reads them, everything else as its text. */
export function blocksText(blocks: readonly Block[]): string {
  return blocks
    .map(blockText)
    .filter((text) => text !== '')
    .join('\n')
}

function blockText(block: Block): string {
  switch (block.type) {
    case 'text':
    case 'markdown':
    case 'code':
    case 'output':
    case 'error':
      return block.text
    case 'diff':
      return unifiedDiff(block.diff)
    case 'command':
      return block.command
    case 'files':
      return block.paths.join('\n')
    case 'todo':
      return block.items.map((item) => `- [${item.status === 'done' ? 'x' : ' '}] ${item.text}`).join('\n')
    case 'question':
      return [block.question, block.answer ?? ''].filter((text) => text !== '').join('\n')
  }
}
