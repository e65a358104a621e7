/** The one way in and out of a running session for every front end. */
import type { AgentEvent } from './event.ts'
import type { Decision, PermissionMode } from './permission.ts'

/** Words that wait for the running turn; they join it between two model calls, or start the next turn. */
export type QueuedInput = { id: string; text: string }

export interface SessionHandle {
  readonly id: string
  readonly cwd: string
  /** Events in `seq` order, from now on; the returned function stops them. */
  subscribe(listener: (event: AgentEvent) => void): () => void
  /** Starts a turn, or queues the words while one is running (a `queue` event tells). */
  send(input: string): void
  /** Takes queued words back; null when they have already joined a turn. */
  unqueue(id: string): string | null
  /** Ends the running turn with `user_abort`; nothing happens without one. */
  interrupt(): void
  /** Answers an open request; false when it is not open (any more): the first answer wins. */
  answer(requestId: string, decision: Decision): boolean
  setMode(mode: PermissionMode): void
  /** Selects another model by name for the next call; throws AgentError when there is none of that name. */
  setModel(model: string): void
  /** Gives the session a name of the person's. */
  setTitle(title: string): void
  /** Puts a remark of the front end into the record; it never reaches the model. */
  notice(level: 'info' | 'warn', code: string, text: string): void
  /** Forgets the conversation for the model (`/clear`); the transcript keeps it. Only while idle. */
  clear(): void
  /**
   * Aborts what runs, writes what is to be written, ends with `session_end`. With `leaveQuestions`, a turn that only waits
   * for a person stays open in the records, and whoever resumes it is asked again.
   */
  close(how?: { leaveQuestions: boolean }): Promise<void>
}
