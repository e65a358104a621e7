/** What "always" may write for a call: each proposal is tried out first, so that it allows just this call from then on. */
import type { PermissionNeed, RuleScope, RuleSuggestion } from '../protocol/index.ts'
import { commandArity } from './arity.ts'
import { type Call, judge, type World } from './judge.ts'
import { escapePath } from './path-glob.ts'
import { baseName, relativePath } from './paths.ts'
import { interpretedProgram, programName, programNature, runnerLength } from './programs.ts'
import { riskOfNeed } from './risk.ts'
import { canonicalHost, editTools, readTools } from './rules.ts'
import { quoteWord } from './shell-words.ts'

/**
 * Rules that would allow this very call, the narrowest first; at most four. Empty for what no rule may cover: lines that
 * are not plain, hazards, wrappers and shells, protected paths, questions, and calls that need more than one new rule.
 */
export function suggestRules(call: Call, world: World): RuleSuggestion[] {
  if (call.kind === 'ask') return []
  const ruling = judge(call, world)
  if (ruling.verdict !== 'ask') return []
  const seen = new Set<string>()
  const kept: RuleSuggestion[] = []
  for (const part of ruling.parts) {
    if (part.verdict !== 'ask') continue
    for (const proposal of proposalsFor(part.need, call, world)) {
      if (seen.has(proposal.text)) continue
      seen.add(proposal.text)
      if (allowsWith(proposal.text, call, world)) kept.push(proposal)
    }
  }
  if (ruling.parts.length === 0 && allowsWith(call.tool, call, world)) {
    kept.push({ text: call.tool, label: `every call of ${call.tool}` })
  }
  return kept.slice(0, mostSuggestions)
}

const mostSuggestions = 4

function allowsWith(text: string, call: Call, world: World): boolean {
  const scope: RuleScope = 'session'
  return judge({ ...call, rules: [...call.rules, { text, verdict: 'allow', scope }] }, world).verdict === 'allow'
}

function proposalsFor(need: PermissionNeed, call: Call, world: World): RuleSuggestion[] {
  switch (need.type) {
    case 'command':
      return commandProposals(need, world)
    case 'path':
      return pathProposals(need, call.tool, world)
    case 'network': {
      const host = canonicalHost(need.host)
      if (call.tool === 'bash') return [{ text: `bash(domain:${host})`, label: `sandboxed commands may reach ${host}` }]
      return call.tool === 'web_fetch' ? [{ text: `web_fetch(domain:${host})`, label: `everything on ${host}` }] : []
    }
    case 'mcp': {
      const prefix = `mcp__${need.server}__`
      return [
        { text: `${prefix}${need.tool}`, label: `this tool of ${need.server}` },
        { text: `${prefix}*`, label: `every tool of ${need.server}` },
      ]
    }
  }
}

function commandProposals(need: Extract<PermissionNeed, { type: 'command' }>, world: World): RuleSuggestion[] {
  const { argv } = need
  if (argv === null || argv.length === 0 || argv.some((word) => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(word))) return []
  if (!mayBeProposed(argv)) return []
  const { level } = riskOfNeed(need, 'execute', world)
  if (level === 'privilege') return []
  const words = argv.map(quoteWord)
  const proposals: RuleSuggestion[] = []
  const exact = `bash(${words.join(' ')})`
  if (exact.length <= longestProposal) proposals.push({ text: exact, label: 'exactly this command' })
  const arity = ['read', 'write-inside'].includes(level) ? commandArity(argv) : 0
  if (arity > 0) {
    const prefix = words.slice(0, arity).join(' ')
    proposals.push({ text: `bash(${prefix} *)`, label: `${prefix} with any further words` })
  }
  return proposals
}

const longestProposal = 300

/** Wrappers, shells and builtins are never proposed; interpreters only where the words name a test runner or a module. */
function mayBeProposed(argv: readonly string[]): boolean {
  const program = argv[0] as string
  const nature = programNature(program)
  if (nature === 'wrapper' || nature === 'shell' || nature === 'builtin') return false
  if (nature === 'ordinary') return runnerLength(argv) === 0
  const flag = argv[1]
  const named =
    (programName(program) === 'node' && flag === '--test') || (programName(program) === 'python' && flag === '-m')
  return named && 'fixed' in interpretedProgram(argv)
}

function pathProposals(need: Extract<PermissionNeed, { type: 'path' }>, tool: string, world: World): RuleSuggestion[] {
  const edits = editTools.includes(tool)
  if (!edits && !readTools.includes(tool)) return [{ text: tool, label: `every call of ${tool}` }]
  const name = edits ? 'edit_file' : need.access === 'read' ? 'read_file' : tool
  const written = writtenPath(need.path, world)
  if (written === null) return []
  const proposals = [{ text: `${name}(${written.file})`, label: `${edits ? 'changes of' : 'reading'} ${need.shown}` }]
  if (written.folder !== null) {
    proposals.push({
      text: `${name}(${written.folder})`,
      label: `everything below ${written.folder.replace(/\/?\*\*$/, '') || 'the workspace'}`,
    })
  }
  return proposals
}

/** The path as a rule would write it, and the folder that it lies in; no folder above the workspace or home is proposed. */
function writtenPath(path: string, world: World): { file: string; folder: string | null } | null {
  // Blanks at the end would not be part of the rule.
  if (/[\p{Cc}\p{Zl}\p{Zp}]|\s$/u.test(path)) return null
  const inside = relativePath(world.cwd, path)
  const parent = path.slice(0, path.length - baseName(path).length - 1)
  if (inside !== null) {
    const folder = relativePath(world.cwd, parent)
    return {
      file: inside === '' ? '**' : relativeText(inside),
      folder: folder === null || inside === '' ? null : below(relativeText(folder)),
    }
  }
  const atHome = relativePath(world.home, path)
  if (atHome !== null && atHome !== '') {
    const folder = relativePath(world.home, parent)
    return { file: `~/${escapePath(atHome)}`, folder: folder ? `~/${escapePath(folder)}/**` : null }
  }
  return {
    file: escapePath(path),
    folder: parent === '' || parent.split('/').length < 3 ? null : `${escapePath(parent)}/**`,
  }
}

/** A name that would be read as home, or lose its first blanks, is told apart by `./`. */
function relativeText(path: string): string {
  const text = escapePath(path)
  return /^[~\s]/.test(path) ? `./${text}` : text
}

function below(folder: string): string {
  return folder === '' ? '**' : `${folder}/**`
}
