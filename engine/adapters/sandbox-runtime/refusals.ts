/** From what was observed and printed to what the sandbox refused, in clauses for the model and for people. */
import type { SandboxRefusals } from '../../ports/index.ts'
import type { Policy } from './policy.ts'

/** `observed` are the library's lines, such as `deny openat /etc/x` or `deny network-outbound a.example:443 (why)`. */
export function describeRefusals(
  observed: readonly string[],
  end: { exitCode: number | null; output: string },
  policy: Policy,
  home: string,
): SandboxRefusals {
  const failed = end.exitCode !== 0
  const lines = end.output.split('\n')
  const complaints = lines.filter((line) => complaint.test(line))
  const broken = failed ? lines.find((line) => line.startsWith('bwrap: ')) : undefined
  if (broken !== undefined) return { refused: [`starting the command (${broken})`], blocked: true }

  const hosts: string[] = []
  const writes: string[] = []
  for (const line of observed) {
    const [, operation = '', rest = ''] = /deny(?:\(\d+\))?\s+(\S+)\s+(.*)$/.exec(line) ?? []
    if (operation === 'network-outbound') hosts.push(`reaching ${rest}`)
    else if (/^file-read/.test(operation)) writes.push(readingClause(rest, home))
    else if (rest.startsWith('/') && !mayWrite(rest, policy)) writes.push(writingClause(rest, policy, home))
  }
  const reads = policy.unreadable
    .filter((path) => complaints.some((line) => names(line, path, home)))
    .map((path) => readingClause(path, home))
  // What was tried and did not matter is of no interest: many programs try to write caches or logs.
  const refused = failed ? [...hosts, ...writes, ...reads] : hosts
  return {
    refused: capped([...new Set(refused)]),
    blocked: failed && (hosts.length > 0 || reads.length > 0 || (writes.length > 0 && complaints.length > 0)),
  }
}

const mostClauses = 6

function capped(clauses: string[]): string[] {
  if (clauses.length <= mostClauses) return clauses
  return [...clauses.slice(0, mostClauses), `and ${clauses.length - mostClauses} more`]
}

const complaint =
  /read-only file system|permission denied|operation not permitted|no such file|\bE(ROFS|ACCES|PERM)\b|(cannot|can't|could not|couldn't|unable to|failed to) (access|create|lock|make|mkdir|move|open|read|remove|rename|touch|unlink|write)/i

function mayWrite(path: string, policy: Policy): boolean {
  if (['/dev', '/proc'].some((folder) => isBelow(folder, path))) return true
  if (policy.unwritable.some((one) => isBelow(one, path))) return false
  return [...policy.writable, ...policy.unreadable].some((one) => isBelow(one, path))
}

function writingClause(path: string, policy: Policy, home: string): string {
  const inside = policy.writable.some((one) => isBelow(one, path))
  const why = inside ? 'programs obey it' : 'only the workspace and $TMPDIR can be written'
  return `writing ${shown(path, home)} (${why})`
}

function readingClause(path: string, home: string): string {
  return `reading ${shown(path, home)} (it may hold secrets)`
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

function shown(path: string, home: string): string {
  return home !== '/' && isBelow(home, path) ? `~${path.slice(home.length)}` : path
}

function isBelow(root: string, path: string): boolean {
  return path === root || path.startsWith(root === '/' ? '/' : `${root}/`)
}
