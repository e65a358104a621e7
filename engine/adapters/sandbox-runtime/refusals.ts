/** From what was observed and printed to what the sandbox refused, in clauses for the model and for people. */

import type { Place } from '../../permission/paths.ts'
import type { SandboxRefusals } from '../../ports/index.ts'
import type { Policy } from './policy.ts'

/** `observed` are the library's lines, such as `deny openat /etc/x` or `deny network-outbound a.example:443 (why)`. */
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
  const writes = new Set<string>()
  const reads = new Set<string>()
  for (const line of observed) {
    const [, operation = '', rest = ''] = /deny(?:\(\d+\))?\s+(\S+)\s+(.*)$/.exec(line) ?? []
    if (operation === 'network-outbound') hosts.push(`reaching ${rest}`)
    else if (/^file-read/.test(operation)) reads.add(rest)
    else if (rest.startsWith('/') && !mayWrite(rest, policy)) writes.add(rest)
  }
  for (const path of policy.unreadable) {
    if (!writes.has(path) && complaints.some((line) => names(line, path, place.home))) reads.add(path)
  }
  // What was tried and did not matter is of no interest: many programs try to write caches or logs.
  const refused = failed
    ? [
        ...hosts,
        ...[...writes].map((path) => writingClause(path, policy, place)),
        ...[...reads].map((path) => `reading ${shown(path, place)} (it may hold secrets)`),
      ]
    : hosts
  return {
    refused: capped([...new Set(refused)]),
    blocked: failed && (hosts.length > 0 || reads.size > 0 || (writes.size > 0 && complaints.length > 0)),
  }
}

const mostClauses = 6

function capped(clauses: string[]): string[] {
  if (clauses.length <= mostClauses) return clauses
  return [...clauses.slice(0, mostClauses), `and ${clauses.length - mostClauses} more`]
}

const complaint =
  /read-only file system|permission denied|operation not permitted|no such file|not a directory|resource busy|\bE(ROFS|ACCES|PERM)\b|(cannot|can't|could not|couldn't|unable to|failed to) (access|create|lock|make|mkdir|move|open|read|remove|rename|touch|unlink|write)/i

function mayWrite(path: string, policy: Policy): boolean {
  if (['/dev', '/proc'].some((folder) => isBelow(folder, path))) return true
  if (policy.unwritable.some((one) => isBelow(one, path))) return false
  return [...policy.writable, ...policy.unreadable].some((one) => isBelow(one, path))
}

function writingClause(path: string, policy: Policy, place: Place): string {
  const inside = policy.writable.some((one) => isBelow(one, path))
  const why = inside ? 'programs obey it' : 'only the workspace and $TMPDIR can be written'
  return `writing ${shown(path, place)} (${why})`
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
