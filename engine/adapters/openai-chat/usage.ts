/** Tokens and money of one reply, read from the server or estimated. */
import type { TokenUsage } from '../../protocol/index.ts'

/** US dollars per million tokens; without `cachedInput`, cached tokens cost what others cost. */
export type TokenPrice = { input: number; cachedInput?: number; output: number }

type Sources = {
  model: string
  price?: TokenPrice
  /** The server's usage as it came, if any. */
  raw: unknown
  /** The request and the answer as text; only read when the server sent no usage. */
  sent: () => string
  generated: () => string
}

/** The reply's usage; `estimated` when the server sent none. */
export async function usageOf(sources: Sources): Promise<TokenUsage> {
  const usage = read(sources.raw, sources.model) ?? (await estimate(sources))
  if (sources.price) usage.costUsd = costOf(usage, sources.price)
  return usage
}

function read(raw: unknown, model: string): TokenUsage | undefined {
  if (typeof raw !== 'object' || raw === null) return undefined
  const figures = raw as { [key: string]: unknown }
  const input = count(figures.prompt_tokens) ?? count(figures.input_tokens) ?? 0
  const said = count(figures.completion_tokens) ?? count(figures.output_tokens) ?? 0
  if (input === 0 && said === 0) return undefined
  // Where the total is larger, the server left the reasoning out of the completion.
  const output = Math.max(said, (count(figures.total_tokens) ?? 0) - input)
  const usage: TokenUsage = { model, inputTokens: input, outputTokens: output, totalTokens: input + output }
  const cached = detail(figures.prompt_tokens_details, 'cached_tokens') ?? count(figures.prompt_cache_hit_tokens)
  if (cached !== undefined) usage.cachedInputTokens = Math.min(cached, input)
  const reasoning = detail(figures.completion_tokens_details, 'reasoning_tokens')
  if (reasoning !== undefined) usage.reasoningTokens = reasoning
  return usage
}

async function estimate({ model, sent, generated }: Sources): Promise<TokenUsage> {
  const { estimateTokenCount } = await import('tokenx')
  const inputTokens = estimateTokenCount(sent())
  const outputTokens = estimateTokenCount(generated())
  return { model, inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, estimated: true }
}

function costOf(usage: TokenUsage, price: TokenPrice): number {
  const cached = usage.cachedInputTokens ?? 0
  const fresh = usage.inputTokens - cached
  const perMillion =
    fresh * price.input + cached * (price.cachedInput ?? price.input) + usage.outputTokens * price.output
  return perMillion / 1_000_000
}

function detail(value: unknown, name: string): number | undefined {
  return typeof value === 'object' && value !== null ? count((value as { [key: string]: unknown })[name]) : undefined
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}
