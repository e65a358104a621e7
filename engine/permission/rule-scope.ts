/** Which needs a rule is about: an allow rule takes its words narrowly, a deny or ask rule widely. */
import type { PermissionNeed } from '../protocol/index.ts'
import { matchesPath, samplePath } from './path-glob.ts'
import { placePath } from './paths.ts'
import { type Guarded, secretReason } from './protected-paths.ts'
import { canonicalHost, editTools, type ParsedRule, readTools } from './rules.ts'
import { namesCommand } from './shell-match.ts'

/**
 * Whether a deny or ask rule is about this need. Paths are compared without regard to case, by where they lead and by how
 * they were written; a rule for `read_file` or `edit_file` speaks of the file, whichever tool reads or changes it.
 */
export function refuses(rule: ParsedRule, need: PermissionNeed, tool: string, place: Guarded): boolean {
  const { matcher } = rule
  switch (matcher.type) {
    case 'command':
      return need.type === 'command' && namesCommand(matcher.pattern, need)
    case 'domain':
      return need.type === 'network' && canonicalHost(need.host) === matcher.host
    case 'mcp':
      return need.type === 'mcp' && namesMcp(matcher, need)
    case 'any':
      return rule.tool === tool || (need.type === 'path' && speaksOf(rule.tool, need.access, tool))
    case 'path': {
      if (need.type !== 'path' || !speaksOf(rule.tool, need.access, tool)) return false
      if (matchesPath(matcher.pattern, need.path, place, true)) return true
      const written = placePath(need.shown, place)
      return written !== null && written !== need.path && matchesPath(matcher.pattern, written, place, true)
    }
  }
}

/** Whether an allow rule covers this need of a file, network or MCP call. Commands are judged in `command.ts`. */
export function covers(rule: ParsedRule, need: PermissionNeed, tool: string, place: Guarded): boolean {
  const { matcher } = rule
  if (need.type === 'mcp') return matcher.type === 'mcp' && namesMcp(matcher, need)
  if (need.type === 'network') {
    if (rule.tool !== tool) return false
    return matcher.type === 'any' || (matcher.type === 'domain' && canonicalHost(need.host) === matcher.host)
  }
  if (need.type === 'command') return matcher.type === 'any' && rule.tool === tool
  if (!mayUse(rule.tool, need.access, tool)) return false
  const secret = need.access === 'read' && secretReason(need.path, place) !== null
  if (matcher.type === 'any') return !secret
  if (matcher.type !== 'path' || !matchesPath(matcher.pattern, need.path, place, false)) return false
  // A secret is covered by a rule that names it, not by one that happens to reach it.
  return !secret || secretReason(samplePath(matcher.pattern, place), place) !== null
}

/** Whether the rule speaks of a call as a whole, whatever it needs. */
export function coversCall(rule: ParsedRule, tool: string): boolean {
  if (rule.matcher.type === 'mcp') return rule.tool === tool
  if (rule.tool === 'bash')
    return tool === 'bash' && rule.matcher.type === 'command' && rule.matcher.pattern.type === 'any'
  if (rule.matcher.type !== 'any') return false
  return rule.tool === tool || family(rule.tool).includes(tool)
}

/** Whether a path as a command's words name it is one that a deny or ask rule is about. */
export function refusesWord(rule: ParsedRule, path: string, reads: boolean, place: Guarded): boolean {
  if (rule.matcher.type !== 'path') return false
  if (rule.tool !== 'read_file' && (rule.tool !== 'edit_file' || reads)) return false
  return matchesPath(rule.matcher.pattern, path, place, true)
}

type Access = 'read' | 'write' | 'delete'

function family(ruleTool: string): readonly string[] {
  if (ruleTool === 'read_file') return readTools
  return ruleTool === 'edit_file' ? editTools : [ruleTool]
}

function mayUse(ruleTool: string, access: Access, tool: string): boolean {
  return family(ruleTool).includes(tool) && (access === 'read' || !readTools.includes(ruleTool))
}

function speaksOf(ruleTool: string, access: Access, tool: string): boolean {
  if (ruleTool === 'read_file') return access === 'read'
  if (ruleTool === 'edit_file') return access !== 'read'
  return ruleTool === tool
}

function namesMcp(
  matcher: { server: string | null; tool: string | null },
  need: { server: string; tool: string },
): boolean {
  if (matcher.server === null) return true
  if (matcher.tool === null) return matcher.server === need.server
  return `${matcher.server}__${matcher.tool}` === `${need.server}__${need.tool}`
}
