/** Wraps `fetch` so that the SDK always reads a well-formed event stream, and notes what the SDK would hide. */

/** A 200 answer that is no event stream: a web page, other JSON (`body` when it parsed), or nothing at all. */
export type Misfit = { kind: 'html' | 'json' | 'empty'; text: string; body?: unknown }

/** What was seen on the wire of one request. `done` is the `[DONE]` line; times are monotonic ms. */
export type Wire = { lastByteAt: number; done: boolean; misfit?: Misfit; fetch: typeof fetch }

const pageLimit = 4_096
const bodyLimit = 32 * 1024 * 1024

/**
 * The returned `fetch` serves one request. A whole chat completion sent as plain JSON is turned into one event, since
 * some servers ignore `stream`; a blank line is added at the end, without which the last event would be lost.
 */
export function createWire(): Wire {
  const wire: Wire = {
    lastByteAt: performance.now(),
    done: false,
    fetch: async (input, init) => {
      const response = await fetch(input, init)
      wire.lastByteAt = performance.now()
      if (!response.ok || !response.body) return response
      const { status, statusText, headers } = response
      return new Response(toStream(events(response.body, wire)), { status, statusText, headers })
    },
  }
  return wire
}

function toStream(source: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const step = await source.next()
        if (step.done) controller.close()
        else controller.enqueue(step.value)
      },
      async cancel() {
        await source.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}

async function* events(body: ReadableStream<Uint8Array>, wire: Wire): AsyncGenerator<Uint8Array> {
  const sawDone = doneLine()
  let kind: 'unknown' | 'events' | 'html' | 'json' = 'unknown'
  const held: Uint8Array[] = []
  let heldBytes = 0
  const source = body.getReader()

  try {
    for (;;) {
      const step = await source.read()
      if (step.done) break
      const bytes = step.value
      wire.lastByteAt = performance.now()
      if (kind === 'events') {
        wire.done ||= sawDone(bytes)
        yield bytes
        continue
      }
      held.push(bytes)
      heldBytes += bytes.length
      if (kind === 'unknown') {
        kind = kindOf(bytes)
        if (kind === 'events') {
          for (const piece of held.splice(0)) {
            wire.done ||= sawDone(piece)
            yield piece
          }
        }
      }
      if (heldBytes > (kind === 'html' ? pageLimit : bodyLimit)) break
    }
  } finally {
    if (wire.done) void drain(source)
    else source.cancel().catch(() => {})
  }

  if (kind !== 'events') {
    const text = new TextDecoder().decode(Buffer.concat(held)).trim()
    const body = kind === 'json' ? parsed(text) : undefined
    if (isCompletion(body)) {
      wire.done = true
      yield Buffer.from(`data: ${JSON.stringify(body)}\n\ndata: [DONE]`)
    } else {
      wire.misfit = { kind: kind === 'unknown' ? 'empty' : kind, text, ...(body === undefined ? {} : { body }) }
    }
  }
  const end = Buffer.from('\n\n')
  wire.done ||= sawDone(end)
  yield end
}

/** Reads what follows `[DONE]`, so that the connection serves the next request; a server that does not end it loses it. */
async function drain(source: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const giveUp = setTimeout(() => source.cancel().catch(() => {}), 500).unref()
  try {
    while (!(await source.read()).done);
  } catch {
    // The reply is whole already; how the connection ends changes nothing.
  } finally {
    clearTimeout(giveUp)
  }
}

/** Judged by the first byte that is neither blank nor a byte order mark: headers are often wrong, this is not. */
function kindOf(bytes: Uint8Array): 'unknown' | 'events' | 'html' | 'json' {
  const first = bytes.find((byte) => ![0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf].includes(byte))
  if (first === undefined) return 'unknown'
  if (first === 0x3c) return 'html'
  return first === 0x7b || first === 0x5b ? 'json' : 'events'
}

/** Finds the line `data: [DONE]` however the bytes are cut; inside JSON strings a line break is always escaped. */
function doneLine(): (bytes: Uint8Array) => boolean {
  let tail = '\n'
  return (bytes) => {
    const text = tail + Buffer.from(bytes).toString('latin1')
    tail = text.slice(-40)
    return /[\r\n]data:[ \t]*\[DONE\][ \t]*[\r\n]/.test(text)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isCompletion(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'choices' in body && Array.isArray(body.choices)
}
