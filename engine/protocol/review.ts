/** What a person says afterwards about changes that were applied without their look. */
import type { FileDiff } from './block.ts'

/** A change of a call that no person has looked at; `id` is its own, also where a provider uses a call's id again. */
export type Unreviewed = {
  id: string
  turnId: string | null
  callId: string
  tool: string
  /** ISO 8601: when it was applied. */
  time: string
  /** As the call applied it. */
  diff: FileDiff
}

/** What stays of each hunk: all of it, or the indices of its kept changed lines; a hunk that is not named is taken back. */
export type KeptLines = Record<number, true | number[]>

/** The record of one look. `kept` and `reverted` are hunks of the call's change, from 0; in part taken back is reverted. */
export type Review = {
  id: string
  turnId: string | null
  callId: string
  tool: string
  path: string
  kept: number[]
  reverted: number[]
  /** What taking back did to the file; null when everything stays. */
  change: FileDiff | null
  /** The person's words for the model. */
  message?: string
  /** It takes the review of this id back: the change waits for a look again. */
  undoes?: string
}

/**
 * How an applied change stands in the file by now. `same`: nothing else was changed since. `conflicts` are the hunks, from
 * 0, that cannot be taken back, each with the reason.
 */
export type ChangeStanding = { same: boolean; conflicts: Record<number, string> }

export type ReviewOutcome =
  | { ok: true; review: Review }
  | { ok: false; problem: string; conflicts: Record<number, string> }

/** The queue of a session: what accept-edits, yolo or a rule applied, until a person has looked at it. */
export interface ReviewDebt {
  /** Oldest first. */
  list(): readonly Unreviewed[]
  /** Null when it is not in the queue (any more). */
  standing(id: string): Promise<ChangeStanding | null>
  /**
   * Keeps what is selected and takes the rest back: the file is written whole or not at all, never over something that
   * changed meanwhile, and the model hears of it with the next request. While a turn runs everything can be kept only.
   * Never rejects.
   */
  settle(id: string, kept: KeptLines, message?: string): Promise<ReviewOutcome>
  /** Reviews of this session that can be undone, oldest first. */
  undoable(): readonly Review[]
  /** Puts back what a review took away, if it did; the change waits for a look again. Never rejects. */
  undo(reviewId: string): Promise<ReviewOutcome>
}
