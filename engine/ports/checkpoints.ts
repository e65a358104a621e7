/** What calls did to files, kept so that it can be undone: the state of each file before and after. */
import type { PermissionNeed, Rewound } from '../protocol/index.ts'

/**
 * A file at one moment. `hash` is sha256 hex of its bytes, `mode` its permission bits; `kept` says that the bytes are
 * stored. `other` is a folder, or what is never restored: a device.
 */
export type FileState =
  | { kind: 'absent' }
  | { kind: 'file'; hash: string; size: number; mode: number; kept: boolean }
  | { kind: 'link'; target: string }
  | { kind: 'other'; what: string }

/** `path` is canonical; `after` is null when the process ended before it was looked at. */
export type FileEffect = {
  path: string
  before: FileState
  after: FileState | null
  additions: number
  deletions: number
  /** There was too much to count: there are at least so many. */
  uncounted?: true
}

/** Folders that a call made, and those without a file that it removed; canonical. */
export type FolderEffects = { made: string[]; gone: string[] }

/** What one call changed. `turnId` is the id of the turn, or of the rewind that did it; `gaps` are sentences on what is not in it. */
export type CallEffects = {
  turnId: string
  callId: string
  tool: string
  /** ISO 8601, when it began. */
  time: string
  files: FileEffect[]
  gaps: string[]
  folders?: FolderEffects
}

/**
 * A rewind that is about to be done: `files` in their order, `after` as they will be; `rewound` as it would be recorded.
 * `folders` are those that it may make or remove, by whether they are there before.
 */
export type PendingRewind = { effects: CallEffects; rewound: Rewound; folders: Record<string, boolean> }

export type WatchedCall = {
  turnId: string
  callId: string
  tool: string
  /** The files it may write, canonical; null when that can be anything in the workspace. */
  writes: readonly string[] | null
  /** What is known of a call that may write anything. */
  needs?: readonly PermissionNeed[]
  signal: AbortSignal
  /** It waits longer than a moment for its turn; why. */
  waiting?(why: string): void
}

/** When the change that is undone began, and which folders came with it although they may be older; canonical. */
export type Undone = { since: string; folders?: ReadonlySet<string> }
export type PlannedRestore = { path: string; now: FileState; to: FileState }
export type RestoreResult = { ok: true } | { ok: false; problem: string }

export interface Checkpoints {
  /** A call that may change anything may run soon: gets the slow part done while the model or a person thinks. Never throws. */
  expect(): void
  /**
   * Keeps what a call may change; it may run once this resolves, which takes a bounded time. `end` is called when it has
   * ended, and returns at once: the next `begin` waits for what it has to do. Neither throws nor rejects.
   */
  begin(call: WatchedCall): Promise<{ end(): void }>
  /** Everything recorded, oldest first; waits for calls that have ended. Never rejects. */
  effects(): Promise<CallEffects[]>
  /** Adds what was done otherwise; `before` must have been `look`ed at with `keep`. */
  record(effects: CallEffects): void
  /**
   * Keeps what a rewind is about to do, until it is `settled`: should the process end before, the next one knows. Returns why
   * it could not be kept, or undefined.
   */
  intend(rewind: PendingRewind): string | undefined
  /** What was intended and never settled; null when there is none. Takes no time. */
  pending(): PendingRewind | null
  settled(): void
  /** The state of a file now, absent where its folder is a link by now; with `keep` its bytes are stored, whatever the size. */
  look(path: string, keep?: boolean): Promise<FileState>
  /** Kept bytes; null when they are not (any more). */
  content(hash: string): Promise<Uint8Array | null>
  /** The bytes of a file as it is now; null when it is no regular file. */
  bytes(path: string): Promise<Uint8Array | null>
  /**
   * Brings a file from one state into another, as a whole or not at all; refuses when it is not in the first one any
   * more, or when its folder now leads somewhere else. `to` may be a folder: the file goes, and the folder is empty. Empty
   * folders that came with what is undone go with their last file.
   */
  restore(path: string, from: FileState, to: FileState, undone: Undone): Promise<RestoreResult>
  /** Why `restore` would refuse, by path, were all of these done together. Never rejects. */
  obstacles(plans: readonly PlannedRestore[]): Promise<ReadonlyMap<string, string>>
  /** Removes those of `made` that hold nothing, and makes those that are `gone`, as far as that is possible. Never rejects. */
  restoreFolders(folders: FolderEffects): Promise<void>
  /** For each path whether it is a folder, not through a link. Never rejects. */
  foldersThere(paths: readonly string[]): Promise<Record<string, boolean>>
  /** Why effects of commands are not captured at all in this folder; null when they are, as far as known. */
  unavailable(): string | null
  close(): Promise<void>
}
