/** A verdict with its reasons, as lines: what the rules said to each part of a call, and what *always* could write. */
import type { Judged, PermissionWorld } from '../compose/permissions.ts'

export function explanation(
  tool: string,
  judged: Judged,
  { cwd, mode, trusted }: Pick<PermissionWorld, 'cwd' | 'mode' | 'trusted'>,
): string[] {
  if (judged.type === 'refused')
    return [`refused  ${tool}`, `  ${judged.reason}`, '  The tool does not take this call, so no rule is asked.']
  const { ruling, title, suggestions } = judged
  const lines = [`${ruling.verdict}  ${tool} ${oneLine(title)}`, `  because ${ruling.reason}`]
  for (const { need, verdict, rule, scope, reason } of ruling.parts) {
    lines.push('', `  ${verdict.padEnd(5)}  ${needText(need)}`)
    lines.push(
      `         ${rule === null ? 'no rule' : `rule ${rule}`}${scope === null ? '' : ` (${scope})`}: ${reason}`,
    )
    if (need.type !== 'command') continue
    for (const hazard of need.hazards) lines.push(`         hazard: ${hazard}`)
    for (const target of need.writes) lines.push(`         writes: ${target}`)
    if (need.argv === null) lines.push('         its words are known only to the shell')
    else lines.push(`         words: ${JSON.stringify(need.argv)}${need.plain ? '' : ', in a line that is not plain'}`)
  }
  lines.push('', `  risk   ${ruling.risk.level}: ${ruling.risk.reason}`)
  if (ruling.verdict === 'ask') {
    lines.push(suggestions.length === 0 ? '  always no rule may cover it' : '  always could write:')
    for (const { text, label } of suggestions) lines.push(`         ${text}  (${label})`)
  }
  lines.push('', `  in ${cwd}, ${mode} mode, ${trusted ? 'trusted' : 'not trusted'}`)
  return lines
}

type Need = Extract<Judged, { type: 'ruling' }>['ruling']['parts'][number]['need']

function needText(need: Need): string {
  switch (need.type) {
    case 'command':
      return oneLine(need.text)
    case 'path':
      return `${need.access} ${need.path}${need.inside ? '' : ' (outside the folder)'}`
    case 'network':
      return `connect to ${need.host}`
    case 'mcp':
      return `the tool ${need.tool} of the MCP server ${need.server}`
  }
}

function oneLine(text: string): string {
  return text.trim().replace(/\n/g, ' ⏎ ')
}
