/** Has the files that a call may change kept while it runs, so that a rewind can bring them back. */
import type { Prepared, Tool } from '../ports/index.ts'
import type { ExecutorPorts, ReplyContext } from './tool-executor.ts'

type Watched = { callId: string; tool: Tool; writes: readonly string[] | null }

/** What may be written: named files, anything (null), or nothing (undefined). */
export function writesOf(tool: Tool, prepared: Pick<Prepared<unknown>, 'writes'>): Watched['writes'] | undefined {
  if (tool.kind === 'execute') return null
  return tool.kind === 'edit' ? (prepared.writes?.map(({ path }) => path) ?? null) : undefined
}

export async function watched<T>(
  { callId, tool, writes }: { callId: string; tool: Tool; writes: Watched['writes'] | undefined },
  ports: ExecutorPorts,
  reply: ReplyContext,
  run: () => Promise<T>,
): Promise<T> {
  if (ports.checkpoints === undefined || writes === undefined) return run()
  const { turnId, signal } = reply
  const watch = await ports.checkpoints.begin({ turnId, callId, tool: tool.name, writes, signal })
  try {
    return await run()
  } finally {
    watch.end()
  }
}
