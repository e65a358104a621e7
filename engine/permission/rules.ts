/** The grammar of permission rules: `tool`, `tool(pattern)`, `mcp__server__tool`, `mcp__server__*`. */
import { shorten } from '../protocol/index.ts'
import { type PathPattern, parsePathPattern } from './path-glob.ts'
import type { CommandPattern } from './shell-match.ts'
import { splitWords } from './shell-words.ts'

export type RuleMatcher =
  | { type: 'any' }
  | { type: 'command'; pattern: CommandPattern }
  | { type: 'path'; pattern: PathPattern }
  /** Of `web_fetch`: what it fetches from; of `bash`: what commands in the sandbox may reach. */
  | { type: 'domain'; host: string }
  /** `tool` null stands for all tools of the server, `server` null for all servers. */
  | { type: 'mcp'; server: string | null; tool: string | null }

/** `text` is the rule as written, `tool` the name in front of the bracket; of an MCP rule it is the whole text. */
export type ParsedRule = { text: string; tool: string; matcher: RuleMatcher }

/** A problem is one sentence that says what is wrong with which text; `tool` is the tool it was meant for, if that can be told. */
export type RuleParse = { ok: true; rule: ParsedRule } | { ok: false; problem: string; tool: string | null }

/** Tools that only read a path. A `read_file` rule is about the content, so it covers every one of them. */
export const readTools: readonly string[] = ['read_file', 'list_dir', 'glob', 'grep']

/** Tools that change a file. An `edit_file` rule covers both; a `write_file` rule covers only whole files written anew. */
export const editTools: readonly string[] = ['edit_file', 'write_file']

/** Tools that sluice brings along, as rules may name them. */
export const builtinTools: readonly string[] = [
  ...readTools,
  ...editTools,
  'bash',
  'verify',
  'todo_write',
  'web_fetch',
  'ask_user',
]

/**
 * Reads one rule; each text once, since the same rules are asked for at every call. Whether a tool of that name exists is
 * not asked here: see `unknownTool`.
 */
export function parseRule(source: string): RuleParse {
  const known = parsedTexts.get(source)
  if (known) return known
  const parsed = readRule(source)
  if (parsedTexts.size >= mostTexts) parsedTexts.clear()
  parsedTexts.set(source, parsed)
  return parsed
}

const parsedTexts = new Map<string, RuleParse>()
const mostTexts = 5000

function readRule(source: string): RuleParse {
  const text = source.trim()
  const fail = (problem: string, tool: string | null): RuleParse => ({
    ok: false,
    problem: `The rule ${JSON.stringify(shorten(source, 200))} cannot be used: ${problem}.`,
    tool,
  })
  if (text === '') return fail('it is empty', null)
  if (text.length > maxRuleLength) return fail(`it is longer than ${maxRuleLength} characters`, namedTool(text))
  if (text.startsWith('mcp__')) return parseMcpRule(text, fail)

  const open = text.indexOf('(')
  const name = (open === -1 ? text : text.slice(0, open)).trim()
  if (!/^[a-z][a-z0-9_]*$/.test(name)) return fail(nameProblem(name), namedTool(text))
  if (open === -1) return { ok: true, rule: { text, tool: name, matcher: bareMatcher(name) } }
  if (!text.endsWith(')')) {
    const close = text.lastIndexOf(')')
    if (close === -1) return fail('the bracket is not closed', name)
    return fail(
      `nothing may follow the closing bracket, but ${JSON.stringify(text.slice(close + 1).trim())} does`,
      name,
    )
  }
  const body = text.slice(open + 1, -1)
  if (name === 'web_fetch' || (name === 'bash' && /^\s*domain:/.test(body))) {
    const host = parseDomain(body)
    return host.ok
      ? { ok: true, rule: { text, tool: name, matcher: { type: 'domain', host: host.host } } }
      : fail(host.problem, name)
  }
  if (name === 'bash') {
    const pattern = parseCommandPattern(body)
    return typeof pattern === 'string'
      ? fail(pattern, name)
      : { ok: true, rule: { text, tool: name, matcher: { type: 'command', pattern } } }
  }
  if (readTools.includes(name) || editTools.includes(name)) {
    const parsed = parsePathPattern(body)
    return parsed.ok
      ? { ok: true, rule: { text, tool: name, matcher: { type: 'path', pattern: parsed.pattern } } }
      : fail(parsed.problem, name)
  }
  return fail(`${name} takes no pattern; write ${name} alone to cover every call of it`, name)
}

/** The name of a tool in `rule` that nobody knows, so that the rule can never matter; null when all is well. */
export function unknownTool(rule: ParsedRule, known: readonly string[] = builtinTools): string | null {
  return rule.matcher.type === 'mcp' || known.includes(rule.tool) ? null : rule.tool
}

/** A host as hosts are compared: lower case, without the dot at its end. */
export function canonicalHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, '')
}

const maxRuleLength = 4000

function bareMatcher(name: string): RuleMatcher {
  return name === 'bash' ? { type: 'command', pattern: { type: 'any' } } : { type: 'any' }
}

function parseMcpRule(text: string, fail: (problem: string, tool: string | null) => RuleParse): RuleParse {
  const rest = text.slice('mcp__'.length)
  if (/[()]/.test(rest)) return fail('an MCP rule takes no pattern in brackets', text.split('(')[0] ?? null)
  const rule = (server: string | null, tool: string | null): RuleParse => ({
    ok: true,
    rule: { text, tool: text, matcher: { type: 'mcp', server, tool } },
  })
  if (rest === '*') return rule(null, null)
  if (!/^[\w.*-]+$/.test(rest)) return fail('MCP names have only letters, digits, "_", "-" and "."', text)
  const cut = rest.indexOf('__')
  if (cut <= 0 || cut + 2 >= rest.length) {
    return fail(`it must name a tool as well: mcp__${rest.replace(/_+$/, '')}__* covers all of the server`, text)
  }
  if (rest.endsWith('__*') && !rest.slice(0, -1).includes('*')) return rule(rest.slice(0, -3), null)
  if (rest.includes('*')) return fail('"*" may only stand for all tools of a server: mcp__server__*', text)
  return rule(rest.slice(0, cut), rest.slice(cut + 2))
}

/** The pattern, or what is wrong with it. */
function parseCommandPattern(body: string): CommandPattern | string {
  const split = splitWords(body)
  if (!split.ok) return split.problem
  const words = split.words
  const last = words[words.length - 1]
  if (last === undefined) return 'the brackets are empty; bash(*) covers any plain command'
  if (words.every(isStar)) return { type: 'any' }
  const prefix = isStar(last)
  const kept = prefix ? words.slice(0, -1) : words
  for (const word of kept) {
    if (word.quoted || !word.value.includes('*')) continue
    if (word.value.endsWith(':*')) {
      const command = [...kept.slice(0, -1).map((one) => one.value), word.value.slice(0, -2)].join(' ')
      return `":*" is not how a prefix is written here; bash(${command} *) covers the command with any more words`
    }
    return '"*" may only stand alone at the end; quote it where you mean the character itself'
  }
  if (kept[0]?.value === '') return 'the name of the program is empty'
  return { type: prefix ? 'prefix' : 'exact', words: kept.map((word) => word.value) }
}

function isStar(word: { value: string; quoted: boolean }): boolean {
  return word.value === '*' && !word.quoted
}

function parseDomain(body: string): { ok: true; host: string } | { ok: false; problem: string } {
  const text = body.trim()
  if (!text.startsWith('domain:')) return { ok: false, problem: 'write web_fetch(domain:example.org)' }
  const host = text.slice('domain:'.length).trim()
  if (host === '') return { ok: false, problem: 'the domain is empty; web_fetch alone covers every host' }
  if (host.includes('*')) {
    return {
      ok: false,
      problem: 'a domain has no wildcards: each host is named in full, and web_fetch alone covers every host',
    }
  }
  if (/[/@?#]|:\/\//.test(host)) return { ok: false, problem: 'only the host is named, without scheme, user or path' }
  if (/[^\x21-\x7e]/.test(host)) {
    return { ok: false, problem: 'the host has characters outside ASCII; write its "xn--" form' }
  }
  if (!/^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])$/i.test(host)) {
    return { ok: false, problem: `${JSON.stringify(host)} is not a host name` }
  }
  return { ok: true, host: canonicalHost(host) }
}

function nameProblem(name: string): string {
  const other = otherNames.get(name)
  if (other) return `the tool is called ${other} here`
  if (name === '') return 'it begins with a bracket instead of a tool, as in bash(npm test)'
  if (/^[a-z][a-z0-9_]*$/i.test(name)) return `tool names are lower case: ${name.toLowerCase()}`
  if (/\s/.test(name)) return `a command is written as bash(${name})`
  return `${JSON.stringify(shorten(name, 200))} is not a tool's name`
}

/** What other agents call our tools. */
const otherNames = new Map([
  ['Bash', 'bash'],
  ['Shell', 'bash'],
  ['Read', 'read_file'],
  ['Edit', 'edit_file'],
  ['MultiEdit', 'edit_file'],
  ['Write', 'write_file'],
  ['LS', 'list_dir'],
  ['Glob', 'glob'],
  ['Grep', 'grep'],
  ['WebFetch', 'web_fetch'],
  ['TodoWrite', 'todo_write'],
])

/** The tool that an unusable rule was about, as far as its first letters tell. */
function namedTool(text: string): string | null {
  const name = /^[A-Za-z][A-Za-z0-9_]*/.exec(text)?.[0]
  if (name === undefined) return null
  return otherNames.get(name) ?? (builtinTools.includes(name.toLowerCase()) ? name.toLowerCase() : null)
}
