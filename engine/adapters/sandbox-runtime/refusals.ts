/** From what was observed and printed to what the sandbox refused, in clauses for the model and for people. */
import { accessSync, constants, existsSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Place } from '../../permission/paths.ts'
import type { SandboxRefusals } from '../../ports/index.ts'
import { writeComplaints } from './complaints.ts'
import type { Policy } from './policy.ts'

/**
 * `observed` are the library's lines, such as `deny openat /etc/x` or `deny network-outbound a.example:443 (why)`. It does
 * not see where a link leads, and keeps the latest only, so what programs printed is gone through as well.
 */
export function describeRefusals(
  observed: readonly string[],
  end: { exitCode: number | null; output: string },
  policy: Policy,
  place: Place,
): SandboxRefusals {
  const failed = end.exitCode !== 0
  const lines = end.output.split('\n')
  const complaints = lines.filter((line) => complaint.test(line))
  const broken = failed ? lines.find((line) => line.startsWith('bwrap: ')) : undefined
  if (broken !== undefined) return { refused: [`starting the command (${broken})`], blocked: true }

  const hosts: string[] = []
  /** Where a file lies, and how it is named to people. */
  const writes = new Map<string, string>()
  const reads = new Set<string>()
  /** Names in a folder to which the command had gone, which is not known. */
  const strayed: string[] = []
  for (const { printed, path, kind } of writeComplaints(complaints, place.cwd)) {
    const guarded = policy.unwritable.some((one) => isBelow(one, path))
    const outside = isOutside(path, policy)
    if (guarded || (outside && (kind === 'read-only' || isOurs(path)))) {
      writes.set(path, namedByLink(printed, path, place))
    } else if (kind === 'read-only' && !outside && !printed.startsWith('/')) {
      strayed.push(printed)
    }
  }
  for (const line of observed) {
    const [, operation = '', rest = ''] = /deny(?:\(\d+\))?\s+(\S+)\s+(.*)$/.exec(line) ?? []
    if (operation === 'network-outbound') hosts.push(`reaching ${rest}`)
    else if (/^file-read/.test(operation)) reads.add(rest)
    else if (rest.startsWith('/') && !mayWrite(rest, policy) && !writes.has(rest) && !isFolderThere(operation, rest)) {
      // Where the command went well and nobody complained, a cache or a log that was not written is of no interest.
      const complained = complaints.some((one) => one.includes(rest))
      if (failed || complained || !isByTheWay(rest)) writes.set(rest, shown(rest, place))
    }
  }
  for (const name of strayed) {
    const known = [...writes.keys()].some((path) => path.endsWith(`/${basename(name)}`))
    if (!known) writes.set(name, name)
  }
  for (const path of policy.unreadable) {
    if (!writes.has(path) && complaints.some((line) => names(line, path, place.home))) reads.add(path)
  }
  const refused = [
    ...hosts,
    ...[...writes].map(([path, name]) => writingClause(path, name, policy)),
    ...[...reads].map((path) => `reading ${shown(path, place)} (it may hold secrets)`),
  ]
  return {
    refused: capped([...new Set(refused)]),
    blocked: failed && (hosts.length > 0 || reads.size > 0 || (writes.size > 0 && complaints.length > 0)),
  }
}

/** `mkdir -p` tries every folder on the way, which is no refusal where it is there. */
function isFolderThere(operation: string, path: string): boolean {
  return operation.startsWith('mkdir') && existsSync(path)
}

function isByTheWay(path: string): boolean {
  return path.split('/').some((name) => /^(\.?cache|caches|__pycache__|_?logs?|_cacache|\.npm)$/i.test(name))
}

/** Whether it could be written here if it were not for the walls: then they are why permission was denied. */
function isOurs(path: string): boolean {
  try {
    accessSync(existsSync(path) ? path : dirname(path), constants.W_OK)
    return true
  } catch {
    return false
  }
}

function isOutside(path: string, policy: Policy): boolean {
  return !['/dev', '/proc', ...policy.writable].some((one) => isBelow(one, path))
}

/** `out/y → /elsewhere/y` where a link leads out of what was written. */
function namedByLink(printed: string, path: string, place: Place): string {
  const plain = shown(path, place)
  const direct = [path, plain, `./${plain}`].includes(printed) || printed.startsWith('/') || printed.includes('..')
  return direct ? plain : `${printed} → ${plain}`
}

const mostClauses = 6

function capped(clauses: string[]): string[] {
  if (clauses.length <= mostClauses) return clauses
  return [...clauses.slice(0, mostClauses), `and ${clauses.length - mostClauses} more`]
}

const complaint =
  /read-only file system|permission denied|operation not permitted|no such file|not a directory|is a directory|resource busy|\bE(ROFS|ACCES|PERM|BUSY|ISDIR)\b|(cannot|can't|could not|couldn't|unable to|failed to) (access|create|lock|make|mkdir|move|open|read|remove|rename|touch|unlink|write)/i

function mayWrite(path: string, policy: Policy): boolean {
  if (['/dev', '/proc'].some((folder) => isBelow(folder, path))) return true
  if (policy.unwritable.some((one) => isBelow(one, path))) return false
  return [...policy.writable, ...policy.unreadable].some((one) => isBelow(one, path))
}

function writingClause(path: string, name: string, policy: Policy): string {
  const inside = policy.writable.some((one) => isBelow(one, path))
  const why = inside ? 'programs obey it' : 'only the workspace and $TMPDIR can be written'
  return `writing ${name} (${why})`
}

/** Whether a line of output speaks of this path: in full, from the home folder, or by its own unusual name. */
function names(line: string, path: string, home: string): boolean {
  if (line.includes(path)) return true
  if (isBelow(home, path) && line.includes(`~${path.slice(home.length)}`)) return true
  const name = path.slice(path.lastIndexOf('/') + 1)
  return /^\.env/i.test(name) && new RegExp(`(^|[\\s/'"])${escapeForRegExp(name)}(?![\\w.-])`).test(line)
}

function escapeForRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

function shown(path: string, { cwd, home }: Place): string {
  if (cwd !== '/' && path !== cwd && isBelow(cwd, path)) return path.slice(cwd.length + 1)
  return home !== '/' && isBelow(home, path) ? `~${path.slice(home.length)}` : path
}

function isBelow(root: string, path: string): boolean {
  return path === root || path.startsWith(root === '/' ? '/' : `${root}/`)
}
