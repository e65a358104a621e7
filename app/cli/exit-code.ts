/** Why a run ended, as the exit code of the contract. */
import type { StopReason } from '@sluice/engine/protocol'

const codes: Record<StopReason, number> = {
  final_answer: 0,
  tool_error: 1,
  model_error: 3,
  max_turns: 4,
  time_limit: 4,
  budget_exceeded: 4,
  context_too_large: 4,
  user_abort: 130,
}

export const signalCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const
export type StopSignal = keyof typeof signalCodes

/** 5 wins over every reason: a script must learn that something was not permitted. A signal wins over all. */
export function exitCode(reason: StopReason, unanswered: boolean, signal?: StopSignal): number {
  if (signal) return signalCodes[signal]
  return unanswered ? 5 : codes[reason]
}
