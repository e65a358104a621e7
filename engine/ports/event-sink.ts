/** Something that keeps events: the transcript, the cost ledger. */
import type { AgentEvent } from '../protocol/index.ts'

export interface EventSink {
  /** Called in `seq` order for every event, before any front end sees it. Never throws. */
  write(event: AgentEvent): void
  /**
   * Makes what was written durable; called at turn ends and before closing. With `soon`, when a person is asked something,
   * what is slow about it must hold nothing up.
   */
  flush(soon?: boolean): Promise<void>
  close(): Promise<void>
}
