/** What undoing recorded changes would do to each file, by the states that were recorded and the one it is in now; pure. */
import { type RevertPlan, revertPlan } from '../change/index.ts'
import type { CallEffects, FileState } from '../ports/index.ts'

/** All recorded changes of one file, oldest first. */
export type FileSteps = {
  path: string
  steps: { before: FileState; after: FileState | null }[]
  /** When the first of them began. */
  since: string
}

/** `to` is how the file was before the first step. */
export type FilePlan = { path: string; to: FileState; since: string; verdict: RevertPlan | 'lost'; why: string }

export function stepsByPath(effects: readonly CallEffects[]): FileSteps[] {
  const byPath = new Map<string, FileSteps>()
  for (const { files, time } of effects) {
    for (const { path, before, after } of files) {
      const known = byPath.get(path) ?? { path, steps: [], since: time }
      known.steps.push({ before, after })
      byPath.set(path, known)
    }
  }
  return [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
}

export function planFile({ path, steps, since }: FileSteps, now: FileState): FilePlan {
  const to = steps[0]?.before ?? now
  const last = steps.at(-1)?.after ?? undefined
  const plan = revertPlan(to, last, now, sameState)
  const as = (verdict: FilePlan['verdict'], why = ''): FilePlan => ({ path, to, since, verdict, why })
  if (plan === 'already') return as('already')
  if (to.kind === 'other') return as('lost', `it was ${to.what}, which is not restored`)
  if (to.kind === 'file' && !to.kept) return as('lost', 'its earlier content was too large to be kept')
  if (plan === 'conflict') return as('conflict', whyDrifted(last, now))
  const between = steps.some((step, i) => {
    const before = steps[i - 1]?.after
    return before !== undefined && (before === null || !sameState(before, step.before))
  })
  return between ? as('conflict', 'somebody else changed it too, between these changes') : as('restore')
}

/** True when both are the same content in the same kind of file with the same permissions. */
export function sameState(a: FileState, b: FileState): boolean {
  if (a.kind === 'file') return b.kind === 'file' && a.hash === b.hash && a.mode === b.mode
  if (a.kind === 'link') return b.kind === 'link' && a.target === b.target
  if (a.kind === 'other') return b.kind === 'other' && a.what === b.what
  return b.kind === 'absent'
}

/** One line that tells states apart, for digests. */
export function stateText(state: FileState): string {
  switch (state.kind) {
    case 'absent':
      return 'absent'
    case 'file':
      return `${state.hash} ${state.mode.toString(8)}`
    case 'link':
      return `link ${state.target}`
    case 'other':
      return `other ${state.what}`
  }
}

function whyDrifted(left: FileState | undefined, now: FileState): string {
  if (left === undefined) return 'sluice was cut off while it was changed'
  if (now.kind === 'absent') return 'somebody deleted it since'
  if (left.kind === 'absent') return 'somebody made it anew since'
  if (left.kind === 'file' && now.kind === 'file' && left.hash === now.hash) return 'its permissions were changed since'
  return 'somebody changed it since'
}
