/** A full or read-only disk stops all that a session writes: it is told once for all of it, and once that it can be written again. */
import { type DiskState, missing, type OnProblem } from '@sluice/engine/adapters/transcript-jsonl'

/** `folder` is where all of it is kept. Other problems are told as they are. */
export function tellingDiskOnce(folder: string, onProblem: (text: string) => void): OnProblem {
  /** Records that are written as soon as they can be. */
  const waiting = new Set<string>()
  let lost = 0
  return (text, disk) => {
    if (disk === undefined) return onProblem(text)
    if (disk.state === 'again') {
      if (disk.what === null || !waiting.delete(disk.what)) return onProblem(text)
      lost += disk.lost
      if (waiting.size > 0) return
      onProblem(`The session is being saved again; ${missing(lost)}.`)
      lost = 0
      return
    }
    const first = waiting.size === 0
    if (disk.what !== null) waiting.add(disk.what)
    if (first) onProblem(disk.what === null ? text : diskText(disk.state, folder))
  }
}

function diskText(state: DiskState, folder: string): string {
  const fix = state === 'full' ? `Free some space where ${folder} is` : `Make ${folder} writable`
  return `The disk is ${state}: the session goes on, but is not being saved, and what changes now cannot be undone by a rewind. ${fix}; what waits is written then.`
}
