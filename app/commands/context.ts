/** What a slash command may do; the app gives it, commands import nothing else of the app. */
import type { PermissionMode, SessionHandle, TokenUsage } from '@sluice/engine/protocol'
import type { KeyTable, ThemeName } from '@sluice/permissions-ui'

export type NoticeLevel = 'info' | 'warn'

/** Sums over the session. `costUsd` is null when the price of a model that was used is not known. */
export type SessionUsage = Pick<TokenUsage, 'inputTokens' | 'outputTokens' | 'totalTokens'> & {
  cachedInputTokens: number
  costUsd: number | null
  replies: number
  /** True when a provider sent no figures for a part. */
  estimated: boolean
}

export type ModelChoice = { name: string; note?: string }

export type Themes = {
  chosen(): ThemeName
  /** What `auto` came to. */
  shown(): string
  /** False where the terminal has no colours, or none are wanted. */
  colors(): boolean
  choose(name: ThemeName): void
  /** Where a choice is kept. */
  configFile: string
}

/** `gone`: the folder is not there any more. */
export type FolderUnsaid = { id: string; folder: string; gone: boolean }

export interface CommandContext {
  /** The session in focus. */
  readonly session: SessionHandle
  readonly table: KeyTable
  /** All commands, for help and near matches. */
  readonly commands: readonly Command[]
  /** Shows text in the transcript; it never reaches the model. Lines are kept. */
  notice(text: string, level?: NoticeLevel): void
  /** Opens an overlay by name; `argument` is what was typed after the command. False when there is none of that name. */
  openOverlay(name: string, argument?: string): boolean
  quit(): void
  /** The sessions of this process; both speak for themselves when they cannot do it. */
  readonly sessions: {
    open(prompt: string): Promise<void>
    close(): Promise<void>
    /**
     * Goes on with the stored session that the words mean, and says what is in the way of it. `unclear` when they mean none,
     * or several; its folder when it must first be said where it goes on.
     */
    resume(words: string, where?: 'here' | 'there'): Promise<'done' | 'unclear' | FolderUnsaid>
    rename(title: string): Promise<void>
    /** Opens a copy of this session, and sends it the prompt unless that is empty. Null, or why it cannot be. */
    fork(prompt: string): Promise<string | null>
    /** Absent where a list can be shown: what stands in it, as text. */
    listed?(words: string): Promise<string>
  }
  readonly rewind: {
    /** Takes the last rewind back. Null, or why it cannot be. */
    undo(): Promise<string | null>
    /** Absent where a list can be shown: what is answered to these words. */
    spoken?(words: string): Promise<string>
  }
  running(): boolean
  mode(): PermissionMode
  /** As selected now: `gpt-5.2`, `scripted:demo`. */
  model(): string
  models(): readonly ModelChoice[]
  usage(): SessionUsage
  /** The last answer as the model wrote it; null before there is one. */
  lastAnswer(): string | null
  copy(text: string): Promise<{ ok: boolean; text: string }>
  /** Whether the wheel scrolls here; absent where there is no full screen. */
  mouse?(): boolean
  setMouse?(on: boolean): void
  /** Puts the question about this folder back on the screen; false when there is none. Absent where nobody can answer. */
  askTrust?(): boolean
  /** Absent where nothing is coloured. */
  readonly themes?: Themes
}

export interface Command {
  /** Without the slash. */
  readonly name: string
  readonly aliases?: readonly string[]
  /** Half a line. */
  readonly description: string
  /** How the argument is written in lists: `[mode]`, or `<title>` where nothing can be done without it. */
  readonly argumentHint?: string
  /** A thrown value becomes a notice. */
  run(args: string, context: CommandContext): void | Promise<void>
}
