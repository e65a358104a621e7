/** Looks at the transcripts in a folder of sessions without reading them: one that cannot be looked at is told, and stops nobody. */
import { readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { isLive } from './session-lock.ts'
import { whyOf } from './system-words.ts'

export const transcriptName = 'transcript.jsonl'

/** A session that is there and whose transcript cannot be read, and why, as the end of a sentence. */
export type Unreadable = { id: string; why: string }

/** `none`: no session, or one that has no records yet. */
export type TranscriptLook = { type: 'file'; stat: Stats } | { type: 'none' } | { type: 'unreadable'; why: string }

/** Never throws; one call to the file system where everything is well. */
export function lookAtTranscript(sessionsDir: string, id: string): TranscriptLook {
  try {
    const stat = statSync(join(sessionsDir, id, transcriptName), { throwIfNoEntry: false })
    if (stat === undefined) return lookAtFolder(sessionsDir, id)
    if (!stat.isFile()) return { type: 'unreadable', why: `its ${transcriptName} is no file` }
    return mayRead(stat) ? { type: 'file', stat } : { type: 'unreadable', why: whyOf({ code: 'EACCES' }) }
  } catch (error) {
    return { type: 'unreadable', why: whyOf(error) }
  }
}

/** Names in the folder, and why they cannot be listed; a folder that is not there holds none. */
export function namesOfSessions(sessionsDir: string): { names: string[]; why: string | null } {
  try {
    return { names: readdirSync(sessionsDir).filter((name) => !name.startsWith('.')), why: null }
  } catch (error) {
    const gone = (error as NodeJS.ErrnoException).code === 'ENOENT'
    return { names: [], why: gone ? null : whyOf(error) }
  }
}

/** Without a transcript: what is being opened now, or was left before the first record, is no session. */
function lookAtFolder(sessionsDir: string, id: string): TranscriptLook {
  const folder = join(sessionsDir, id)
  try {
    const stat = statSync(folder, { throwIfNoEntry: false })
    if (stat === undefined) return { type: 'none' }
    // Somebody's file among the folders; our ids begin so.
    if (!stat.isDirectory())
      return id.startsWith('s_') ? { type: 'unreadable', why: 'it is no folder' } : { type: 'none' }
    const left = readdirSync(folder).some((name) => name !== 'lock' && !name.startsWith('.'))
    return left && !isLive(folder) ? { type: 'unreadable', why: `its ${transcriptName} is missing` } : { type: 'none' }
  } catch (error) {
    return { type: 'unreadable', why: whyOf(error) }
  }
}

/** As far as the file's mode says it without asking once more; groups are left to the opening. */
function mayRead({ mode, uid }: Stats): boolean {
  const user = process.geteuid?.()
  if (user === undefined || user === 0) return true
  return (mode & (uid === user ? 0o400 : 0o044)) !== 0
}
