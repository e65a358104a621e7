/** A full or read-only disk is one cause with many effects: its errors are known by their words, so that it can be told once. */

export type DiskState = 'full' | 'read-only'

/** `again`: it can be written once more, and `lost` records are missing. */
export type DiskReport = {
  /** What is written, as the beginning of a sentence: `The transcript is`. Null for what is not tried again later. */
  what: string | null
  state: DiskState | 'again'
  lost: number
}

/** Text for a person; `disk` where the disk itself is why, so that one sentence can speak for all that write to it. */
export type OnProblem = (text: string, disk?: DiskReport) => void

/** Null for other problems. git has no codes for these, and records that cannot be written whole give text. */
export function diskState(problem: string): DiskState | null {
  if (/ENOSPC|EDQUOT|no space left|out of diskspace|quota exceeded|is the disk full/i.test(problem)) return 'full'
  return /EROFS|read-only file system/i.test(problem) ? 'read-only' : null
}

/** For a write that took less than it was given: there is no room, which the system says only of the next one. */
export function writtenInPart(path: string): Error {
  return Object.assign(new Error(`ENOSPC: ${path} could be written in part only`), { code: 'ENOSPC', path })
}
