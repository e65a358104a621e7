/** What git in the sandbox overlooks: the person's own excludes, and the empty folders that are put in the way of commands. */
import { execFile } from 'node:child_process'
import { lstatSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import type { Place } from '../../permission/paths.ts'
import { isInside } from '../../permission/paths.ts'

export type ExcludesOptions = {
  place: Place
  /** Names at the top of the workspace. */
  shown: readonly string[]
  /** What commands must not read; it must not come to them in another file. */
  unreadable: readonly string[]
  /** Path of git. */
  git: string
  env: Readonly<Record<string, string | undefined>>
  /** Written anew. */
  file: string
}

/**
 * `git clean -d`, which `git stash -u` runs as well, would otherwise fail to remove those folders. Git reads one such file
 * besides those of the repository, so it has what the person's own one says too. Never rejects: then git shows more.
 */
export async function writeGitExcludes({ place, shown, unreadable, git, env, file }: ExcludesOptions): Promise<void> {
  const own = await ownExcludes(git, place, env)
  const prefix = withinRepository(place.cwd)
  const names = shown.map((name) => `/${escapePattern(prefix)}${name}/`)
  try {
    writeFileSync(file, `${readIfAllowed(own, unreadable)}\n${names.join('\n')}\n`, { mode: 0o600 })
  } catch {
    // Git says itself when it cannot read it.
  }
}

/** The file that git in the workspace would read, whether it is there or not. */
async function ownExcludes(git: string, { cwd, home }: Place, env: ExcludesOptions['env']): Promise<string> {
  const configured = await new Promise<string>((resolve) => {
    const given = { PATH: env.PATH, HOME: env.HOME, XDG_CONFIG_HOME: env.XDG_CONFIG_HOME }
    const options = { cwd, env: given, timeout: configLimit, encoding: 'utf8' as const }
    // Only reads; nothing that a repository sets is run by it.
    execFile(git, ['config', '--type=path', '--null', '--get', 'core.excludesFile'], options, (error, stdout) =>
      resolve(error ? '' : stdout.replace(/\0$/, '')),
    )
  })
  if (configured !== '') return isAbsolute(configured) ? configured : join(cwd, configured)
  return join(env.XDG_CONFIG_HOME || join(env.HOME ?? home, '.config'), 'git', 'ignore')
}

/** In ms; it takes 3. */
const configLimit = 5_000
const mostBytes = 1_000_000

function readIfAllowed(path: string, unreadable: readonly string[]): string {
  try {
    const real = realpathSync(path)
    const hidden = unreadable.some((one) => isInside(one, path) || isInside(one, real))
    const { size } = statSync(real)
    return hidden || size > mostBytes || !statSync(real).isFile() ? '' : readFileSync(real, 'utf8')
  } catch {
    return ''
  }
}

/** The workspace as git sees it from the top of the repository that it is in: empty, or a path with a final slash. */
function withinRepository(cwd: string): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    try {
      lstatSync(join(folder, '.git'))
      return folder === cwd ? '' : `${relative(folder, cwd).split(sep).join('/')}/`
    } catch {
      if (folder === dirname(folder)) return ''
    }
  }
}

function escapePattern(path: string): string {
  return path.replace(/[\\*?[\]]/g, '\\$&')
}
