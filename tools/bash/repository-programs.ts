/** Which programs a repository's own configuration would make git run: it may have come in an archive, with the project. */
import { readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { CommandNeed } from './needs.ts'

/**
 * The needs, with a hazard for each git command that would obey such a configuration. Only what a person has not said no to
 * beforehand is looked for: file monitors, pagers and editors are switched off for every command, hooks stay on.
 */
export function withRepositoryPrograms(needs: CommandNeed[], cwd: string): CommandNeed[] {
  const known = new Map<string, string[]>()
  return needs.map((need) => {
    const { argv } = need
    if (argv === null || basename(argv[0] ?? '') !== 'git') return need
    const folder = folderOf(argv, cwd)
    const keys = known.get(folder) ?? programKeys(folder)
    known.set(folder, keys)
    if (keys.length === 0) return need
    const shown = `${keys.slice(0, 3).join(', ')}${keys.length > 3 ? ', …' : ''}`
    return {
      ...need,
      hazards: [...need.hazards, `the repository's own configuration makes git run programs (${shown})`],
    }
  })
}

/** Keys by which the configuration of the repository around `folder` names programs; `include` for what is read besides. */
export function programKeys(folder: string): string[] {
  const found = new Set<string>()
  for (const file of configFiles(folder)) {
    const text = readText(file)
    if (text !== null) for (const key of dangerousKeys(text)) found.add(key)
  }
  return [...found]
}

/** Exported for comparison with git's own reading. */
export function dangerousKeys(text: string): string[] {
  const found: string[] = []
  let section = ''
  let name: string | null = null
  let continued = false
  for (const raw of text.replace(/^\uFEFF/, '').split('\n')) {
    // What goes on from the line before is no key to git; taken for one, it is reported at worst.
    let line = raw.trim()
    const goesOn = continued
    continued = /(?:^|[^\\])(?:\\\\)*\\$/.test(raw.replace(/\r$/, ''))
    for (let header = headerAt(line); header !== null; header = headerAt(line)) {
      section = (header[1] ?? '').toLowerCase()
      name = header[2] ?? null
      // The old way to write it: `[diff.name]`.
      const dot = section.indexOf('.')
      if (dot > 0 && name === null) {
        name = section.slice(dot + 1)
        section = section.slice(0, dot)
      }
      line = line.slice(header[0].length).trim()
    }
    if (line === '' || /^[#;]/.test(line)) continue
    const [, key = '', value = ''] = /^([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?/.exec(line) ?? []
    if (key === '') {
      if (!goesOn) found.push('something that cannot be read')
      continue
    }
    const full = [section, ...(name === null ? [] : [name]), key.toLowerCase()].join('.')
    if (isDangerous(section, name !== null, key.toLowerCase(), value)) found.push(full)
  }
  return found
}

function headerAt(line: string): RegExpExecArray | null {
  return /^\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line)
}

/** Keys that name a program, `section.key`, or `section.*.key` below a name. */
const programs = new Set(
  (
    'core.sshcommand core.gitproxy core.askpass core.alternaterefscommand diff.external diff.*.command diff.*.textconv ' +
    'filter.*.clean filter.*.smudge filter.*.process merge.*.driver include.path includeif.*.path gpg.program ' +
    'gpg.*.program interactive.difffilter remote.*.uploadpack remote.*.receivepack remote.*.vcs trailer.*.command ' +
    'trailer.*.cmd tar.*.command uploadpack.packobjectshook'
  ).split(' '),
)

function isDangerous(section: string, named: boolean, key: string, value: string): boolean {
  const full = `${section}.${named ? '*.' : ''}${key}`
  if (full === 'core.worktree') return true
  if (section === 'credential' && key === 'helper') return /^["']?!|\//.test(value)
  if (section === 'remote' && (key === 'url' || key === 'pushurl')) return /^["']?[\w+.-]+::/.test(value)
  if (!programs.has(full)) return false
  // Large files are kept apart by a program of their own in very many repositories.
  return !(section === 'filter' && /^["']?git-lfs (?:clean|smudge|filter-process)[\w% -]*["']?$/.test(value))
}

/** The folder that a git command works in: `-C` counts, each from the one before. */
function folderOf(argv: readonly string[], cwd: string): string {
  let folder = cwd
  for (let i = 1; i < argv.length && (argv[i] ?? '').startsWith('-'); i++) {
    if (argv[i] === '-C') folder = resolve(folder, argv[++i] ?? '')
    else if (['-c', '--git-dir', '--work-tree', '--namespace', '--config-env', '--attr-source'].includes(argv[i] ?? ''))
      i++
  }
  return folder
}

/** The configuration files of the repository around a folder, whether they exist or not. */
function configFiles(folder: string): string[] {
  for (let at = folder; ; at = dirname(at)) {
    const git = join(at, '.git')
    const kind = kindOf(git)
    if (kind === 'folder') return [join(git, 'config'), join(git, 'config.worktree')]
    if (kind === 'file') {
      // A worktree or a submodule: the file names the real folder, which names the common one.
      const target = /^gitdir:\s*(.+?)\s*$/m.exec(readText(git) ?? '')?.[1]
      if (target === undefined) return []
      const own = resolve(at, target)
      const common = resolve(own, (readText(join(own, 'commondir')) ?? '.').trim())
      return [
        join(own, 'config'),
        join(own, 'config.worktree'),
        join(common, 'config'),
        join(common, 'config.worktree'),
      ]
    }
    if (dirname(at) === at) return []
  }
}

function kindOf(path: string): 'folder' | 'file' | null {
  const found = statSync(path, { throwIfNoEntry: false })
  return found?.isDirectory() ? 'folder' : found?.isFile() ? 'file' : null
}

function readText(path: string): string | null {
  try {
    const found = statSync(path)
    if (!found.isFile()) return null
    // Nobody configures that much by hand: what cannot be looked through is taken as saying anything.
    return found.size > 1_000_000 ? '[include]\npath = (too large)' : readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
