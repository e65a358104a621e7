/** Has the files that a call may change kept while it runs, so that a rewind can bring them back. */
import type { Prepared, Tool } from '../ports/index.ts'
import type { PermissionNeed } from '../protocol/index.ts'
import type { ExecutorPorts, ReplyContext } from './tool-executor.ts'

type Watched = { callId: string; tool: Tool; writes: readonly string[] | null }

/** What may be written: named files, anything (null), or nothing (undefined). */
export function writesOf(tool: Tool, prepared: Pick<Prepared<unknown>, 'writes'>): Watched['writes'] | undefined {
  if (tool.kind === 'execute') return null
  return tool.kind === 'edit' ? (prepared.writes?.map(({ path }) => path) ?? null) : undefined
}

type Watch = Omit<Watched, 'writes'> & { writes: Watched['writes'] | undefined; needs?: readonly PermissionNeed[] }

export function watched<T>(call: Watch, ports: ExecutorPorts, reply: ReplyContext, run: () => Promise<T>): Promise<T> {
  return watchedTogether([call], ports, reply, run)
}

/** The same for calls that are done as one: what each of them writes is kept as its own, so that it can be undone by itself. */
export async function watchedTogether<T>(
  calls: readonly Watch[],
  ports: ExecutorPorts,
  reply: ReplyContext,
  run: () => Promise<T>,
): Promise<T> {
  const { turnId, signal } = reply
  const watches: { end(): void }[] = []
  for (const { callId, tool, writes, needs } of calls) {
    if (ports.checkpoints === undefined || writes === undefined) continue
    const waiting = (why: string) => reply.emit({ type: 'tool_output', callId, chunk: `${why}\n` })
    watches.push(await ports.checkpoints.begin({ turnId, callId, tool: tool.name, writes, needs, signal, waiting }))
  }
  try {
    return await run()
  } finally {
    for (const watch of watches) watch.end()
  }
}
