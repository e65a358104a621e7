/** Going back to an earlier turn: what can be gone back to, what it would do to files, and the record of it. */
import type { FileDiff } from './block.ts'

/** `uncounted`: there was too much to compare, so that there are at least so many lines. */
export type ChangedFile = { path: string; additions: number; deletions: number; uncounted?: true }

/** A turn that the conversation consists of. */
export type RewindTurn = {
  turnId: string
  input: string
  /** ISO 8601. */
  time: string
  /** What it changed, as far as captured; paths relative to the workspace where inside. */
  files: ChangedFile[]
  /** What was not captured, one sentence each. */
  gaps: string[]
  /** Those of its calls that changed files, in their order. */
  calls: RewindCall[]
}

/** A call of a turn that changed files: what it did to them can be undone by itself. */
export type RewindCall = RewoundCall & {
  files: ChangedFile[]
  /** What it did that was not captured, one sentence each. */
  gaps: string[]
  /** By the records, each of its files is again as it was before it. */
  undone: boolean
}

/** `title` is one line: the command, or the path. */
export type RewoundCall = { callId: string; tool: string; title: string }

/**
 * `restore`: as the turns left it, so it can go back. `conflict`: somebody else changed it too. `lost`: it cannot be brought
 * back, since its content was not kept or something stands in its way; `why` is a sentence.
 */
export type RewindFile = {
  /** Canonical. */
  path: string
  /** As a person reads it. */
  shown: string
  state: 'restore' | 'conflict' | 'lost'
  why: string
  /** From what is there now to what would be there. */
  diff: FileDiff
  /** There were too many files to compare this one: the diff is empty. */
  uncounted?: true
}

/** `digest` is over the states of all files: what was shown is what a yes is for. */
export type RewindPreview = {
  /** The turn to go back to the beginning of; null when a rewind is undone. */
  turnId: string | null
  input: string
  /** Only what this call did to files; where a rewind is undone, the call that it was about. */
  call?: RewoundCall
  /** Turns that the conversation would lose. */
  turns: number
  conversation: boolean
  files: RewindFile[]
  gaps: string[]
  digest: string
}

export type RewindChoice = {
  preview: Pick<RewindPreview, 'turnId' | 'call' | 'digest'>
  conversation: boolean
  /** Canonical paths of the files to restore; the others stay as they are. */
  restore: readonly string[]
}

export type RewoundFile = { path: string; how: 'written' | 'deleted' | 'failed'; problem?: string }

/** The record of a rewind. The transcript keeps the turns that it leaves behind. */
export type Rewound = {
  id: string
  /** The turn whose beginning was gone back to; null where `undoes` says what was undone. */
  toTurnId: string | null
  input: string
  /** Only what this call of that turn did to files was undone. */
  call?: RewoundCall
  conversation: boolean
  turns: number
  files: RewoundFile[]
  /** Files that went on differing from how they were: the person kept them. */
  kept: string[]
  undoes?: string
  /** The process ended while it was done: how many files were not reached. */
  cutOff?: number
}

export type RewindOutcome = { ok: true; rewound: Rewound } | { ok: false; problem: string }

/** Only between turns; every problem is a sentence, nothing throws or rejects. */
export interface Rewind {
  /** Oldest first. */
  turns(): Promise<RewindTurn[]>
  /** The last rewind that was not undone yet; once it is, the one before it. */
  undoable(): Rewound | null
  /**
   * What going back to before the turn would do, or undoing what one of its calls did to files; null undoes the last
   * rewind. A string says why it cannot be.
   */
  preview(turnId: string | null, callId?: string): Promise<RewindPreview | string>
  /** Does what was previewed; refused when a file has changed since. */
  apply(choice: RewindChoice): Promise<RewindOutcome>
}
