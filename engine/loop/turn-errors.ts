/** What a turn ends with that cannot go on: why, and what the person can do. */
import type { BuiltContext } from '../context/build.ts'
import type { AgentErrorShape } from '../protocol/index.ts'
import type { TurnLimits } from './limits.ts'

/** Undefined while the session may cost more. */
export function budgetError({ maxCostUsd }: TurnLimits, spentUsd: number): AgentErrorShape | undefined {
  if (maxCostUsd === undefined || spentUsd < maxCostUsd) return undefined
  return {
    code: 'BUDGET_EXCEEDED',
    message: `The session has cost $${spentUsd.toFixed(4)}, the limit is $${maxCostUsd}.`,
    hint: 'Start again with a higher --max-cost to go on.',
  }
}

export function tooLarge({ budget }: BuiltContext): AgentErrorShape {
  return {
    code: 'CONTEXT_TOO_LARGE',
    message: `This turn needs about ${budget.used} tokens; the model takes ${budget.limit} with ${budget.reserve} kept for the answer.`,
    hint: 'Use /clear, a shorter message, or a model with a larger window.',
    details: { sections: budget.sections },
  }
}

export const cutAnswer: AgentErrorShape = {
  code: 'MODEL_BAD_RESPONSE',
  message: "The answer was cut off by the model's output limit.",
  hint: 'What came is kept. Ask for the rest, or for a shorter answer.',
}

/** Calls that were cut off are told to the model this many times in a row before the turn ends. */
export const maxCutReplies = 3

export const cutCalls: AgentErrorShape = {
  code: 'MODEL_BAD_RESPONSE',
  message: `The model's tool calls were cut off by its output limit ${maxCutReplies} times in a row. None of them was run.`,
  hint: 'Ask for the work in smaller steps, or use a model with a larger output limit.',
}

export const refusedAnswer: AgentErrorShape = {
  code: 'MODEL_REFUSED',
  message: "The provider's content filter stopped the answer.",
  hint: 'Put the request differently, or use another model.',
}
