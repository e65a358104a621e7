/** The person's own keys over the defaults, with every contradiction named. */
import type { KeyTable } from '@sluice/permissions-ui'
import { normalizeKey } from '../terminal/key-names.ts'

/** As in the config: context → action → a key, several, or none. `leader: {start: 'ctrl+b'}` moves all leader sequences. */
export type KeyBindings = Record<string, Record<string, string | string[] | null>>

export type KeyProblem = {
  context: string
  action: string
  /** As it was written, or '' when the problem is not one key. */
  key: string
  /** One sentence. */
  message: string
}

/**
 * Lays `bindings` over `table`. What cannot be is left as it was and told: unknown contexts, actions and keys, a key that two
 * actions of one context claim, a key that would take a letter from typing, and a key that begins a sequence.
 */
export function rebind(table: KeyTable, bindings: KeyBindings): { table: KeyTable; problems: KeyProblem[] } {
  const problems: KeyProblem[] = []
  const next: KeyTable = {}
  const start = leaderStart(bindings, problems)
  for (const [context, actions] of Object.entries(table)) {
    next[context] = {}
    for (const [action, binding] of Object.entries(actions)) {
      next[context][action] = { ...binding, keys: binding.keys.map((key) => withLeader(key, start)) }
    }
  }

  const chosen = new Map<string, Set<string>>()
  for (const [context, actions] of Object.entries(bindings)) {
    const known = next[context]
    if (known === undefined) {
      problems.push(
        problem(context, '', '', `there is no key context "${context}"${near(context, Object.keys(table))}`),
      )
      continue
    }
    for (const [action, written] of Object.entries(actions)) {
      if (context === 'leader' && action === 'start') continue
      const binding = known[action]
      if (binding === undefined) {
        const text = `there is no action "${action}" in "${context}"${near(action, Object.keys(known))}`
        problems.push(problem(context, action, '', text))
        continue
      }
      const keys: string[] = []
      for (const one of written === null ? [] : Array.isArray(written) ? written : [written]) {
        const key = typeof one === 'string' ? normalizeKey(one) : null
        if (key === null) {
          problems.push(
            problem(context, action, String(one), `"${String(one)}" is no key; write it like "ctrl+o" or "ctrl+x o"`),
          )
        } else if (typesText(key) && typing.has(context)) {
          problems.push(problem(context, action, String(one), `"${key}" types text in "${context}"; add ctrl or alt`))
        } else if (!keys.includes(key)) keys.push(key)
      }
      binding.keys = keys
      const of = chosen.get(context) ?? new Set()
      chosen.set(context, of.add(action))
    }
  }
  dropConflicts(next, chosen, problems)
  findShadows(next, chosen, problems)
  return { table: next, problems }
}

/** Within a context a key means one thing: the person's choice wins over a default, the first choice over a later one. */
function dropConflicts(table: KeyTable, chosen: Map<string, Set<string>>, problems: KeyProblem[]): void {
  const prefixes = new Set<string>()
  for (const actions of Object.values(table)) {
    for (const { keys } of Object.values(actions)) {
      for (const key of keys) if (key.includes(' ')) prefixes.add(key.slice(0, key.indexOf(' ')))
    }
  }
  for (const [context, actions] of Object.entries(table)) {
    const own = chosen.get(context)
    if (own === undefined) continue
    const owner = new Map<string, string>()
    for (const action of own) {
      const binding = actions[action]
      if (binding === undefined) continue
      binding.keys = binding.keys.filter((key) => {
        const other = owner.get(key)
        if (other !== undefined) {
          problems.push(problem(context, action, key, `"${key}" is already "${other}" in "${context}"`))
          return false
        }
        if (prefixes.has(key) && !aboveLeader.has(context)) {
          const text = `"${key}" begins sequences such as "${key} a"; bind another key, or move them with leader.start`
          problems.push(problem(context, action, key, text))
          return false
        }
        owner.set(key, action)
        return true
      })
    }
    for (const [action, binding] of Object.entries(actions)) {
      if (own.has(action)) continue
      const lost = binding.keys.filter((key) => owner.has(key))
      if (lost.length === 0) continue
      binding.keys = binding.keys.filter((key) => !owner.has(key))
      for (const key of lost) {
        if (binding.keys.length > 0) continue
        const text = `"${key}" is now "${owner.get(key)}"; "${action}" has no key any more`
        problems.push(problem(context, action, key, text))
      }
    }
  }
}

/** The draft sees a key before the rest of the screen does: a new binding of either may take it from the other. */
function findShadows(table: KeyTable, chosen: Map<string, Set<string>>, problems: KeyProblem[]): void {
  for (const [upper, { keys }] of Object.entries(table.composer ?? {})) {
    for (const [lower, binding] of Object.entries(table.global ?? {})) {
      const key = keys.find((one) => binding.keys.includes(one))
      if (key === undefined) continue
      const text = `"${key}" never reaches "${lower}" in "global": "${upper}" in "composer" takes it first`
      if (chosen.get('global')?.has(lower)) problems.push(problem('global', lower, key, text))
      else if (chosen.get('composer')?.has(upper)) problems.push(problem('composer', upper, key, text))
    }
  }
}

function leaderStart(bindings: KeyBindings, problems: KeyProblem[]): string {
  const written = bindings.leader?.start
  const first = Array.isArray(written) ? written[0] : written
  if (first === undefined || first === null) return defaultLeader
  const key = normalizeKey(first)
  if (key !== null && !key.includes(' ') && !typesText(key)) return key
  problems.push(problem('leader', 'start', first, `"${first}" cannot begin sequences; write one key such as "ctrl+b"`))
  return defaultLeader
}

function withLeader(key: string, start: string): string {
  return key.startsWith(`${defaultLeader} `) ? start + key.slice(defaultLeader.length) : key
}

/** A key without modifiers that writes a character. */
function typesText(key: string): boolean {
  return key === 'space' || [...key].length === 1
}

function near(word: string, known: string[]): string {
  const alike = known.find(
    (name) => name.toLowerCase() === word.toLowerCase() || name.startsWith(word) || word.startsWith(name),
  )
  return alike === undefined ? `; there are ${known.join(', ')}` : `; did you mean "${alike}"?`
}

function problem(context: string, action: string, key: string, message: string): KeyProblem {
  return { context, action, key, message: `keys: ${message}` }
}

const defaultLeader = 'ctrl+x'
/** Contexts in which plain characters are text. `?` of the global help is the composer's exception for an empty draft. */
const typing = new Set(['global', 'composer', 'completion', 'search', 'picker', 'overlay'])
/** They see a key before the leader does. */
const aboveLeader = new Set(['picker', 'overlay'])
