/** Runs one call that was allowed, and again where a person lets it: made anew on a changed file, or outside the sandbox. */
import type { ToolOutcome } from '../ports/index.ts'
import { attempt, prepareContext } from './attempt.ts'
import { type Entry, type Ready, readyOf, type Settled } from './call-entry.ts'
import { interrupted, settle, withWords } from './outcomes.ts'
import { askOutside, ranOutside, tellOfWalls, withRefusals } from './sandboxing.ts'
import { afterChange, prepareAnew } from './stale-edit.ts'
import type { ExecutorPorts, ReplyContext } from './tool-executor.ts'

/** timeout + abort → run → truncate → audit. */
export async function runCall(
  entry: Entry,
  ready: Ready,
  askAgain: (reason: string) => Promise<void>,
  ports: ExecutorPorts,
  reply: ReplyContext,
): Promise<Settled> {
  const { call } = entry
  const { tool, prepared } = ready
  if (reply.signal.aborted) return settle(interrupted(), 0, ports, tool)
  reply.emit({ type: 'state', name: 'run_tools' })
  reply.emit({ type: 'tool_start', call })
  const startedAt = ports.clock.monotonic()
  const span = reply.span.child(`tool.${tool.name}`, { callId: call.id, title: prepared.title })
  const ran = await attempt(entry, ready, ports, reply, span, ready.sandbox === 'on')
  const first = entry.again === undefined ? ran : afterChange(ran)
  // The model has not read what it was made on.
  if (first !== ran) for (const write of prepared.writes ?? []) ports.files.forget(write.path)
  const renewed = await renewStale(first, entry, askAgain, ports, reply)
  if (renewed) {
    const outcome =
      'refused' in renewed ? renewed.refused : await attempt(entry, renewed.ready, ports, reply, span, false)
    if (outcome.ok) ports.files.forget(renewed.path)
    const durationMs = Math.round(ports.clock.monotonic() - startedAt)
    const blocks = entry.ready?.prepared.blocks ?? prepared.blocks
    const settled = settle(withWords(entry, afterChange(outcome)), durationMs, ports, tool, blocks)
    span.end(outcome.ok ? 'ok' : 'error', { summary: settled.result.summary })
    return settled
  }
  tellOfWalls(first, prepared.title, ports, reply)
  const outside = await askOutside(first, { call, tool, prepared }, ports, reply)
  let outcome = withRefusals(
    first,
    outside ? `; it was not run outside: ${outside.message || 'the person said no'}` : '',
  )
  if (outside?.allowed) {
    const second = await attempt(entry, ready, ports, reply, span, false, outside.fingerprint)
    outcome = ranOutside(second, first)
  }
  const durationMs = Math.round(ports.clock.monotonic() - startedAt)
  const settled = settle(withWords(entry, outcome), durationMs, ports, tool, prepared.blocks)
  span.end(outcome.ok ? 'ok' : 'error', { summary: settled.result.summary })
  return settled
}

/** Asks about a stale edit again, if it can be made anew; null where the failure goes to the model. */
async function renewStale(
  outcome: ToolOutcome,
  entry: Entry,
  askAgain: (reason: string) => Promise<void>,
  ports: ExecutorPorts,
  reply: ReplyContext,
): Promise<({ path: string } & ({ ready: Ready } | { refused: ToolOutcome })) | null> {
  const { call, tool } = entry
  if (!tool || !entry.decidedByPerson || reply.signal.aborted) return null
  const renewed = await prepareAnew(outcome, entry, prepareContext(call, new Map(), ports, reply))
  if (renewed === null) return null
  const { path, prepared } = renewed
  entry.ready = readyOf(tool, prepared, ports.digest)
  entry.refused = undefined
  await askAgain('the file changed while you decided; this is the new change')
  if (entry.refused !== undefined) return { path, refused: entry.refused }
  reply.emit({ type: 'state', name: 'run_tools' })
  return { path, ready: entry.ready }
}
