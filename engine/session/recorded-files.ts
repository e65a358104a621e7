/** Which versions of which files the model has seen, as far as a record can tell. */
import type { SeenFile } from '../ports/index.ts'
import type { Block, EventOf, FileDiff, ToolCall, ToolKind } from '../protocol/index.ts'
import { countRedactions } from './redact.ts'

/** `name` is relative to the workspace, or absolute outside it. */
export type RecordedFile = { name: string; seen: SeenFile }

/** What a call would have done, without the text of it. */
export type Proposal = { kind: ToolKind; title: string; files: Pick<FileDiff, 'path' | 'oldHash' | 'newHash'>[] }

export function proposalOf({ kind, title, blocks }: EventOf<'tool_proposed'>): Proposal {
  return { kind, title, files: blocks.flatMap(fileOf) }
}

/** The tool that must have seen a file as a whole, and the one that shows it. */
const wholeTool = 'write_file'
const readTool = 'read_file'

export function createRecordedFiles() {
  const seen = new Map<string, SeenFile>()
  const note = (name: string, hash: string, whole: boolean) => {
    const before = seen.get(name)
    seen.set(name, { hash, whole: whole || (before?.hash === hash && before.whole) })
  }
  const wrote = (call: ToolCall, name: string, oldHash: unknown, newHash: string) => {
    const before = seen.get(name)
    const whole =
      call.name === wholeTool || oldHash === null || (before !== undefined && before.hash === oldHash && before.whole)
    seen.delete(name)
    // What the record leaves out the resumed model does not know.
    note(name, newHash, whole && countRedactions(call.input).size === 0)
  }
  return {
    result({ call, result }: EventOf<'tool_result'>) {
      const { path, hash, oldHash, newHash, truncated, startLine } = result.metadata
      if (typeof path !== 'string') return
      if (call.name === readTool && result.ok && typeof hash === 'string') {
        const whole = truncated === false && typeof startLine === 'number' && startLine <= 1
        note(path, hash, whole && countRedactions(result.content).size === 0)
      } else if (newHash !== undefined) {
        if (result.ok && typeof newHash === 'string') wrote(call, path, oldHash, newHash)
        else seen.delete(path)
      }
    },
    /** An edit that ran when the process died: where its new content is there, it is the model's own. */
    interrupted(call: ToolCall, proposal: Proposal | null, hashOf?: (name: string) => string | null | undefined) {
      for (const { path, oldHash, newHash } of proposal?.files ?? []) {
        if (newHash !== null && hashOf?.(path) === newHash) wrote(call, path, oldHash, newHash)
      }
    },
    clear: () => seen.clear(),
    all: (): RecordedFile[] => [...seen].map(([name, file]) => ({ name, seen: file })),
  }
}

function fileOf(block: Block): Proposal['files'] {
  if (block.type !== 'diff') return []
  const { path, oldHash, newHash } = block.diff
  return [{ path, oldHash: oldHash ?? null, newHash: newHash ?? null }]
}
