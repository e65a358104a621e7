/** What the table of keys has and this version does not: no hint and no help names it, and its key says so politely. */

/** Actions by context; `all` is a whole context. */
const absent: Record<string, ReadonlySet<string> | 'all'> = {
  leader: new Set(['trace']),
}

/** True for what a key is kept for, although nothing answers it yet. */
export function isAbsent(context: string, action: string): boolean {
  const actions = absent[context]
  return actions === 'all' || (actions?.has(action) ?? false)
}

const places: Record<string, string> = {
  trace: 'the trace of a turn',
}

/** One line about a place that cannot be opened; what matters comes first, where little fits. */
export function absence(name: string): string {
  return `Not in this version: ${places[name] ?? `"${name}"`}`
}
