/** Looks at the transcripts in a folder of sessions without reading them: one that cannot be looked at is told, and stops nobody. */
import { readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { isLive } from './session-lock.ts'

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
    return mayRead(stat) ? { type: 'file', stat } : { type: 'unreadable', why: systemWords('EACCES') }
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

/** What the system said, in words for a person and with its own name for it. */
export function whyOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException | null)?.code
  const message = error instanceof Error ? error.message : String(error)
  return code === undefined ? message : systemWords(code, message)
}

const words: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EROFS: 'the file system can only be read',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EIO: 'the disk reports an error',
  ELOOP: 'its links lead in a circle',
  ENOTDIR: 'it is no folder',
  EISDIR: 'it is a folder',
  ENAMETOOLONG: 'its path is too long',
  EEXIST: 'something else is in its place',
  ENOENT: 'it is not there',
  EXDEV: 'it lies on another disk',
  ENOTEMPTY: 'the folder is not empty',
  EBUSY: 'it is in use',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
}

function systemWords(code: string, message = code): string {
  const said = words[code]
  return said === undefined ? message : `${said} (${code})`
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
