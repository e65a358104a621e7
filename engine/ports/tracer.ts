/** Timed steps of a turn, written as TraceSpans. */
export interface Tracer {
  /** Starts the root span of a turn, or a span outside turns when `turnId` is null. Never throws. */
  start(name: string, turnId: string | null, attributes?: Record<string, unknown>): Span
  flush(): Promise<void>
}

export interface Span {
  readonly id: string
  child(name: string, attributes?: Record<string, unknown>): Span
  set(attributes: Record<string, unknown>): void
  /** First call wins; a span that is never ended is written by `flush` of the tracer as open. */
  end(status?: 'ok' | 'error', attributes?: Record<string, unknown>): void
}

/** Runs `work` inside a child span; a thrown value marks it as failed. */
export async function inSpan<T>(
  parent: Span,
  name: string,
  attributes: Record<string, unknown>,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const span = parent.child(name, attributes)
  try {
    const value = await work(span)
    span.end('ok')
    return value
  } catch (error) {
    span.end('error', { error: error instanceof Error ? error.message : String(error) })
    throw error
  }
}
