/** Goes back to before an earlier turn: the conversation, the files, or both; undoes what one call did to files; and undoes that. */
import { fileDiff } from '../change/index.ts'
import type { AuditSink, CallEffects, Checkpoints, Clock, Digest, FileState } from '../ports/index.ts'
import {
  type FileDiff,
  type Message,
  type PermissionMode,
  type Rewind,
  type RewindChoice,
  type RewindFile,
  type RewindOutcome,
  type RewindPreview,
  type Rewound,
  type RewoundFile,
  shorten,
  type TodoItem,
} from '../protocol/index.ts'
import { type FilePlan, type LaterStep, planFile, sameState, stateText, stepsByPath } from './rewind-plan.ts'
import { callsOf, gapsOf, listTurns, shownPath } from './rewind-turns.ts'
import type { Timeline } from './timeline.ts'

export type RewindPorts = {
  cwd: string
  timeline: Timeline
  /** Absent: only the conversation can be gone back in. */
  checkpoints?: Checkpoints
  audit: AuditSink
  clock: Clock
  digest: Digest
  mode(): PermissionMode
  /** Why nothing can be rewound now: a turn runs, the session ends. Null when it can. */
  busy(): string | null
  history(): Message[]
  /** Runs `work` while no turn may begin. */
  hold<T>(work: () => Promise<T>): Promise<T>
  /** Goes on with this history and records the rewind; `planBefore` was the model's plan. */
  done(rewound: Rewound, history: Message[], planBefore: readonly TodoItem[]): void
}

type Plan = { preview: RewindPreview; plans: Map<string, FilePlan & { now: FileState }>; undoes?: string }

export function createRewind(ports: RewindPorts): Rewind {
  return {
    turns: async () => listTurns(ports.timeline, (await ports.checkpoints?.effects()) ?? [], ports.cwd),
    undoable: () => ports.timeline.undoable(),
    async preview(turnId, callId) {
      const plan = await planRewind(ports, turnId, callId).catch(textOf)
      return typeof plan === 'string' ? plan : plan.preview
    },
    async apply(choice) {
      try {
        const busy = ports.busy()
        return busy === null ? await ports.hold(() => applyRewind(ports, choice)) : failed(busy)
      } catch (error) {
        return failed(textOf(error))
      }
    },
  }
}

/** The id under which the ledger has a file of a rewind. */
export function rewindCallId(rewindId: string, index: number): string {
  return `${rewindId}/${index}`
}

/** What is to be undone: the effects, and what a person calls it. */
type Scope = Pick<RewindPreview, 'input' | 'call' | 'turns' | 'conversation'> & {
  effects: CallEffects[]
  /** The rewind that is undone. */
  undoes?: string
}

/** A string says why it cannot be. */
function scopeOf(ports: RewindPorts, all: CallEffects[], turnId: string | null, callId?: string): Scope | string {
  const { timeline, cwd } = ports
  const turns = timeline.turns()
  if (turnId === null) {
    const undone = timeline.undoable()
    if (undone === null) return 'There is no rewind to undo.'
    const { id, input, call, conversation } = undone
    const count = conversation ? undone.turns : timeline.since(id).size - 1
    const effects = all.filter((one) => one.turnId === id)
    return { input, conversation, turns: count, effects, undoes: id, ...(call === undefined ? {} : { call }) }
  }
  const at = turns.findIndex((turn) => turn.turnId === turnId)
  const input = turns[at]?.input
  if (input === undefined) return 'That turn is not in the conversation any more.'
  if (callId === undefined) {
    const ids = timeline.since(turnId)
    return { input, conversation: true, turns: turns.length - at, effects: all.filter((one) => ids.has(one.turnId)) }
  }
  const found = callsOf(timeline, turnId, all, cwd).find(({ call }) => call.callId === callId)
  if (found === undefined) return 'That call changed no files, as far as known.'
  const { tool, title } = found.call
  return { input, call: { callId, tool, title }, conversation: false, turns: 0, effects: found.effects }
}

/** What was recorded last of a file behind the effects in question. */
function laterStep(
  { timeline }: RewindPorts,
  all: CallEffects[],
  own: CallEffects[],
  path: string,
): LaterStep | undefined {
  const last = all.findLastIndex((one) => own.includes(one))
  const later = all.slice(last + 1).findLast(({ files }) => files.some((file) => file.path === path))
  if (later === undefined) return undefined
  const after = later.files.findLast((file) => file.path === path)?.after ?? null
  const title = shorten(timeline.titles.of(later.turnId, later.callId) ?? '', 40)
  const who = later.tool === 'rewind' ? 'a rewind' : later.tool === 'review' ? 'a review' : 'a later call'
  return { who, title, after }
}

/** A string says why it cannot be. */
async function planRewind(ports: RewindPorts, turnId: string | null, callId?: string): Promise<Plan | string> {
  const { checkpoints, cwd } = ports
  const all = (await checkpoints?.effects()) ?? []
  const scope = scopeOf(ports, all, turnId, callId)
  if (typeof scope === 'string') return scope
  const { effects, undoes, ...head } = scope
  const plans: Plan['plans'] = new Map()
  const until = ports.clock.monotonic() + mostComparingMs
  const files: RewindFile[] = []
  for (const steps of stepsByPath(effects)) {
    const now = (await checkpoints?.look(steps.path)) ?? { kind: 'absent' }
    const plan = planFile(steps, now, laterStep(ports, all, effects, steps.path))
    if (plan.verdict === 'already') continue
    plans.set(plan.path, { ...plan, now })
    const shown = shownPath(plan.path, cwd)
    const diff = await diffOf(shown, now, plan, ports.clock.monotonic() < until ? checkpoints : undefined)
    files.push({ path: plan.path, shown, state: plan.verdict, why: plan.why, diff })
  }
  const what = callId === undefined ? `rewind ${turnId}` : `rewind ${turnId} ${callId}`
  const lines = [...plans.values()].map(({ path, now, to }) => `${path}\n${stateText(now)}\n${stateText(to)}`)
  const unavailable = checkpoints === undefined ? ['What calls changed is not kept here.'] : []
  const digest = ports.digest.sha256(`${what}\n${lines.join('\n')}`)
  const gaps = [...unavailable, ...gapsOf(effects)]
  return { plans, preview: { turnId, ...head, files, gaps, digest }, ...(undoes === undefined ? {} : { undoes }) }
}

async function applyRewind(ports: RewindPorts, choice: RewindChoice): Promise<RewindOutcome> {
  const { timeline, clock, checkpoints, cwd } = ports
  const { turnId, digest, call: chosen } = choice.preview
  const plan = await planRewind(ports, turnId, turnId === null ? undefined : chosen?.callId)
  if (typeof plan === 'string') return failed(plan)
  if (plan.preview.digest !== digest) return failed('Files have changed since this was shown: look at it again.')
  const conversation = choice.conversation && plan.preview.conversation
  const wanted = [...plan.plans.values()].filter(
    ({ path, verdict }) => verdict !== 'lost' && choice.restore.includes(path),
  )
  if (!conversation && wanted.length === 0) {
    return failed(chosen ? 'No file is chosen.' : 'Nothing is chosen: neither the conversation nor a file.')
  }
  const id = clock.id('rewind')
  // Whatever is written over stays in the store first, so that the rewind can be undone.
  for (const one of wanted) {
    const now = await checkpoints?.look(one.path, true)
    if (now === undefined || !sameState(now, one.now))
      return failed(`${shownPath(one.path, cwd)} was changed just now.`)
    if (now.kind === 'file' && !now.kept)
      return failed('What is there now cannot be kept (is the disk full?), so that nothing was done.')
    one.now = now
  }
  if (wanted.length > 0) checkpoints?.record(effectsOf(id, wanted, clock))
  const files = await restoreAll(ports, id, wanted)
  const rewound: Rewound = {
    id,
    toTurnId: turnId,
    input: plan.preview.input,
    ...(plan.undoes === undefined && plan.preview.call !== undefined ? { call: plan.preview.call } : {}),
    conversation,
    turns: conversation ? plan.preview.turns : 0,
    files,
    kept: plan.preview.files.filter(({ path }) => !wanted.some((one) => one.path === path)).map(({ shown }) => shown),
    ...(plan.undoes === undefined ? {} : { undoes: plan.undoes }),
  }
  const planBefore = timeline.todo()
  ports.done(rewound, timeline.rewound(rewound, ports.history()), planBefore)
  return { ok: true, rewound }
}

/** Each file behind a decision of its own, so that what the ledger says was permitted is what was done. */
async function restoreAll(
  { checkpoints, audit, cwd, clock, digest, mode }: RewindPorts,
  id: string,
  wanted: readonly (FilePlan & { now: FileState })[],
): Promise<RewoundFile[]> {
  const files: RewoundFile[] = []
  for (const { path, now, to, since } of inOrder(wanted)) {
    const shown = shownPath(path, cwd)
    const callId = rewindCallId(id, files.length)
    const done = digest.sha256(`rewind\n${path}\n${stateText(now)}\n${stateText(to)}`)
    const inside = shown !== path
    const access = to.kind === 'absent' ? ('delete' as const) : ('write' as const)
    const need = { type: 'path' as const, access, path, shown, inside }
    const reason = 'the person rewinds'
    const startedAt = clock.monotonic()
    audit.record(
      {
        type: 'decision',
        ...{ callId, requestId: id, tool: 'rewind', kind: 'edit', title: shown, cwd, mode: mode() },
        needs: [{ need, verdict: 'ask', rule: null, scope: null, reason }],
        risk: { level: access === 'delete' ? 'delete' : inside ? 'write-inside' : 'write-outside', reason },
        ...{ verdict: 'ask', outcome: 'allow', decidedBy: 'person', rule: null, reason },
        ...{ digestShown: done, digestPermitted: done, latencyMs: 0 },
      },
      null,
    )
    const result = (await checkpoints?.restore(path, now, to, since)) ?? { ok: false, problem: 'nothing is kept here' }
    const durationMs = Math.round(clock.monotonic() - startedAt)
    const outcome = { type: 'outcome' as const, callId, tool: 'rewind', durationMs }
    if (result.ok) audit.record({ ...outcome, ok: true, digestApplied: done }, null)
    else audit.record({ ...outcome, ok: false, digestApplied: null, error: 'TOOL_EXECUTION_FAILED' }, null)
    if (!result.ok) files.push({ path: shown, how: 'failed', problem: result.problem })
    else files.push({ path: shown, how: access === 'delete' ? 'deleted' : 'written' })
  }
  return files
}

/** What goes, goes first and from below: a file may stand where a folder was. */
function inOrder<T extends { path: string; to: FileState }>(wanted: readonly T[]): T[] {
  const gone = wanted.filter(({ to }) => to.kind === 'absent')
  return [...gone.sort((a, b) => (a.path < b.path ? 1 : -1)), ...wanted.filter(({ to }) => to.kind !== 'absent')]
}

function effectsOf(id: string, wanted: readonly (FilePlan & { now: FileState })[], clock: Clock): CallEffects {
  const files = wanted.map(({ path, now, to }) => ({ path, before: now, after: to, additions: 0, deletions: 0 }))
  return { turnId: id, callId: id, tool: 'rewind', time: clock.timestamp(), files, gaps: [] }
}

/** Texts beyond this are not shown as a diff. */
const mostText = 200_000
/** Comparing is worth this much; the files after that are shown without a diff. */
const mostComparingMs = 1_000

/** From what is there now to what would be there. */
async function diffOf(path: string, now: FileState, plan: FilePlan, checkpoints?: Checkpoints): Promise<FileDiff> {
  const { to } = plan
  const hashes = { oldHash: hashOf(now), newHash: hashOf(to) }
  const notes: string[] = []
  if (now.kind === 'file' && to.kind === 'file' && now.mode !== to.mode) {
    notes.push(`permissions ${octal(now.mode)} → ${octal(to.mode)}`)
  }
  if (now.kind === 'link') notes.push(`now a link to ${now.target}`)
  if (now.kind === 'other') notes.push(`now ${now.what}`)
  if (to.kind === 'link') notes.push(`then a link to ${to.target}`)
  const old = await textFor(now, () => checkpoints?.bytes(plan.path))
  const fresh = await textFor(to, () => (to.kind === 'file' ? checkpoints?.content(to.hash) : undefined))
  const whole = old !== undefined && fresh !== undefined
  if (!whole) notes.push(`not text, or too long to show: ${sizeOf(now)} → ${sizeOf(to)}`)
  const diff = fileDiff({ path, oldText: whole ? old : '', newText: whole ? fresh : '', ...hashes })
  const change = now.kind === 'absent' ? 'create' : to.kind === 'absent' ? 'delete' : 'edit'
  return { ...diff, change, ...(notes.length > 0 ? { note: notes.join('; ') } : {}) }
}

/** Null for no text; undefined for what cannot be shown as text. */
async function textFor(
  state: FileState,
  read: () => Promise<Uint8Array | null> | undefined,
): Promise<string | null | undefined> {
  if (state.kind !== 'file') return state.kind === 'absent' ? null : ''
  if (state.size > mostText) return undefined
  const bytes = await read()
  if (!bytes || bytes.includes(0)) return undefined
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}

function hashOf(state: FileState): string | null {
  return state.kind === 'file' ? state.hash : null
}

function sizeOf(state: FileState): string {
  return state.kind === 'file' ? `${state.size} bytes` : state.kind === 'absent' ? 'no file' : state.kind
}

function octal(mode: number): string {
  return mode.toString(8)
}

function failed(problem: string): { ok: false; problem: string } {
  return { ok: false, problem }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
