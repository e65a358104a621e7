/** Changes of several text files, decided on together: one change a file, all of them written or none. */
import { editShares, mergeTexts } from '@sluice/engine/change'
import {
  type CallShare,
  type ChangeWriter,
  type PrepareContext,
  type Prepared,
  type RunContext,
  ToolFailure,
  type ToolOutcome,
} from '@sluice/engine/ports'
import { staleFile } from './atomic-write.ts'
import { expectSamePlace } from './paths.ts'
import { currentText, fingerprint, prepareChange, type TextChange, writtenOutcome } from './text-change.ts'
import { type Unwritten, writeTogether } from './write-together.ts'

/** What edit_file and write_file share, so that their calls can be decided on together. */
export const textChanges: ChangeWriter<TextChange> = {
  async combine(plans) {
    const first = plans[0] as TextChange
    const last = plans.at(-1) as TextChange
    return prepareChange({
      at: first.at,
      old: first.old,
      newText: last.newText,
      encoding: last.encoding,
      notes: [...new Set(plans.flatMap((plan) => plan.notes))],
      wholeText: plans.some((plan) => plan.wholeText),
    })
  },
  shares(plans, permitted): CallShare[] {
    const decided = permitted.amended?.decided
    if (!decided) return plans.map(() => ({ none: false, words: 'all of it was applied' }))
    return editShares(
      plans.map((plan) => plan.diff.hunks),
      decided,
    )
  },
  write: writeChanges,
}

/**
 * The change of a whole text made anew on the version that is there now: what somebody else changed meanwhile stays. Throws
 * ToolFailure where both changed the same lines, or the file is gone.
 */
export async function rebaseChange(plan: TextChange, context: PrepareContext): Promise<Prepared<TextChange>> {
  const now = await currentText(plan.at, context, 'any')
  if (now === null) throw staleFile(plan.at.shown, 'gone')
  const merged = mergeTexts(plan.old?.text ?? '', now.text, plan.newText)
  // Nothing of it may be lost unseen: the person is shown the whole text against the one that is there now.
  const newText = merged ?? plan.newText
  const notes = merged === null ? plan.notes : [...plan.notes, 'It was merged with what somebody else had changed.']
  const remark =
    merged === null
      ? 'somebody else changed the same lines meanwhile: this takes their change back'
      : 'what somebody else changed meanwhile stays'
  return prepareChange({
    at: plan.at,
    old: { ...now, whole: plan.old?.whole ?? true },
    newText,
    encoding: now.encoding,
    notes,
    remark,
    // A merged text has lines in it that the model has not seen.
    wholeText: merged === null && plan.wholeText,
  })
}

async function writeChanges(plans: readonly TextChange[], context: RunContext): Promise<ToolOutcome[]> {
  const moved = await Promise.all(plans.map(({ at }) => expectSamePlace(at).then(noFailure, asFailure)))
  const known = plans.map(({ at }) => context.files.get(at.path))
  const stopped = moved.some((failure) => failure !== undefined)
  const unwritten = stopped
    ? moved.map((failure): Unwritten => (failure ? { failure } : {}))
    : await writeTogether(
        plans.map(({ at, bytes, old }) => ({ path: at.path, shown: at.shown, bytes, expectedHash: old?.hash ?? null })),
        context,
      )
  if (unwritten === null) {
    return Promise.all(
      plans.map((plan, i) => writtenOutcome(plan, known[i], context).catch((error: unknown) => unread(plan, error))),
    )
  }
  const culprits = plans.filter((_, i) => unwritten[i]?.failure).map(({ at }) => at.shown)
  return plans.map((plan, i) => unwrittenOutcome(plan, unwritten[i] ?? {}, culprits, context))
}

/** Why a file was not written, and that it holds what it held. */
function unwrittenOutcome(
  plan: TextChange,
  { failure, state, written }: Unwritten,
  culprits: readonly string[],
  context: RunContext,
): ToolOutcome {
  const { at } = plan
  const others = culprits.filter((name) => name !== at.shown)
  const together =
    'The changes of this reply were decided on together, and are written together or not at all; none of them was.'
  const why = failure?.message ?? `${at.shown} was not written, because ${others.join(', ')} could not be.`
  const content = [why, ...(state === undefined ? [] : [state]), together].join(' ')
  const outcome: ToolOutcome = {
    ok: false,
    summary: state ?? failure?.message ?? `not written, because ${others.join(', ')} could not be`,
    content,
    error: failure?.code ?? 'TOOL_EXECUTION_FAILED',
    metadata: { path: at.name, ...failure?.metadata },
  }
  if (!written) return outcome
  context.files.forget(at.path)
  return { ...outcome, content: `${why} ${state}`, applied: fingerprint(plan, plan.newHash) }
}

/** It was written, and what it holds now could not be read. */
function unread(plan: TextChange, error: unknown): ToolOutcome {
  const message = `${plan.at.shown} was written, but could not be read back: ${error instanceof Error ? error.message : String(error)}`
  return {
    ok: false,
    summary: message,
    content: message,
    error: 'TOOL_EXECUTION_FAILED',
    applied: fingerprint(plan, plan.newHash),
  }
}

const noFailure = (): undefined => undefined

function asFailure(error: unknown): ToolFailure {
  return error instanceof ToolFailure ? error : new ToolFailure(String(error))
}
