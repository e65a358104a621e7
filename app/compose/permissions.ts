/** Judges calls that nobody made: what the rules would say, through the same tools and the same judge as in a session. */
import { dirname, join } from 'node:path'
import { createFileLedger, createJudge, judge, parseRule, type Ruling, type World } from '@sluice/engine'
import { createRulesFile, type ListedRule } from '@sluice/engine/adapters/rules-file'
import { type StoredRule, type Tool, ToolFailure } from '@sluice/engine/ports'
import type { PermissionMode, PermissionNeed, RuleSuggestion, ToolKind } from '@sluice/engine/protocol'
import { builtinTools, pathNeed, resolvePath } from '@sluice/tools'
import type { Paths } from '../paths.ts'
import { readFolderTrust, ruleApprovals } from './trust.ts'

export type { ListedRule }

/** A call as a model would make it. */
export type CallSpec = { tool: string; input: unknown }

/** `refused`: the tool itself would not take the call, so that no rule is asked. */
export type Judged =
  | { type: 'ruling'; title: string; ruling: Ruling; suggestions: RuleSuggestion[] }
  | { type: 'refused'; reason: string }

export type PermissionWorld = {
  cwd: string
  mode: PermissionMode
  trusted: boolean
  rules: ListedRule[]
  /** `file:line what` for everything that is wrong in files; flags are named as they are written. */
  problems: { file: string; line: number; text: string }[]
  judge(call: CallSpec): Promise<Judged>
}

export type PermissionOptions = { cwd: string; mode: PermissionMode; trust: boolean; allow: string[]; deny: string[] }

/** The person's rules in force in this folder, and a judge with them. */
export function openPermissions(paths: Paths, options: PermissionOptions): PermissionWorld {
  const { cwd, mode } = options
  const trusted = options.trust || readFolderTrust(paths, cwd).known
  const rules = createRulesFile({
    userFile: paths.configFile,
    projectFile: join(cwd, '.sluice', 'config.jsonc'),
    localFile: join(cwd, '.sluice', 'config.local.jsonc'),
    trusted,
    approvals: ruleApprovals(paths, cwd),
    cli: { allow: options.allow, deny: options.deny },
  })
  const judge = createCallJudge(paths, cwd, { trusted: () => trusted, mode: () => mode, rules: rules.rules })
  return {
    cwd,
    mode,
    trusted,
    rules: rules.list(),
    problems: [...rules.problems],
    judge,
  }
}

/** What a call is judged by; asked anew for each. */
export type JudgeTerms = { trusted(): boolean; mode(): PermissionMode; rules(): readonly StoredRule[] }

/** Judges calls that nobody made as those of a session are. */
export function createCallJudge(paths: Paths, cwd: string, terms: JudgeTerms): (call: CallSpec) => Promise<Judged> {
  return async (call) => {
    const facts = await factsOf(call, cwd)
    if (facts.type === 'refused') return facts
    const { tool, kind, needs, title } = facts
    const judgeFully = createJudge(worldOf(paths, cwd, terms.trusted()))
    const ruling = judgeFully({ tool, kind, needs, mode: terms.mode(), rules: terms.rules() })
    return { type: 'ruling', title, ruling, suggestions: ruling.suggestions }
  }
}

export type RuleTexts = { allow: readonly string[]; deny: readonly string[] }

export type RuleTest =
  | { type: 'ruling'; ruling: Ruling }
  | { type: 'refused'; reason: string }
  | { type: 'bad-rule'; problem: string }

/** A judge that knows only the rules it is given: default mode, trusted folder, no sandbox. */
export function createRuleTester(paths: Paths, cwd: string) {
  const world = worldOf(paths, cwd, true)
  return async (call: CallSpec, given: RuleTexts): Promise<RuleTest> => {
    const rules: StoredRule[] = []
    for (const verdict of ['allow', 'deny'] as const) {
      for (const text of given[verdict]) {
        const parsed = parseRule(text)
        if (!parsed.ok) return { type: 'bad-rule', problem: parsed.problem }
        rules.push({ text, verdict, scope: 'cli' })
      }
    }
    const facts = await factsOf(call, cwd)
    if (facts.type === 'refused') return facts
    const { tool, kind, needs } = facts
    return { type: 'ruling', ruling: judge({ tool, kind, needs, mode: 'default', rules }, world) }
  }
}

function worldOf(paths: Paths, cwd: string, trusted: boolean): World {
  return {
    cwd,
    home: paths.home,
    trusted,
    configFolder: dirname(paths.configFile),
    stateFolder: dirname(paths.sessionsDir),
  }
}

type Facts =
  | { type: 'facts'; tool: string; kind: ToolKind; title: string; needs: readonly PermissionNeed[] }
  | { type: 'refused'; reason: string }

/** One for all: ten thousand would take a tenth of a second. */
const neverAborted = new AbortController().signal

const tools = new Map(builtinTools.map((tool) => [tool.name, tool]))

async function factsOf({ tool: name, input }: CallSpec, cwd: string): Promise<Facts> {
  const tool = tools.get(name)
  if (!tool) return factsOfOther(name, input)
  const valid = tool.input.validate(input)
  // The path alone says what is asked about, whatever else the call would have to hold.
  if (!valid.ok) return (await factsOfPath(tool, input, cwd)) ?? { type: 'refused', reason: valid.problems }
  try {
    const context = {
      cwd,
      sessionId: 'test',
      callId: 'test',
      signal: neverAborted,
      files: createFileLedger(),
      planned: new Map(),
    }
    const { needs, title } = await tool.prepare(valid.value, context)
    return { type: 'facts', tool: tool.name, kind: tool.kind, title, needs }
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error
    return (await factsOfPath(tool, input, cwd)) ?? { type: 'refused', reason: error.message }
  }
}

/** A file tool whose file is not there, or has not been read: the verdict is on the path all the same. */
async function factsOfPath(tool: Tool, input: unknown, cwd: string): Promise<Facts | null> {
  const path = fieldOf(input, 'path')
  if (typeof path !== 'string' || (tool.kind !== 'read' && tool.kind !== 'edit')) return null
  try {
    const at = await resolvePath(path, cwd)
    const needs = [pathNeed(at, tool.kind === 'edit' ? 'write' : 'read')]
    return { type: 'facts', tool: tool.name, kind: tool.kind, title: at.shown, needs }
  } catch (error) {
    if (error instanceof ToolFailure) return { type: 'refused', reason: error.message }
    throw error
  }
}

/** Tools that are not built in: those of MCP servers, and web_fetch where it is not there. */
function factsOfOther(name: string, input: unknown): Facts {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? []
  if (server !== undefined && tool !== undefined) {
    return {
      type: 'facts',
      tool: name,
      kind: 'execute',
      title: `${server}: ${tool}`,
      needs: [{ type: 'mcp', server, tool }],
    }
  }
  if (name === 'web_fetch') {
    const url = fieldOf(input, 'url')
    if (typeof url === 'string' && URL.canParse(url)) {
      const { hostname } = new URL(url)
      return {
        type: 'facts',
        tool: name,
        kind: 'network',
        title: url,
        needs: [{ type: 'network', host: hostname, url }],
      }
    }
    return { type: 'refused', reason: 'web_fetch needs a full address as its url.' }
  }
  return {
    type: 'refused',
    reason: `There is no tool named "${name}". The tools are: ${[...tools.keys()].join(', ')}.`,
  }
}

function fieldOf(input: unknown, name: string): unknown {
  return input !== null && typeof input === 'object' ? (input as Record<string, unknown>)[name] : undefined
}
