/** Tables of calls for `sluice permissions test --json`: one JSON object a line in, one verdict a line out. */
import { readFile } from 'node:fs/promises'
import type { CallSpec, RuleTest, RuleTexts } from '../compose/permissions.ts'
import type { Output } from './output.ts'
import { UsageError } from './usage-error.ts'

type Judge = (call: CallSpec, rules: RuleTexts) => Promise<RuleTest>

/**
 * Judges every line of `file` (`-` is standard input) with the rules that stand in it, in order. Resolves with false when
 * a line could not be used; such a line is answered with its problem in its place.
 */
export async function testCalls(file: string, judge: Judge, output: Output): Promise<boolean> {
  let allGood = true
  let batch = ''
  for (const line of await linesOf(file)) {
    if (line.trim() === '') continue
    const answer = await answerTo(line, judge)
    if ('error' in answer) allGood = false
    batch += `${JSON.stringify(answer)}\n`
    if (batch.length < 65_536) continue
    await output.write(batch)
    batch = ''
    if (output.gone) break
  }
  await output.write(batch)
  return allGood
}

type Answer = { id: unknown; verdict: string; rule: string | null; reason: string } | { id: unknown; error: string }

async function answerTo(line: string, judge: Judge): Promise<Answer> {
  const row = readRow(line)
  if (typeof row === 'string') return { id: null, error: row }
  const { id, tool, input, allow, deny } = row
  const tested = await judge({ tool, input }, { allow, deny })
  switch (tested.type) {
    case 'ruling':
      return { id, verdict: tested.ruling.verdict, rule: tested.ruling.rule, reason: tested.ruling.reason }
    case 'refused':
      // It never runs, whatever the rules say.
      return { id, verdict: 'deny', rule: null, reason: `the tool does not take this call: ${tested.reason}` }
    case 'bad-rule':
      return { id: null, error: `${JSON.stringify(id)}: ${tested.problem}` }
  }
}

type Row = { id: unknown; tool: string; input: unknown } & RuleTexts

/** The row, or what is wrong with it. */
function readRow(line: string): Row | string {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (error) {
    return `not JSON: ${error instanceof Error ? error.message : String(error)}`
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return 'the line is no JSON object'
  const { id = null, tool, input = {}, allow = [], deny = [] } = value as Record<string, unknown>
  if (typeof tool !== 'string') return `"tool" must be the name of a tool${shownId(id)}`
  if (!isTexts(allow)) return `"allow" must be a list of rules${shownId(id)}`
  if (!isTexts(deny)) return `"deny" must be a list of rules${shownId(id)}`
  return { id, tool, input, allow, deny }
}

function shownId(id: unknown): string {
  return id === null ? '' : ` (id ${JSON.stringify(id)})`
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string')
}

/** Split at line feeds only: other line ends may stand within a JSON string. */
async function linesOf(file: string): Promise<string[]> {
  try {
    // Decoded as one piece: with an encoding, readFile decodes and joins chunk by chunk.
    const bytes = file === '-' ? await standardInput() : await readFile(file)
    return bytes
      .toString('utf8')
      .replace(/^\uFEFF/, '')
      .split('\n')
  } catch (error) {
    throw new UsageError(
      `The file ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      'Give a file with one JSON object a line, or - for standard input.',
    )
  }
}

async function standardInput(): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
