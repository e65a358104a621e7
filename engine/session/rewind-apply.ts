/** Does a rewind that was looked at: the files, in an order in which none stands in the way of another, then the conversation. */
import type { AuditSink, CallEffects, FileState, FolderEffects } from '../ports/index.ts'
import type { RewindChoice, RewindOutcome, Rewound, RewoundFile } from '../protocol/index.ts'
import type { PlannedFile, RewindPlan, RewindPorts } from './rewind.ts'
import { foldersAround, foldersChanged, goes, inOrder, sameState, stateText } from './rewind-plan.ts'
import { shownPath } from './rewind-turns.ts'

/** The id under which the ledger has a file of a rewind. */
export function rewindCallId(rewindId: string, index: number): string {
  return `${rewindId}/${index}`
}

export async function applyRewind(ports: RewindPorts, choice: RewindChoice, plan: RewindPlan): Promise<RewindOutcome> {
  const { timeline, checkpoints } = ports
  const { digest, call: chosen } = choice.preview
  if (plan.preview.digest !== digest) return failed('Files have changed since this was shown: look at it again.')
  const conversation = choice.conversation && plan.preview.conversation
  const wanted = inOrder(
    [...plan.plans.values()].filter(({ path, verdict }) => verdict !== 'lost' && choice.restore.includes(path)),
  )
  // A rewind of which nothing is left gives way to the one before it.
  const nothingLeft = plan.undoes !== undefined && plan.preview.files.length === 0
  if (!conversation && wanted.length === 0 && !nothingLeft) {
    return failed(chosen ? 'No file is chosen.' : 'Nothing is chosen: neither the conversation nor a file.')
  }
  const problem = await keepAll(ports, wanted)
  if (problem !== null) return failed(problem)
  const id = ports.clock.id('rewind')
  const begun: Rewound = {
    id,
    toTurnId: plan.preview.turnId,
    input: plan.preview.input,
    ...(plan.undoes === undefined && plan.preview.call !== undefined ? { call: plan.preview.call } : {}),
    conversation,
    turns: conversation ? plan.preview.turns : 0,
    files: [],
    kept: plan.preview.files.filter(({ path }) => !wanted.some((one) => one.path === path)).map(({ shown }) => shown),
    ...(plan.undoes === undefined ? {} : { undoes: plan.undoes }),
  }
  const effects = effectsOf(id, wanted, ports.clock.timestamp())
  const around = foldersAround(ports.cwd, wanted, plan.folders)
  const before = (await checkpoints?.foldersThere(around)) ?? {}
  const unkept = wanted.length > 0 ? checkpoints?.intend({ effects, rewound: begun, folders: before }) : undefined
  if (unkept !== undefined) return failed(`Nothing was done, since it could not be noted down first: ${unkept}`)
  const rewound = { ...begun, files: await restoreAll(ports, id, wanted, plan.folders) }
  if (checkpoints !== undefined && wanted.length > 0) {
    const files = effects.files.filter((_, i) => rewound.files[i]?.how !== 'failed')
    const folders = foldersChanged(before, await checkpoints.foldersThere(around))
    checkpoints.record({ ...effects, files, folders })
  }
  const planBefore = timeline.todo()
  ports.done(rewound, timeline.rewound(rewound, ports.history()), planBefore)
  if (wanted.length > 0) checkpoints?.settled()
  return { ok: true, rewound }
}

export function failed(problem: string): { ok: false; problem: string } {
  return { ok: false, problem }
}

/** Whatever is written over stays in the store first, so that the rewind can be undone. Null, or why it cannot. */
async function keepAll({ checkpoints, cwd }: RewindPorts, wanted: readonly PlannedFile[]): Promise<string | null> {
  for (const one of wanted) {
    const now = await checkpoints?.look(one.path, true)
    if (now === undefined || !sameState(now, one.now)) return `${shownPath(one.path, cwd)} was changed just now.`
    if (now.kind === 'file' && !now.kept) {
      return 'What is there now cannot be kept (is the disk full?), so that nothing was done.'
    }
    one.now = now
  }
  return null
}

/** Each file behind a decision of its own, so that what the ledger says was permitted is what was done. */
async function restoreAll(
  ports: RewindPorts,
  id: string,
  wanted: readonly PlannedFile[],
  folders: FolderEffects,
): Promise<RewoundFile[]> {
  const { checkpoints, audit, cwd, clock, digest, mode } = ports
  const files: RewoundFile[] = []
  const going = wanted.filter(({ to }) => to.kind === 'absent').length
  const emptied = async () => {
    if (files.length === going && wanted.length > 0) await checkpoints?.restoreFolders({ made: folders.made, gone: [] })
  }
  await emptied()
  for (const { path, now, to, since } of wanted) {
    const shown = shownPath(path, cwd)
    const callId = rewindCallId(id, files.length)
    const done = digest.sha256(restoreText(path, now, to))
    const inside = shown !== path
    const access = goes(to) ? ('delete' as const) : ('write' as const)
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
    const undone = { since, folders: new Set(folders.made) }
    const result = (await checkpoints?.restore(path, now, to, undone)) ?? { ok: false, problem: 'nothing is kept here' }
    noteOutcome(audit, callId, result.ok ? done : null, Math.round(clock.monotonic() - startedAt))
    if (!result.ok) files.push({ path: shown, how: 'failed', problem: result.problem })
    else files.push({ path: shown, how: access === 'delete' ? 'deleted' : 'written' })
    // A folder that is empty now may stand where a file comes back.
    await emptied()
  }
  if (wanted.length > 0) await checkpoints?.restoreFolders(folders)
  return files
}

/** What became of one file; `digest` is that of what was done, null for nothing. */
export function noteOutcome(audit: AuditSink, callId: string, digest: string | null, durationMs: number): void {
  const outcome = { type: 'outcome' as const, callId, tool: 'rewind', durationMs, digestApplied: digest }
  if (digest !== null) audit.record({ ...outcome, ok: true }, null)
  else audit.record({ ...outcome, ok: false, error: 'TOOL_EXECUTION_FAILED' }, null)
}

/** What is decided on and done for one file. */
export function restoreText(path: string, now: FileState, to: FileState): string {
  return `rewind\n${path}\n${stateText(now)}\n${stateText(to)}`
}

function effectsOf(id: string, wanted: readonly PlannedFile[], time: string): CallEffects {
  const files = wanted.map(({ path, now, to }) => ({ path, before: now, after: to, additions: 0, deletions: 0 }))
  return { turnId: id, callId: id, tool: 'rewind', time, files, gaps: [] }
}
