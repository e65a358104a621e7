/** The trace: one line per finished span, children before their parents; open spans are written by flush at close. */
import type { Clock, Span, Tracer } from '../../ports/index.ts'
import type { TraceSpan } from '../../protocol/index.ts'
import { openAppender } from '../append-line.ts'

/** `redact` gives a span as it may be kept. */
export function createTracer(
  path: string,
  sessionId: string,
  clock: Clock,
  redact: (span: TraceSpan) => TraceSpan = (span) => span,
): Tracer & { close(): void } {
  const file = openAppender(path)
  let seq = 0
  const write = (span: TraceSpan, turnId: string | null) => {
    // A trace that cannot be written must not disturb the turn; the transcript tells about a full disk.
    file.append({ v: 1, seq: ++seq, time: clock.timestamp(), sessionId, turnId, type: 'span', span: redact(span) })
  }

  function open(name: string, turnId: string | null, attributes: Record<string, unknown>, parentId?: string): Span {
    const startedAt = clock.timestamp()
    const startedMs = clock.monotonic()
    const id = clock.id('span')
    const all = { ...attributes }
    let ended = false
    return {
      id,
      child: (childName, childAttributes = {}) => open(childName, turnId, childAttributes, id),
      set: (more) => void Object.assign(all, more),
      end(status = 'ok', more = {}) {
        if (ended) return
        ended = true
        Object.assign(all, more)
        const durationMs = Math.round((clock.monotonic() - startedMs) * 1000) / 1000
        const span: TraceSpan = { id, name, startedAt, endedAt: clock.timestamp(), durationMs, attributes: all, status }
        write(parentId === undefined ? span : { ...span, parentId }, turnId)
      },
    }
  }

  return {
    start: (name, turnId, attributes = {}) => open(name, turnId, attributes),
    flush: async () => file.sync(),
    close: () => file.close(),
  }
}
