/** Tries the examples out that a rule brings along, so that a rule which does something else is found when it is loaded. */

import { matchesPath } from '../../permission/path-glob.ts'
import { type Place, placePath } from '../../permission/paths.ts'
import { canonicalHost, type ParsedRule } from '../../permission/rules.ts'
import { allowsCommand, namesCommand } from '../../permission/shell-match.ts'
import { splitWords } from '../../permission/shell-words.ts'
import type { Verdict } from '../../protocol/index.ts'

export type ExamplePlace = Place

/**
 * One sentence for each example that the rule judges otherwise than its writer expects. Examples are command lines of
 * literal words, paths, hosts or addresses, or names of MCP tools, as the rule has them.
 */
export function failedExamples(
  rule: ParsedRule,
  verdict: Verdict,
  match: unknown,
  notMatch: unknown,
  place: ExamplePlace,
): string[] {
  const failed: string[] = []
  const shown = JSON.stringify(rule.text)
  for (const [name, given, expected] of [
    ['match', match, true],
    ['not_match', notMatch, false],
  ] as const) {
    if (given === undefined) continue
    if (!Array.isArray(given) || given.some((one) => typeof one !== 'string')) {
      failed.push(`"${name}" of the rule ${shown} must be a list of examples.`)
      continue
    }
    for (const example of given as string[]) {
      const matched = isExampleOf(rule, verdict, example, place)
      if (typeof matched === 'string')
        failed.push(`The example ${JSON.stringify(example)} of the rule ${shown} cannot be tried: ${matched}.`)
      else if (matched !== expected) {
        failed.push(
          `The rule ${shown} ${matched ? 'covers' : 'does not cover'} its example ${JSON.stringify(example)} under "${name}".`,
        )
      }
    }
  }
  return failed
}

/** Whether the rule covers the example, or why that cannot be told. */
function isExampleOf(rule: ParsedRule, verdict: Verdict, example: string, place: ExamplePlace): boolean | string {
  const { matcher } = rule
  switch (matcher.type) {
    case 'any':
      return 'a rule for a whole tool covers every call of it'
    case 'command': {
      const split = splitWords(example)
      if (!split.ok) return split.problem
      const argv = split.words.map((word) => word.value)
      if (argv.length === 0) return 'it is empty'
      return verdict === 'allow'
        ? allowsCommand(matcher.pattern, argv).covered
        : namesCommand(matcher.pattern, { argv, text: example })
    }
    case 'path': {
      const path = placePath(example, place)
      return path === null
        ? "another user's home is not known"
        : matchesPath(matcher.pattern, path, place, verdict !== 'allow')
    }
    case 'domain': {
      const host = hostOf(example)
      return host === null ? 'it is neither a host nor an address' : host === matcher.host
    }
    case 'mcp':
      return matcher.server === null
        ? example.startsWith('mcp__')
        : matcher.tool === null
          ? example.startsWith(`mcp__${matcher.server}__`)
          : example === rule.text
  }
}

function hostOf(example: string): string | null {
  try {
    return canonicalHost(new URL(example.includes('://') ? example : `https://${example}`).hostname)
  } catch {
    return null
  }
}
