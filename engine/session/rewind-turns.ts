/** The turns that can be gone back to, each with what it changed, and which of its calls did. */
import type { CallEffects } from '../ports/index.ts'
import type { RewindCall, RewindTurn } from '../protocol/index.ts'
import { chainsOf, isUndone } from './rewind-plan.ts'
import type { Timeline } from './timeline.ts'

export type RecordedCall = { call: RewindCall; effects: CallEffects[] }

export function listTurns(timeline: Timeline, all: readonly CallEffects[], cwd: string): RewindTurn[] {
  const chains = chainsOf(all)
  return timeline.turns().map(({ turnId, input, time }) => {
    const own = all.filter((one) => one.turnId === turnId)
    const calls = callsOf(timeline, turnId, all, cwd, chains).map(({ call }) => call)
    return { turnId, input, time, files: filesOf(own, cwd), gaps: gapsOf(own), calls }
  })
}

/** The calls of a turn that changed files, in their order. One that ran twice, inside walls and then outside, is one call. */
export function callsOf(
  { titles }: Pick<Timeline, 'titles'>,
  turnId: string,
  all: readonly CallEffects[],
  cwd: string,
  chains = chainsOf(all),
): RecordedCall[] {
  const byCall = Map.groupBy(
    all.filter((one) => one.turnId === turnId),
    ({ callId }) => callId,
  )
  return [...byCall].flatMap(([callId, effects]): RecordedCall[] => {
    const files = filesOf(effects, cwd)
    const [first] = effects
    if (files.length === 0 || first === undefined) return []
    const title = titles.of(turnId, callId) ?? files[0]?.path ?? ''
    const undone = isUndone(effects, chains)
    return [{ call: { callId, tool: first.tool, title, files, gaps: gapsOf(effects), undone }, effects }]
  })
}

export function shownPath(path: string, cwd: string): string {
  return path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path
}

export function gapsOf(effects: readonly CallEffects[]): string[] {
  return [...new Set(effects.flatMap(({ gaps }) => gaps))]
}

function filesOf(effects: readonly CallEffects[], cwd: string): RewindTurn['files'] {
  const files = new Map<string, RewindTurn['files'][number]>()
  for (const one of effects.flatMap((call) => call.files)) {
    const path = shownPath(one.path, cwd)
    const { additions, deletions, uncounted } = files.get(path) ?? { additions: 0, deletions: 0 }
    const some = one.uncounted || uncounted ? { uncounted: true as const } : {}
    files.set(path, { path, additions: additions + one.additions, deletions: deletions + one.deletions, ...some })
  }
  return [...files.values()]
}
