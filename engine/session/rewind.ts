/** Goes back to before an earlier turn: the conversation, the files, or both; undoes what one call did to files; and undoes that. */
import type { AuditSink, CallEffects, Checkpoints, Clock, Digest, FileState, FolderEffects } from '../ports/index.ts'
import {
  type Message,
  type PermissionMode,
  type Rewind,
  type RewindFile,
  type RewindPreview,
  type Rewound,
  shorten,
  type TodoItem,
} from '../protocol/index.ts'
import { applyRewind, failed } from './rewind-apply.ts'
import { finishRewind } from './rewind-cut-off.ts'
import { diffOf } from './rewind-diff.ts'
import { type FilePlan, foldersOf, type LaterStep, planFile, stateText, stepsByPath } from './rewind-plan.ts'
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

export type PlannedFile = FilePlan & { now: FileState }
export type RewindPlan = {
  preview: RewindPreview
  plans: Map<string, PlannedFile>
  folders: FolderEffects
  undoes?: string
}

/** `recover` is for a session that was resumed: it records what a rewind did that was cut off. */
export function createRewind(ports: RewindPorts): Rewind & { recover(): void } {
  return {
    recover() {
      if (ports.checkpoints?.pending()) void ports.hold(() => finishRewind(ports)).catch(() => undefined)
    },
    turns: async () => listTurns(ports.timeline, (await ports.checkpoints?.effects()) ?? [], ports.cwd),
    undoable: () => ports.timeline.undoable(),
    async preview(turnId, callId) {
      const plan = await planRewind(ports, turnId, callId).catch(textOf)
      return typeof plan === 'string' ? plan : plan.preview
    },
    async apply(choice) {
      try {
        const busy = ports.busy()
        if (busy !== null) return failed(busy)
        const { turnId, call } = choice.preview
        return await ports.hold(async () => {
          const plan = await planRewind(ports, turnId, turnId === null ? undefined : call?.callId)
          return typeof plan === 'string' ? failed(plan) : applyRewind(ports, choice, plan)
        })
      } catch (error) {
        // What it did until then is recorded all the same.
        if (ports.checkpoints?.pending()) await ports.hold(() => finishRewind(ports)).catch(() => undefined)
        return failed(textOf(error))
      }
    },
  }
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
async function planRewind(ports: RewindPorts, turnId: string | null, callId?: string): Promise<RewindPlan | string> {
  const { checkpoints, cwd } = ports
  const all = (await checkpoints?.effects()) ?? []
  const scope = scopeOf(ports, all, turnId, callId)
  if (typeof scope === 'string') return scope
  const { effects, undoes, ...head } = scope
  const plans = await planFiles(ports, all, effects)
  const until = ports.clock.monotonic() + mostComparingMs
  const files: RewindFile[] = []
  for (const plan of plans.values()) {
    if (plan.verdict === 'already') continue
    const shown = shownPath(plan.path, cwd)
    const inTime = ports.clock.monotonic() < until
    const diff = await diffOf(shown, plan.now, plan, inTime ? checkpoints : undefined)
    const { path, verdict: state, why } = plan
    files.push({ path, shown, state, why, diff, ...(inTime ? {} : { uncounted: true as const }) })
  }
  const what = callId === undefined ? `rewind ${turnId}` : `rewind ${turnId} ${callId}`
  const lines = [...plans.values()].map(
    ({ path, now, to, verdict }) => `${path}\n${verdict}\n${stateText(now)}\n${stateText(to)}`,
  )
  const unavailable = checkpoints === undefined ? ['What calls changed is not kept here.'] : []
  const digest = ports.digest.sha256(`${what}\n${lines.join('\n')}`)
  const preview = { turnId, ...head, files, gaps: [...unavailable, ...gapsOf(effects)], digest }
  return { plans, preview, folders: foldersOf(effects), ...(undoes === undefined ? {} : { undoes }) }
}

/** Those that are as they were are left out. */
async function planFiles(ports: RewindPorts, all: CallEffects[], own: CallEffects[]): Promise<RewindPlan['plans']> {
  const { checkpoints } = ports
  const plans: RewindPlan['plans'] = new Map()
  const made = new Set(foldersOf(own).made)
  for (const steps of stepsByPath(own)) {
    const now = (await checkpoints?.look(steps.path)) ?? { kind: 'absent' }
    const plan = planFile(steps, now, laterStep(ports, all, own, steps.path), made)
    if (plan.verdict !== 'already') plans.set(plan.path, { ...plan, now })
  }
  // What would be refused is said before anybody says yes to it.
  const able = [...plans.values()].filter(({ verdict }) => verdict !== 'lost')
  const going = able.filter(({ verdict }) => verdict === 'restore')
  for (const group of [going, able.filter(({ verdict }) => verdict === 'conflict')]) {
    const others = group === going ? [] : going
    const found = (await checkpoints?.obstacles([...others, ...group])) ?? new Map<string, string>()
    for (const plan of group) {
      const why = found.get(plan.path)
      if (why !== undefined) plans.set(plan.path, { ...plan, verdict: 'lost', why })
    }
  }
  return plans
}

/** Comparing is worth this much; the files after that are shown without a diff. */
const mostComparingMs = 1_000

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
