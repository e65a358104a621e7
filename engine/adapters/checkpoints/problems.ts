/** Tells a person why something cannot be undone later: each reason once, and that of the disk once, whatever it stops first. */
import { type DiskState, diskState, type OnProblem } from '../disk-report.ts'
import { diskGaps } from './gaps.ts'

export function createProblems(stateFolder: string, onProblem: OnProblem) {
  const told = new Set<string>()
  /** `once` is what the reason is known by, where its words vary. */
  const tell = (text: string, once = text): void => {
    if (told.has(once)) return
    told.add(once)
    onProblem(text)
  }
  const tellDisk = (state: DiskState): void => {
    if (told.has(state)) return
    told.add(state)
    const fix = state === 'full' ? `Free some space where ${stateFolder} is` : `Make ${stateFolder} writable`
    onProblem(
      `The disk is ${state}: what is changed now cannot be undone by a rewind. ${fix}; what is changed after that can.`,
      { what: null, state, lost: 0 },
    )
  }
  return {
    tell,
    /** What keeps a call from being undone, as its gaps have it. */
    tellGap(gap: string): void {
      if (gap === diskGaps.full) tellDisk('full')
      else if (gap === diskGaps['read-only']) tellDisk('read-only')
      else tell(gap)
    },
    /** `what` begins the sentence: `A change is not kept for a rewind`. */
    tellFailure(what: string, error: unknown): void {
      const state = diskState(textOf(error))
      if (state === null) tell(`${what}: ${textOf(error)}`)
      else tellDisk(state)
    },
  }
}

export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
