/** What the table of keys has and this version does not: no hint and no help names it, and its key says so politely. */

/** Actions by context; `all` is a whole context. */
const absent: Record<string, ReadonlySet<string> | 'all'> = {
  leader: new Set(['inbox', 'review', 'trace', 'sessions', 'session']),
  inbox: 'all',
  picker: 'all',
}

/** True for what a key is kept for, although nothing answers it yet. */
export function isAbsent(context: string, action: string): boolean {
  const actions = absent[context]
  return actions === 'all' || (actions?.has(action) ?? false)
}

const places: Record<string, string> = {
  inbox: 'A list of everything that needs you',
  review: 'A review of past changes',
  trace: 'The trace of a turn',
  sessions: 'The list of sessions',
  rewind: 'Going back to an earlier prompt',
}

/** One sentence about a place that cannot be opened. */
export function absence(name: string): string {
  return `${places[name] ?? `"${name}"`} is not in this version.`
}
