/** What a server turned out not to understand; learned from its refusals and remembered by the adapter. */

export type Dialect = {
  /** Ask for a usage chunk with `stream_options`. */
  streamUsage: boolean
  limitName: 'max_tokens' | 'max_completion_tokens'
  /** Send `reasoning_effort: none` with tools: some models take tools on this endpoint only so. */
  noEffort: boolean
}

/** The first guess for a host. */
export function firstDialect(official: boolean): Dialect {
  return { streamUsage: true, limitName: official ? 'max_completion_tokens' : 'max_tokens', noEffort: false }
}

/** The dialect to try next after a refusal with `status` and the server's words, or undefined when it says nothing of the kind. */
export function adapted(dialect: Dialect, status: number | undefined, words: string): Dialect | undefined {
  if (status !== 400 && status !== 422) return undefined
  if (dialect.streamUsage && /stream_options|include_usage/i.test(words)) return { ...dialect, streamUsage: false }
  const other = dialect.limitName === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens'
  if (new RegExp(`\\b${dialect.limitName}\\b`).test(words) && isUnknownField(words)) {
    return { ...dialect, limitName: other }
  }
  if (!dialect.noEffort && /reasoning_effort/.test(words) && /\bnone\b/.test(words))
    return { ...dialect, noEffort: true }
  return undefined
}

function isUnknownField(words: string): boolean {
  return /unsupported|not supported|unrecogni[sz]ed|unknown|unexpected|extra/i.test(words)
}
