/** Names that a command must not make because something on this machine would obey them at once, where they are not there yet. */
import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isInside, type Place } from '../../permission/paths.ts'

export type AbsentGuards = {
  /** Absolute, to be kept from being written. */
  unwritable: string[]
  /** Names at the top of the workspace to be taken by empty folders; none on macOS, where rules need no place. */
  shown: string[]
}

/**
 * On Linux a name is kept free by something that is mounted on it, and so shows. It is an empty folder, which git, `cp -r`
 * and `find -type f` take as nothing, and which goes unnoticed by git on the other side of the walls too; the list is
 * short nevertheless. What only the person's own hand would set in motion, such as `.gitmodules`, is not in it.
 */
export function absentGuards({ cwd, home }: Place, platform: NodeJS.Platform): AbsentGuards {
  const shown = obeyedAtOnce.filter((name) => isNothing(join(cwd, name)))
  // Where the home folder can be written: files, since programs outside fail at a folder of that name.
  const atHome = isInside(cwd, home) ? obeyedAtHome.map((name) => join(home, name)).filter(isAbsent) : []
  const unwritable = [...shown.map((name) => join(cwd, name)), ...atHome]
  return { unwritable, shown: platform === 'linux' ? shown : [] }
}

/** By sluice itself, by other agents and by editors that have the folder open. */
const obeyedAtOnce = ['.sluice', 'AGENTS.md', 'CLAUDE.md', '.mcp.json', '.claude', '.vscode', '.idea']

/** By shells that are started, ssh, git, ripgrep and desktops: in the home folder only. */
const obeyedAtHome =
  '.bashrc .bash_profile .bash_login .profile .zshrc .zshenv .zprofile .zlogin .gitconfig .ripgreprc .ssh .config'.split(
    ' ',
  )

/** Absent, or the empty folder that a command which still runs, or a sluice that was killed, has there. */
function isNothing(path: string): boolean {
  try {
    return isAbsent(path) || (lstatSync(path).isDirectory() && readdirSync(path).length === 0)
  } catch {
    return false
  }
}

function isAbsent(path: string): boolean {
  try {
    lstatSync(path)
    return false
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR'
  }
}
