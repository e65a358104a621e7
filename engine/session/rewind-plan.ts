/** What undoing recorded changes would do to each file, by the states that were recorded and the one it is in now; pure. */
import { type RevertPlan, revertPlan } from '../change/index.ts'
import type { CallEffects, FileState, FolderEffects } from '../ports/index.ts'

/** All recorded changes of one file, oldest first. */
export type FileSteps = {
  path: string
  steps: { before: FileState; after: FileState | null }[]
  /** When the first of them began. */
  since: string
}

/** What changed a file behind those steps, and how that left it; `title` is that of a call, or ''. */
export type LaterStep = { who: string; title: string; after: FileState | null }

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

/** `made`: folders that came with the changes; one that stands in the place of a file that went is no change of somebody else. */
export function planFile(
  { path, steps, since }: FileSteps,
  now: FileState,
  later?: LaterStep,
  made?: ReadonlySet<string>,
): FilePlan {
  const to = steps[0]?.before ?? now
  const last = steps.at(-1)?.after ?? undefined
  const ours = last?.kind === 'absent' && isFolder(now) && made?.has(path) === true
  const plan = revertPlan(to, ours ? now : last, now, sameState)
  const as = (verdict: FilePlan['verdict'], why = ''): FilePlan => ({ path, to, since, verdict, why })
  if (plan === 'already') return as('already')
  if (to.kind === 'other' && !isFolder(to)) return as('lost', `it was ${to.what}, which is not restored`)
  if (to.kind === 'file' && !to.kept) return as('lost', 'its earlier content was too large to be kept')
  if (plan === 'conflict') return as('conflict', whyDrifted(last, now, later))
  const between = steps.some((step, i) => {
    const before = steps[i - 1]?.after
    if (before === undefined || (before?.kind === 'absent' && isFolder(step.before))) return false
    return before === null || !sameState(before, step.before)
  })
  return between ? as('conflict', 'somebody else changed it too, between these changes') : as('restore')
}

/**
 * The recorded changes of one file, oldest first. States have numbers in the order in which they were seen first: `after` is
 * that of the state a change left, -1 where it is not known, `until` the greatest that was there before it.
 */
type Chain = { until: number[]; after: number[]; at: Map<CallEffects, number> }
export type Chains = ReadonlyMap<string, Chain>

export function chainsOf(all: readonly CallEffects[]): Chains {
  const chains = new Map<string, Chain>()
  const seen = new Map<string, Map<string, number>>()
  for (const effects of all) {
    for (const { path, before, after } of effects.files) {
      const numbers = seen.get(path) ?? new Map<string, number>()
      const numberOf = (state: FileState) => {
        const text = stateText(state)
        const known = numbers.get(text) ?? numbers.size
        numbers.set(text, known)
        return known
      }
      const chain: Chain = chains.get(path) ?? { until: [], after: [], at: new Map() }
      chain.at.set(effects, chain.after.length)
      chain.until.push(Math.max(numberOf(before), numbers.size - 1))
      chain.after.push(after === null ? -1 : numberOf(after))
      chains.set(path, chain)
      seen.set(path, numbers)
    }
  }
  return chains
}

/** True when each file of these changes went back since to how it was before them, or earlier, and they were not done again. */
export function isUndone(own: readonly CallEffects[], chains: Chains): boolean {
  const paths = new Set(own.flatMap(({ files }) => files.map(({ path }) => path)))
  return [...paths].every((path) => {
    const chain = chains.get(path)
    const places = own.flatMap((effects) => chain?.at.get(effects) ?? [])
    return chain !== undefined && wentBack(chain, Math.min(...places), Math.max(...places))
  })
}

/** What came last decides: one of the states from before the step `first`, or again the one that the step `last` left. */
function wentBack({ until, after }: Chain, first: number, last: number): boolean {
  const left = after[last]
  const earlier = until[first] ?? -1
  for (let i = after.length - 1; i > last; i--) {
    const state = after[i] ?? -1
    if (state < 0) continue
    if (state === left) return false
    if (state <= earlier) return true
  }
  return false
}

/** What undoing all of these does to folders: what one made and a later one removed is not in question. */
export function foldersOf(effects: readonly CallEffects[]): FolderEffects {
  const made = new Set<string>()
  const gone = new Set<string>()
  for (const { folders } of effects) {
    for (const path of folders?.made ?? []) if (!gone.delete(path)) made.add(path)
    for (const path of folders?.gone ?? []) if (!made.delete(path)) gone.add(path)
  }
  return { made: [...made], gone: [...gone] }
}

/** Folders in `cwd` that restoring these may make or remove. */
export function foldersAround(
  cwd: string,
  files: readonly { path: string; now: FileState; to: FileState }[],
  { made, gone }: FolderEffects,
): string[] {
  const paths = new Set([...made, ...gone])
  for (const { path, now, to } of files) {
    if (isFolder(now) || isFolder(to)) paths.add(path)
    for (let at = above(path); at.length > cwd.length && at.startsWith(cwd) && !paths.has(at); at = above(at))
      paths.add(at)
  }
  return [...paths]
}

function above(path: string): string {
  return path.slice(0, path.lastIndexOf('/'))
}

export function foldersChanged(before: Record<string, boolean>, after: Record<string, boolean>): FolderEffects {
  const paths = Object.keys(after)
  return {
    made: paths.filter((path) => after[path] && before[path] === false),
    gone: paths.filter((path) => !after[path] && before[path] === true),
  }
}

export function isFolder(state: FileState): boolean {
  return state.kind === 'other' && state.what === 'a folder'
}

/** True where the file is no more, even if a folder takes its place. */
export function goes(to: FileState): boolean {
  return to.kind === 'absent' || isFolder(to)
}

/** What goes, goes first and from below, then come folders in the place of files: a file may stand where a folder was, and the reverse. */
export function inOrder<T extends { path: string; to: FileState }>(wanted: readonly T[]): T[] {
  const gone = wanted.filter(({ to }) => to.kind === 'absent')
  return [
    ...gone.sort((a, b) => (a.path < b.path ? 1 : -1)),
    ...wanted.filter(({ to }) => isFolder(to)),
    ...wanted.filter(({ to }) => !goes(to)),
  ]
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

function whyDrifted(left: FileState | undefined, now: FileState, later?: LaterStep): string {
  if (left === undefined) return 'sluice was cut off while it was changed'
  if (later?.after && sameState(later.after, now)) {
    return `${later.who} changed it since${later.title === '' ? '' : ` (${later.title})`}`
  }
  if (now.kind === 'absent') return 'somebody deleted it since'
  if (left.kind === 'absent') return 'somebody made it anew since'
  if (left.kind === 'file' && now.kind === 'file' && left.hash === now.hash) return 'its permissions were changed since'
  return 'somebody changed it since'
}
