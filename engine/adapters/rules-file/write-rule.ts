/** Writes an allow rule into a config file: locked, whole or not at all, with everything else in the file kept. */
import { lstat, mkdir, readFile, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AgentError } from '../../protocol/index.ts'
import { withLock } from '../file-lock.ts'
import { replaceFile } from '../replace-file.ts'
import { addAllowRule } from './add-rule.ts'
import type { FileRule, FileRules, RuleProblem } from './read-rules.ts'

export type Read = (file: string, text: string | null) => FileRules

/** Adds the rule under the file's lock and resolves with the rules that the file now has. */
export async function writeRule(file: string, rule: string, read: Read, now: () => number): Promise<FileRule[]> {
  try {
    const target = await linkTarget(file)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    return await withLock(`${target}.lock`, async () => {
      for (let attempt = 0; attempt < 5; attempt++) {
        const before = await readBytes(target)
        const text = before?.toString('utf8') ?? ''
        const held = read(file, text)
        if (held.broken || (before !== null && !isUtf8(before))) throw unwritable(file, held.problems[0])
        const has = held.rules.some(
          (one) => one.verdict === 'allow' && one.text === rule && (one.expires === null || now() < one.expires),
        )
        if (has) return held.rules
        const after = addAllowRule(text, rule)
        const result = after === null ? null : read(file, after)
        if (after === null || result === null || result.broken || result.rules.length !== held.rules.length + 1) {
          throw unwritable(file, held.problems[0])
        }
        // An editor knows nothing of our lock: what it saved meanwhile is not to be lost.
        if (!sameBytes(await readBytes(target), before)) continue
        await replaceFile(target, after)
        return result.rules
      }
      throw new Error('it keeps changing while the rule is written')
    })
  } catch (error) {
    if (error instanceof AgentError) throw error
    throw new AgentError(
      'TOOL_EXECUTION_FAILED',
      `The rule was not saved: ${file} cannot be written (${messageOf(error)}).`,
      {
        hint: 'The call itself can still be allowed once or for this session.',
        cause: error,
      },
    )
  }
}

function unwritable(file: string, problem: RuleProblem | undefined): AgentError {
  const why = problem ? `line ${problem.line}: ${problem.text}` : '"permissions" or its "allow" is no list there.'
  return new AgentError(
    'TOOL_EXECUTION_FAILED',
    `The rule was not saved, since ${file} could not be added to: ${why}`,
    {
      hint: 'Correct the file by hand; nothing in it was changed.',
    },
  )
}

/** People keep their config as a link into another folder: the file behind it is the one to replace. */
async function linkTarget(file: string): Promise<string> {
  try {
    return await realpath(file)
  } catch (error) {
    if (!isMissing(error)) throw error
    const isLink = await lstat(file).then(
      (found) => found.isSymbolicLink(),
      () => false,
    )
    if (isLink) throw new Error('it is a link to a file that does not exist')
    const folder = await realpath(dirname(file)).catch(() => dirname(file))
    return join(folder, file.slice(dirname(file).length + 1))
  }
}

/** A cloned project could bring `.sluice` or the file in it as a link to somewhere else. */
export async function refusePlantedLink(file: string): Promise<void> {
  for (const path of [dirname(file), file]) {
    const found = await lstat(path).catch(() => null)
    if (found?.isSymbolicLink()) {
      throw new AgentError(
        'TOOL_PERMISSION_DENIED',
        `The rule was not saved: ${path} is a symbolic link, and the project's own rules are not written through one.`,
        {
          hint: 'Replace the link by a real file or folder, or keep the rule for this session or for all folders.',
        },
      )
    }
  }
}

async function readBytes(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

function sameBytes(one: Buffer | null, other: Buffer | null): boolean {
  return one === null || other === null ? one === other : one.equals(other)
}

export function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

export function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code
  return code === 'ENOENT' || code === 'ENOTDIR'
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
