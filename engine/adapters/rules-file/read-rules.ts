/** Reads the rules of one JSONC config file, with the line of everything that is wrong in it. */
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { parseRule, unknownTool } from '../../permission/rules.ts'
import type { StoredRule } from '../../ports/index.ts'
import { type ExamplePlace, failedExamples } from './examples.ts'

/** `line` counts from 1. Every sentence says what is wrong and what follows from it. */
export type RuleProblem = { file: string; line: number; text: string }

/** `expires` is the first instant, in ms since 1970, at which the rule no longer counts. */
export type FileRule = { text: string; verdict: StoredRule['verdict']; line: number; expires: number | null }

/** `broken` is true when the text is no JSONC, so that nothing may be written into it. */
export type FileRules = { rules: FileRule[]; problems: RuleProblem[]; broken: boolean }

export type ReadOptions = { file: string; knownTools: readonly string[]; place: ExamplePlace }

/**
 * The rules under `permissions: {allow, ask, deny}`. A rule is a text, or `{rule, match, not_match, expires, note}` where
 * `match` and `not_match` are examples that are tried out here. What cannot be used is reported, and left out of the allow
 * rules only: a deny or ask rule that is not understood stays, for the judge to ask about.
 */
export function readRules(text: string, options: ReadOptions): FileRules {
  const errors: ParseError[] = []
  const body = text.startsWith('\ufeff') ? ` ${text.slice(1)}` : text
  const found: FileRules = { rules: [], problems: [], broken: false }
  const report = (offset: number, problem: string) => {
    found.problems.push({ file: options.file, line: lineAt(body, offset), text: problem })
  }
  const root = parseTree(body, errors, { allowTrailingComma: true })
  const first = errors[0]
  if (first && !isBlank(body)) {
    found.broken = true
    report(first.offset, `This is not valid JSONC (${spaced(first)}), so no allow rule of this file is in force.`)
  }
  if (root && root.type !== 'object') {
    found.broken = true
    report(root.offset, 'The file must hold an object: { "permissions": { … } }.')
  }
  const sections = properties(root).filter((property) => property.key === 'permissions')
  repeated(sections, report)
  for (const section of sections) {
    if (section.value?.type !== 'object') {
      report(section.offset, '"permissions" must be an object with the lists "allow", "ask" and "deny".')
      continue
    }
    const lists = properties(section.value)
    repeated(lists, report)
    for (const list of lists) readList(list, found, report, body, options)
  }
  if (found.broken) found.rules = found.rules.filter((rule) => rule.verdict !== 'allow')
  return found
}

export function lineAt(text: string, offset: number): number {
  let line = 1
  for (let i = text.indexOf('\n'); i !== -1 && i < offset; i = text.indexOf('\n', i + 1)) line++
  return line
}

type Property = { key: string; offset: number; value: Node | undefined }
type Report = (offset: number, problem: string) => void

const verdicts: readonly string[] = ['allow', 'ask', 'deny']
const ruleKeys: readonly string[] = ['rule', 'match', 'not_match', 'expires', 'note']

function properties(node: Node | undefined): Property[] {
  if (node?.type !== 'object') return []
  return (node.children ?? []).map((child) => ({
    key: String(child.children?.[0]?.value),
    offset: child.offset,
    value: child.children?.[1],
  }))
}

function repeated(found: Property[], report: Report): void {
  const seen = new Set<string>()
  for (const { key, offset } of found) {
    if (seen.has(key)) report(offset, `"${key}" stands here twice; the rules of both count.`)
    seen.add(key)
  }
}

function readList(list: Property, found: FileRules, report: Report, body: string, options: ReadOptions): void {
  if (!verdicts.includes(list.key)) {
    report(list.offset, `"${list.key}" is no list of rules and is ignored: there are "allow", "ask" and "deny".`)
    return
  }
  const verdict = list.key as StoredRule['verdict']
  if (list.value?.type !== 'array') {
    report(list.offset, `"${list.key}" must be a list of rules such as ["bash(npm test *)"].`)
    return
  }
  for (const item of list.value.children ?? []) {
    const rule = readItem(item, verdict, report, options)
    if (rule) found.rules.push({ ...rule, verdict, line: lineAt(body, item.offset) })
  }
}

/** The rule, or null when it is not in force. */
function readItem(
  item: Node,
  verdict: StoredRule['verdict'],
  report: Report,
  { knownTools, place }: ReadOptions,
): { text: string; expires: number | null } | null {
  const fields = item.type === 'object' ? properties(item) : [{ key: 'rule', offset: item.offset, value: item }]
  for (const field of fields) {
    if (!ruleKeys.includes(field.key)) report(field.offset, `"${field.key}" is not known in a rule and is ignored.`)
  }
  const value = (key: string): unknown => plainValue(fields.find((field) => field.key === key)?.value)
  const text = value('rule')
  if (typeof text !== 'string') {
    report(item.offset, 'A rule must be a text such as "bash(npm test *)", or an object with such a "rule".')
    return null
  }
  const parsed = parseRule(text)
  if (!parsed.ok) {
    const effect = verdict === 'allow' ? 'It allows nothing.' : `Calls that it may be meant for are asked about.`
    report(item.offset, `${parsed.problem} ${effect}`)
    return verdict === 'allow' ? null : { text, expires: null }
  }
  const unknown = unknownTool(parsed.rule, knownTools)
  if (unknown)
    report(item.offset, `There is no tool named "${unknown}", so the rule ${JSON.stringify(text)} matters for nothing.`)
  const failed = failedExamples(parsed.rule, verdict, value('match'), value('not_match'), place)
  for (const problem of failed) report(item.offset, problem)
  // An allow rule that does something else than its writer says is not to be trusted.
  if (failed.length > 0 && verdict === 'allow') return null
  const expires = readExpiry(value('expires'))
  if (expires === undefined) {
    report(
      item.offset,
      `"expires" must be a day or an instant such as "2030-01-31" or "2030-01-31T18:00Z"; ${endless(verdict)}.`,
    )
    return verdict === 'allow' ? null : { text, expires: null }
  }
  return { text, expires }
}

function endless(verdict: StoredRule['verdict']): string {
  return verdict === 'allow' ? 'the rule is not in force' : 'the rule stays in force'
}

function plainValue(node: Node | undefined): unknown {
  if (node === undefined) return undefined
  if (node.type === 'array') return (node.children ?? []).map(plainValue)
  return node.type === 'object' ? {} : node.value
}

/** A day counts to its end in UTC; undefined when it is no date. */
function readExpiry(value: unknown): number | null | undefined {
  if (value === undefined || value === null) return null
  if (typeof value !== 'string') return undefined
  const day = /^\d{4}-\d{2}-\d{2}$/.test(value)
  if (!day && !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/.test(value)) return undefined
  const at = Date.parse(value)
  if (Number.isNaN(at)) return undefined
  return day ? at + 24 * 60 * 60 * 1000 : at
}

function isBlank(text: string): boolean {
  return /^\s*$/.test(text)
}

/** `CommaExpected` as "comma expected". */
function spaced(error: ParseError): string {
  return printParseErrorCode(error.error)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
}
