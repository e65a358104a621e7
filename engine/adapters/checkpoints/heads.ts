/** Where HEAD, the branches and the tags of the person's own repository stand: read from its files, nothing is run. */
import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'

export type Heads = {
  /** A branch, or '' when HEAD stands on a commit. */
  branch: string
  /** '' before the first commit. */
  commit: string
  /** Branches, tags and the stash, by their short names. */
  refs: ReadonlyMap<string, string>
}

const mostRefs = 2_000
const mostPacked = 4 * 1024 * 1024

/** Of the repository that the folder belongs to; null when there is none, or it cannot be read. */
export function readHeads(workspace: string): Heads | null {
  try {
    const gitDir = gitFolderOf(workspace)
    if (gitDir === null) return null
    const shared = textOf(join(gitDir, 'commondir'))
    const common = shared === null ? gitDir : resolve(gitDir, shared.trim())
    const refs = new Map<string, string>()
    readPacked(join(common, 'packed-refs'), refs)
    for (const kind of ['heads', 'tags'])
      readLoose(join(common, 'refs', kind), kind === 'heads' ? '' : `${kind}/`, refs)
    const stash = textOf(join(common, 'refs', 'stash'))
    if (stash !== null) refs.set('stash', stash.trim())
    // Where refs are kept in tables, only that they changed is known.
    const tables = textOf(join(common, 'reftable', 'tables.list'))
    if (tables !== null) refs.set('refs', tables)
    const head = (textOf(join(gitDir, 'HEAD')) ?? '').trim()
    const branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? ''
    return { branch, commit: branch === '' ? head : (refs.get(branch) ?? ''), refs }
  } catch {
    return null
  }
}

/** What a command did to them, one sentence each; none when they stand where they stood. */
export function headsMoved(before: Heads | null, after: Heads | null): string[] {
  if (before !== null && after === null)
    return ['git’s own folder (.git) was removed or cannot be read any more; a rewind does not bring it back']
  if (before === null && after !== null) return ['git’s own folder (.git) was made; a rewind does not remove it']
  if (before === null || after === null) return []
  const out: string[] = []
  const moved = before.commit !== after.commit || before.branch !== after.branch
  if (moved) out.push(`HEAD moved from ${placeOf(before)} to ${placeOf(after)}; a rewind does not move it back`)
  const names = new Set([...before.refs.keys(), ...after.refs.keys()])
  if (moved) names.delete(after.branch)
  const changed = [...names].filter((name) => before.refs.get(name) !== after.refs.get(name))
  if (changed.length > 0) {
    const shown = changed.slice(0, 3).join(', ') + (changed.length > 3 ? ', …' : '')
    out.push(`branches or tags of git changed (${shown}); a rewind does not change them back`)
  }
  return out
}

function placeOf({ branch, commit }: Heads): string {
  const short = commit === '' ? 'no commit' : commit.slice(0, 7)
  return branch === '' || branch === '.invalid' ? short : `${branch} (${short})`
}

/** Also that of a folder above, and that of a worktree. */
function gitFolderOf(workspace: string): string | null {
  for (let at = workspace; ; at = dirname(at)) {
    const found = gitFolderIn(at)
    if (found !== undefined) return found
    if (dirname(at) === at) return null
  }
}

/** Where the repository lies whose files these are; undefined where the folder is not the top of one, null where it leads nowhere. */
export function gitFolderIn(folder: string): string | null | undefined {
  const found = join(folder, '.git')
  const stat = lstatSync(found, { throwIfNoEntry: false })
  if (stat?.isDirectory()) return found
  if (!stat?.isFile()) return undefined
  const led = /^gitdir: (.+)$/m.exec(textOf(found) ?? '')?.[1]
  return led === undefined ? null : isAbsolute(led) ? led : resolve(folder, led)
}

function readPacked(path: string, refs: Map<string, string>): void {
  for (const line of (textOf(path) ?? '').split('\n')) {
    const [, id = '', kind = '', name = ''] = /^([0-9a-f]{40,64}) refs\/(heads\/|tags\/|stash$)(.*)$/.exec(line) ?? []
    if (id === '' || refs.size >= mostRefs) continue
    refs.set(kind === 'heads/' ? name : kind === 'tags/' ? `tags/${name}` : 'stash', id)
  }
}

function readLoose(folder: string, prefix: string, refs: Map<string, string>): void {
  let entries: ReturnType<typeof entriesOf>
  try {
    entries = entriesOf(folder)
  } catch {
    return
  }
  for (const entry of entries) {
    if (refs.size >= mostRefs) return
    const path = join(folder, entry.name)
    if (entry.isDirectory()) readLoose(path, `${prefix}${entry.name}/`, refs)
    else if (entry.isFile() && !entry.name.endsWith('.lock')) refs.set(prefix + entry.name, (textOf(path) ?? '').trim())
  }
}

function entriesOf(folder: string) {
  return readdirSync(folder, { withFileTypes: true })
}

function textOf(path: string): string | null {
  try {
    const stat = statSync(path)
    return stat.isFile() && stat.size <= mostPacked ? readFileSync(path, 'utf8') : null
  } catch {
    return null
  }
}
