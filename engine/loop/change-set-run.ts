/** Writes what was decided about a change set as one, all of its files or none, and says for each call what became of it. */
import type { PlannedFile, ToolOutcome } from '../ports/index.ts'
import type { Block } from '../protocol/index.ts'
import { prepareContext, recordOutcome, runContext, withLimits } from './attempt.ts'
import { digestOf, type Entry, type Settled } from './call-entry.ts'
import { type ChangeSet, decideSet, pathOf, preparedOf, readyOfEntry, type SetFile, setOf } from './change-set.ts'
import { failure, interrupted, settle, withWords } from './outcomes.ts'
import { afterChange, type FoundVersion, preparedOn, versionFound } from './stale-edit.ts'
import type { ExecutorPorts, ReplyContext } from './tool-executor.ts'
import { watchedTogether } from './watched.ts'

/** Writes what was permitted as one, and says for each call what became of it. A stale set is asked about once more. */
export async function runSet(set: ChangeSet, ports: ExecutorPorts, reply: ReplyContext): Promise<Map<Entry, Settled>> {
  const startedAt = ports.clock.monotonic()
  const settled = new Map<Entry, Settled>()
  const live = set.entries.filter((entry) => !entry.refused)
  if (live.length === 0) return settled
  if (reply.signal.aborted) {
    for (const entry of live) settled.set(entry, settle(interrupted(), 0, ports, entry.tool))
    return settled
  }
  reply.emit({ type: 'state', name: 'run_tools' })
  const spans = new Map(
    live.map((entry) => {
      reply.emit({ type: 'tool_start', call: entry.call })
      const title = preparedOf(entry).title
      return [entry, reply.span.child(`tool.${readyOfEntry(entry).tool.name}`, { callId: entry.call.id, title })]
    }),
  )
  const write = (now: ChangeSet) => writeSet(now, startedAt, ports, reply)
  let outcomes = await write(set)
  const renewed = reply.signal.aborted ? null : await renewSet(set, outcomes, ports, reply)
  const last = renewed?.set ?? set
  if (renewed) outcomes = new Map([...outcomes, ...renewed.failed, ...(await write(renewed.set))])
  for (const entry of live) {
    const file = last.files.find(({ entries }) => entries.includes(entry))
    const changed = renewed?.found.some(({ path }) => path === file?.path) ?? false
    if (changed && file) ports.files.forget(file.path)
    const outcome = entry.refused ?? outcomes.get(entry) ?? failure('INTERNAL', 'The change was not written.')
    const said = withWords(entry, changed ? afterChange(outcome) : outcome)
    const one = settle(said, ports.clock.monotonic() - startedAt, ports, entry.tool, blocksOf(entry, file))
    one.result.metadata.durationMs = Math.round(ports.clock.monotonic() - startedAt)
    settled.set(entry, one)
    spans.get(entry)?.end(outcome.ok ? 'ok' : 'error', { summary: one.result.summary })
  }
  return settled
}

/** One attempt at all that is permitted; the outcome and the entry in the ledger are each call's own. */
async function writeSet(
  set: ChangeSet,
  startedAt: number,
  ports: ExecutorPorts,
  reply: ReplyContext,
): Promise<Map<Entry, ToolOutcome>> {
  const out = new Map<Entry, ToolOutcome>()
  const files = set.files.filter((file) => file.permitted !== undefined)
  const lead = files[0]?.entries[0]
  if (!lead) return out
  const span = reply.span.child('change_set.write', { files: files.length })
  let written: ToolOutcome[] = []
  const { tool } = readyOfEntry(lead)
  const calls = files.flatMap(({ entries, permitted }) => {
    const entry = entries.find(({ refused }) => !refused)
    const writes = permitted?.writes?.map(({ path }) => path) ?? []
    return entry ? [{ callId: entry.call.id, tool: readyOfEntry(entry).tool, writes }] : []
  })
  const whole = await watchedTogether(calls, ports, reply, () =>
    withLimits(tool, ports, reply, async (signal) => {
      const context = runContext(lead.call, ports, reply, span, signal)
      const plans = files.map((file) => file.permitted?.plan)
      written = await set.writer.write(plans, context)
      return written.find((outcome) => !outcome.ok) ?? { ok: true, summary: '', content: '' }
    }),
  )
  span.end(whole.ok ? 'ok' : 'error')
  for (const [i, file] of files.entries()) {
    // Given up or thrown: nobody can say more than that.
    const outcome = written[i] ?? whole
    const live = file.entries.filter((entry) => !entry.refused)
    for (const entry of live) {
      const mine = shared(outcome, entry, live, file)
      out.set(entry, mine)
      const { tool } = readyOfEntry(entry)
      const took = ports.clock.monotonic() - startedAt
      recordOutcome({ call: entry.call, tool, outcome: mine, done: outcome.applied }, took, ports, reply)
    }
  }
  return out
}

/**
 * The part of one call in what became of its file: the first call carries the write, so that the versions in the results
 * follow one another.
 */
function shared(outcome: ToolOutcome, entry: Entry, live: readonly Entry[], file: SetFile): ToolOutcome {
  if (file.entries.length === 1 || !outcome.ok) return outcome
  const words = file.shares?.[file.entries.indexOf(entry)]?.words
  const part =
    words === undefined ? [] : ['The person decided on the edits of this file together. Of this call:', words]
  if (entry === live[0]) return { ...outcome, content: [outcome.content, ...part].join('\n') }
  const together = `${outcome.summary}, together with the call before it on this file.`
  const hash = outcome.metadata?.newHash
  return {
    ...outcome,
    content: [together, ...part].join('\n'),
    metadata: { ...outcome.metadata, diff: '', changedLines: 0, oldHash: hash, newHash: hash },
  }
}

/**
 * The set made anew where files changed while it was decided on, asked about and decided again; `failed` are the calls that
 * no longer apply. Null where nothing is stale, or nothing can be made anew.
 */
async function renewSet(
  set: ChangeSet,
  outcomes: ReadonlyMap<Entry, ToolOutcome>,
  ports: ExecutorPorts,
  reply: ReplyContext,
): Promise<{ set: ChangeSet; found: FoundVersion[]; failed: Map<Entry, ToolOutcome> } | null> {
  const found: FoundVersion[] = []
  for (const outcome of outcomes.values()) {
    const version = versionFound(outcome)
    if (version && !found.some(({ path }) => path === version.path)) found.push(version)
  }
  const live = set.entries.filter((entry) => !entry.refused)
  if (found.length === 0 || !live.every((entry) => entry.decidedByPerson)) return null
  const failed = new Map<Entry, ToolOutcome>()
  const planned = new Map<string, PlannedFile>()
  const names = new Set<string>()
  for (const entry of live) {
    const path = pathOf(entry)
    const ready = readyOfEntry(entry)
    if (found.some((version) => version.path === path)) {
      const prepared = await preparedOn(found, entry, prepareContext(entry.call, planned, ports, reply))
      const outcome = outcomes.get(entry)
      if (prepared === null || outcome === undefined) {
        if (outcome) failed.set(entry, outcome)
        continue
      }
      names.add(prepared.title)
      entry.ready = { ...ready, prepared, digest: digestOf(ready.tool, prepared.fingerprint, ports.digest) }
    } else if (outcomes.get(entry)?.metadata?.stale === true) {
      // Its file is gone: there is no version to make it anew on.
      failed.set(entry, outcomes.get(entry) as ToolOutcome)
      continue
    }
    for (const write of preparedOf(entry).writes ?? []) planned.set(write.path, write)
  }
  const again = live.filter((entry) => !failed.has(entry))
  const next = again.length === 0 ? null : await setOf(again, set.writer)
  if (next === null) return null
  const reason =
    names.size === 0
      ? 'another file of this change is gone; this is what is left'
      : `${listed([...names])} changed while you decided; this is the new change`
  await decideSet(next, set.group, ports, reply, reason)
  reply.emit({ type: 'state', name: 'run_tools' })
  return { set: next, found, failed }
}

/** What the transcript shows: the call's own proposal, or once what the person made of the file. */
function blocksOf(entry: Entry, file: SetFile | undefined): Block[] {
  const own = entry.ready?.prepared.blocks ?? []
  if (!file?.permitted || file.permitted === file.proposed) return own
  const live = file.entries.filter((one) => !one.refused)
  return entry === live[0] ? file.permitted.blocks : []
}

function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? ''
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`
}
