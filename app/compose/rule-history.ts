/** What the ledgers say of rules: how often each decided lately, and which calls a new one would have decided. */
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { StoredRule } from '@sluice/engine/ports'
import type { PermissionNeed, ToolKind, Verdict } from '@sluice/engine/protocol'
import type { RuleHistory } from '../overlays/rules/rules-port.ts'

/** A call that was decided on, with the facts that rules are about. */
export type PastCall = { tool: string; kind: ToolKind; title: string; needs: PermissionNeed[] }

export type HistoryOptions = {
  sessionsDir: string
  sessionId: string
  /** ms since 1970. */
  now: number
  /** The verdict on a past call by these rules alone. */
  judge(call: PastCall, rules: readonly StoredRule[]): Verdict
}

/** So much is lately: further back nobody remembers, and reading it would take a while. */
const days = 30
const mostSessions = 60
const mostCalls = 500

type Hits = { session: number; lately: number; last: number | null; added: number | null }

export async function readRuleHistory(options: HistoryOptions): Promise<RuleHistory> {
  const hits = new Map<string, Hits>()
  const calls: PastCall[] = []
  for (const id of await recentSessions(options)) {
    await readLedger(join(options.sessionsDir, id, 'audit.jsonl'), (record) => {
      count(record, id === options.sessionId, hits)
      const call = askedCall(record)
      if (call !== null && calls.length < mostCalls) calls.push(call)
    })
  }
  return {
    hits: (text) => hits.get(text) ?? { session: 0, lately: 0, last: null, added: null },
    covers(text) {
      const rule: StoredRule = { text, verdict: 'allow', scope: 'session' }
      const covered = calls.filter((call) => options.judge(call, [rule]) === 'allow')
      const examples = [...new Set(covered.map(({ title }) => title))].slice(0, 3)
      return { count: covered.length, of: calls.length, examples }
    },
  }
}

/** This session first, then the newest. */
async function recentSessions({ sessionsDir, sessionId, now }: HistoryOptions): Promise<string[]> {
  const ids = await readdir(sessionsDir).catch((): string[] => [])
  const known = await Promise.all(
    ids.map(async (id) => {
      const found = await stat(join(sessionsDir, id, 'audit.jsonl')).catch(() => null)
      return { id, at: id === sessionId ? Number.POSITIVE_INFINITY : (found?.mtimeMs ?? 0) }
    }),
  )
  return known
    .filter(({ at }) => now - at < days * 86_400_000)
    .sort((a, b) => b.at - a.at)
    .slice(0, mostSessions)
    .map(({ id }) => id)
}

type Fields = Record<string, unknown>

/** Lines that cannot be read are passed over: a hit less is no harm. */
async function readLedger(file: string, take: (record: Fields) => void): Promise<void> {
  try {
    for await (const line of createInterface({ input: createReadStream(file, 'utf8') })) {
      if (!line.includes('"type":"decision"')) continue
      try {
        take(JSON.parse(line) as Fields)
      } catch {
        // Torn, or not ours.
      }
    }
  } catch {
    // Gone meanwhile.
  }
}

function count(record: Fields, own: boolean, hits: Map<string, Hits>): void {
  const at = Date.parse(String(record.time))
  const entry = (text: string): Hits => {
    const known = hits.get(text) ?? { session: 0, lately: 0, last: null, added: null }
    hits.set(text, known)
    return known
  }
  const parts = Array.isArray(record.needs) ? record.needs : []
  // A line of several commands may be let through by several rules; each of them counts once.
  const rules = new Set([record.rule, ...parts.map((part: Fields | null) => part?.rule)])
  for (const rule of rules) {
    if (typeof rule !== 'string') continue
    const hit = entry(rule)
    hit.lately++
    if (own) hit.session++
    hit.last = Math.max(hit.last ?? 0, at)
  }
  const wrote = (record.wrote as Fields | undefined)?.text
  if (typeof wrote !== 'string') return
  const hit = entry(wrote)
  hit.added = Math.max(hit.added ?? 0, at)
}

function askedCall({ tool, kind, title, needs, step, verdict }: Fields): PastCall | null {
  if (verdict !== 'ask' || step !== undefined || typeof tool !== 'string' || typeof kind !== 'string') return null
  if (kind === 'ask' || !Array.isArray(needs) || needs.length === 0) return null
  const facts = needs.map((part: Fields) => part?.need as PermissionNeed)
  return facts.every(Boolean) ? { tool, kind: kind as ToolKind, title: String(title), needs: facts } : null
}
