/** Finds the place in a script that a request stands at, from the request's own history. */
import type { AssistantMessage, Message, ToolMessage } from '../../protocol/index.ts'
import type { Condition, ReplyStep, ResultPattern, Script, Step } from './script.ts'

export type Place =
  /** This reply comes next; `ordinal` counts the script's replies from 1. */
  | { type: 'reply'; step: ReplyStep; ordinal: number; variables: Variables }
  | { type: 'ended' }
  | { type: 'mismatch'; message: string }

export type Variables = { [name: string]: string }

/**
 * What the adapter remembers of a session, for histories that no longer hold everything: old results are shortened
 * and old turns dropped when the window is full. Without it (after a resume) the history alone decides.
 */
export type Memory = { variables: Map<string, string>; branches: Map<string, number>; ordinals: Map<string, number> }

export function createMemory(): Memory {
  return { variables: new Map(), branches: new Map(), ordinals: new Map() }
}

/** `script_3_1`: the first call of the third reply. */
export function callId(ordinal: number, index: number): string {
  return `script_${ordinal}_${index}`
}

export function findPlace(script: Script, messages: readonly Message[], memory: Memory): Place {
  const history = readHistory(messages)
  const dropped = droppedReplies(history.exchanges, memory)
  const variables: Variables = {}
  let ordinal = 0
  let next = 0
  let results: readonly ToolMessage[] = []
  let user = history.firstUser
  const latest = () => next >= history.exchanges.length

  function isPast(step: ReplyStep): boolean {
    ordinal++
    if (ordinal <= dropped) {
      results = []
      return true
    }
    const calls = step.reply.some((part) => 'call' in part)
    for (;;) {
      const exchange = history.exchanges[next]
      if (!exchange) return false
      next++
      user = exchange.user ?? user
      results = exchange.results
      // A reply that should call and does not was cut short: it is played again.
      if (!calls || (exchange.message.toolCalls ?? []).length > 0) return true
    }
  }

  function capture(patterns: Variables | undefined, text: string): string | undefined {
    for (const [name, pattern] of Object.entries(patterns ?? {})) {
      const found = new RegExp(pattern, 'm').exec(text)
      if (!found) return `nothing to capture as "${name}" with /${pattern}/ in: ${short(text)}`
      const value = found[1] ?? found[0]
      variables[name] = value
      memory.variables.set(name, value)
    }
    return undefined
  }

  function recall(patterns: Variables | undefined): void {
    for (const name of Object.keys(patterns ?? {})) {
      const value = memory.variables.get(name)
      if (value !== undefined) variables[name] = value
    }
  }

  /** Why the condition does not hold, or undefined when it does. */
  function unmet(condition: Condition): string | undefined {
    if ('user' in condition) {
      if (new RegExp(condition.user, 'm').test(user)) return capture(condition.capture, user)
      return `expected words of the user like /${condition.user}/, got: ${short(user)}`
    }
    let problem = 'the last reply has no results'
    for (const result of results) {
      const found = misfit(condition, result) ?? capture(condition.capture, result.content)
      if (found === undefined) return undefined
      problem = found
    }
    return `expected ${describe(condition)}; ${problem}`
  }

  function choose(branches: { when?: Condition; steps: Step[] }[], path: string): Step[] {
    const key = `${path}#${ordinal}`
    const known = latest() ? undefined : memory.branches.get(key)
    if (known !== undefined) recall(branches[known]?.when?.capture)
    const index = known ?? branches.findIndex((branch) => branch.when === undefined || unmet(branch.when) === undefined)
    if (index >= 0) memory.branches.set(key, index)
    return branches[index]?.steps ?? []
  }

  function walk(steps: readonly Step[], path: string): Place | undefined {
    for (const [index, step] of steps.entries()) {
      const place = take(step, `${path}.${index}`)
      if (place) return place
    }
    return undefined
  }

  function take(step: Step, path: string): Place | undefined {
    if ('reply' in step) return isPast(step) ? undefined : { type: 'reply', step, ordinal, variables }
    if ('end' in step) return { type: 'ended' }
    if ('branch' in step) return walk(choose(step.branch, path), path)
    if ('repeat' in step) {
      for (let round = 1; round <= step.repeat; round++) {
        variables.i = String(round)
        const place = walk(step.steps, path)
        if (place) return place
      }
      return undefined
    }
    const condition: Condition = 'expect' in step ? step.expect : { user: step.expectUser, capture: step.capture }
    const problem = unmet(condition)
    if (problem === undefined) return undefined
    if (latest()) return { type: 'mismatch', message: `script mismatch: ${problem}` }
    // What lies in the past was judged when it happened; its text may have been shortened since.
    recall(condition.capture)
    return undefined
  }

  return walk(script.steps, '') ?? { type: 'ended' }
}

type Exchange = { message: AssistantMessage; results: ToolMessage[]; user?: string }

function readHistory(messages: readonly Message[]): { firstUser: string; exchanges: Exchange[] } {
  const exchanges: Exchange[] = []
  let firstUser = ''
  for (const message of messages) {
    const last = exchanges.at(-1)
    if (message.role === 'assistant') exchanges.push({ message, results: [] })
    else if (message.role === 'tool') last?.results.push(message)
    else if (message.role === 'user') {
      if (last) last.user = message.content
      else firstUser = message.content
    }
  }
  return { firstUser, exchanges }
}

/** How many of the script's replies the history lost at its beginning: told by the calls' ids, else by remembered words. */
function droppedReplies(exchanges: readonly Exchange[], memory: Memory): number {
  for (const [at, { message }] of exchanges.entries()) {
    const id = /^script_(\d+)_/.exec(message.toolCalls?.[0]?.id ?? '')
    const ordinal = id ? Number(id[1]) : memory.ordinals.get(message.content)
    if (ordinal !== undefined) return Math.max(0, ordinal - 1 - at)
  }
  return 0
}

function misfit(pattern: ResultPattern, result: ToolMessage): string | undefined {
  const got = `got from ${result.name} (${result.ok ? 'ok' : 'not ok'}): ${short(result.content)}`
  if (pattern.call !== undefined && pattern.call !== result.name) return got
  if (pattern.ok !== undefined && pattern.ok !== result.ok) return got
  if (pattern.contains !== undefined && !result.content.includes(pattern.contains)) return got
  if (pattern.matches !== undefined && !new RegExp(pattern.matches, 'm').test(result.content)) return got
  return undefined
}

function describe(pattern: ResultPattern): string {
  const parts = [pattern.call === undefined ? 'a result' : `the result of ${pattern.call}`]
  if (pattern.ok !== undefined) parts.push(pattern.ok ? 'to be ok' : 'to be not ok')
  if (pattern.contains !== undefined) parts.push(`to contain "${pattern.contains}"`)
  if (pattern.matches !== undefined) parts.push(`to match /${pattern.matches}/`)
  return parts.join(' ')
}

function short(text: string): string {
  return text.length > 200 ? `${text.slice(0, 199)}…` : text
}
