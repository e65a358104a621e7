/** What is known of all stored sessions without reading their transcripts: a list, a search, and what a person set on them. */

/** `failing`: the last check after the last edit failed. `none`: nothing was edited and nothing checked. */
export type CheckState = 'verified' | 'failing' | 'unverified' | 'none'

export type SessionSummary = {
  id: string
  /** What the person called it, else what its first exchange is about; '' while nothing was said. */
  title: string
  /** Canonical folder that it works in; '' when its records do not say. */
  cwd: string
  model: string
  /** ISO 8601. */
  startedAt: string
  updatedAt: string
  turns: number
  /** Of the last turn; null while one is open or before the first. */
  stopReason: string | null
  costUsd: number
  additions: number
  deletions: number
  /** A process works on it now. */
  live: boolean
  /** Questions without an answer at the end of the record. */
  pendingApprovals: number
  checks: CheckState
  /** One line: what it waits for, or the next open step of its plan; '' when there is nothing to do. */
  next: string
  pinned: boolean
  tags: string[]
  /** Lines that could not be read; their bytes are still there. */
  lostRecords: number
  /** Bytes of the transcript. */
  bytes: number
  /** The session that it was forked from. */
  forkedFrom: string | null
}

export type SessionFilter = {
  /** Only sessions of this folder. */
  cwd?: string
  /** Words that all occur in title, folder, tags or id, as typed into the picker. */
  words?: string
  limit?: number
  offset?: number
}

export type SessionHit = {
  session: SessionSummary
  /** Around the first match; `marks` are [from, to) offsets of matches in `text`. */
  snippet: { text: string; marks: [number, number][] }
}

export type SessionPreview = {
  /** The last words of the person and the last answer, each bounded. */
  lastInput: string
  lastAnswer: string
  /** Paths changed, most recent first. */
  files: string[]
  todo: { text: string; status: string }[]
  stopReason: string | null
}

/** Derived from the records and rebuildable at any time; pins, tags and titles are kept beside the records. */
export interface SessionIndex {
  /** Pinned ones first, then the last updated. Answers from what is indexed; never reads transcripts. */
  list(filter?: SessionFilter): SessionSummary[]
  count(filter?: Pick<SessionFilter, 'cwd' | 'words'>): number
  get(id: string): SessionSummary | undefined
  /** Full text over words of the person, answers, commands and paths. */
  search(text: string, filter?: Pick<SessionFilter, 'cwd' | 'limit'>): SessionHit[]
  /** Reads the end of one transcript. */
  preview(id: string): SessionPreview
  /** Takes in what was written since; resolves with how many sessions changed. Works in pieces, so that keys are answered in between. */
  refresh(): Promise<number>
  /** Forgets everything and reads all records again. */
  rebuild(): Promise<number>
  rename(id: string, title: string): void
  pin(id: string, pinned: boolean): void
  tag(id: string, tags: readonly string[]): void
  /** Moves the session to the trash; throws while it is live. */
  remove(id: string): void
  /** Takes it back from there. */
  restore(id: string): void
  close(): void
}
