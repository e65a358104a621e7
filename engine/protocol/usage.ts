/** Tokens and money of one model reply. */
export type TokenUsage = {
  model: string
  /** All prompt tokens, cached ones included. */
  inputTokens: number
  /** All generated tokens, reasoning included. */
  outputTokens: number
  totalTokens: number
  cachedInputTokens?: number
  reasoningTokens?: number
  /** US dollars; absent when the model's price is not known. */
  costUsd?: number
  /** True when the provider sent no usage and the figures are our estimate. */
  estimated?: boolean
}
