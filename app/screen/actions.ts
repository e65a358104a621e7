/** What the screen asks of the program around it; everything else it does with the store. */
import type { Decision, PermissionMode } from '@sluice/engine/protocol'

/** All of them act on the session in focus, unless a session is named. None of them throws. */
export interface AppActions {
  /** Words for the model. */
  send(text: string): void
  /** A line that starts with `/`: true when it was a command, and never reaches the model then. */
  runCommand(line: string): boolean
  /** Runs a shell command through the gate, as a turn of its own; null, or why it is not run. */
  runShell(command: string): string | null
  /** Ends the running turn. */
  interrupt(): void
  /** False when the question is no longer open. */
  answer(sessionId: string, requestId: string, decision: Decision): boolean
  /** The answer to whether this folder is trusted. */
  answerTrust(trusted: boolean): void
  setMode(mode: PermissionMode): void
  /** Takes queued words back; null when they have already joined a turn. */
  unqueue(id: string): string | null
  copy(text: string): void
  /** Shows a text in the person's editor; changes to it are dropped. */
  openInEditor(text: string): void
  /** Shows a text in the person's pager. */
  openInPager(text: string): void
  /** Ctrl+Z. */
  suspend(): void
  /** Ctrl+L: the whole frame again. */
  redraw(): void
  quit(): void
}
