/** In which folder a stored session goes on: its own, another one that the person names, or the one that they choose. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../cli/usage-error.ts'
import type { Paths } from '../paths.ts'
import { findWorkspace } from '../workspace.ts'
import { movedFile } from './stored-ids.ts'

export type FolderQuestion = {
  id: string
  /** Where it worked; `gone` when that folder is not there any more. */
  stored: string
  gone: boolean
  /** Where the person is. */
  here: string
}
/** Asks a person; rejects with UsageError when they choose neither. */
export type ChooseFolder = (question: FolderQuestion) => Promise<'stored' | 'here'>

/**
 * `named`: the person gave `here` with --cwd, which is an answer. Without anybody to ask, a session is never moved: Throws
 * UsageError.
 */
export async function folderToGoOnIn(
  session: { id: string; cwd: string },
  here: string,
  named: boolean,
  choose: ChooseFolder | undefined,
): Promise<{ cwd: string; warning?: string }> {
  if (session.cwd === here) return { cwd: here }
  const moved = {
    cwd: here,
    warning: `This session worked in ${session.cwd} before and goes on in ${here}: paths in the conversation may be those of the other folder.`,
  }
  if (named) return moved
  const { id, cwd: stored } = session
  const gone = !existsSync(stored)
  if (choose) {
    const chosen = await choose({ id, stored, gone, here })
    return chosen === 'here' ? moved : { cwd: findWorkspace(stored) }
  }
  const elsewhere = `To go on in another folder, name it: --cwd DIR --resume ${id}.`
  if (gone) throw new UsageError(`The folder of the session ${id} is not there any more: ${stored}.`, elsewhere)
  throw new UsageError(
    `The session ${id} belongs to ${stored}, not to ${here}.`,
    `Go there, or add --cwd ${JSON.stringify(stored)}. ${elsewhere}`,
  )
}

/** Keeps beside the records where the session works now, so that it is found there without reading them. */
export function noteFolder(paths: Paths, id: string, cwd: string): void {
  try {
    writeFileSync(join(paths.sessionsDir, id, movedFile), cwd, { mode: 0o600 })
  } catch {
    // The records say it too; only --continue would look in the old folder. A disk that cannot be written is told by them.
  }
}
