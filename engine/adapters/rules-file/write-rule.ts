/** Writes a rule into a config file, or takes one out: locked, whole or not at all, with everything else in the file kept. */
import { createHash } from 'node:crypto'
import { lstat, readFile, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { StoredRule } from '../../ports/index.ts'
import { AgentError } from '../../protocol/index.ts'
import { withLock } from '../file-lock.ts'
import { makeFolder } from '../make-folder.ts'
import { replaceFile } from '../replace-file.ts'
import { addRule } from './add-rule.ts'
import type { FileRule, FileRules, RuleProblem } from './read-rules.ts'
import { type RulePlace, removeRule } from './remove-rule.ts'

export type Read = (file: string, text: string | null) => FileRules

/** What to write: another rule, or one rule less. */
export type RuleEdit =
  | { type: 'add'; rule: string; verdict: StoredRule['verdict'] }
  | { type: 'remove'; place: RulePlace }

/** Which contents of a file that came with a folder the person has approved, by sha256 in hex. */
export interface RuleApprovals {
  approved(sha256: string): boolean
  /** Counts in this process at once; rejects when it cannot be kept for later ones. */
  approve(sha256: string): Promise<void>
}

/** What stands in the file now, and whether its allow rules count: they do for what the person approved. */
export type WrittenRules = { rules: FileRule[]; approved: boolean }

/**
 * Changes the file under its lock and resolves with the rules that it now has. With `approvals` nothing is allowed in a file
 * whose allow rules nobody approved, and what is written on top of an approved text is approved.
 */
export async function writeRule(
  file: string,
  edit: RuleEdit,
  read: Read,
  now: () => number,
  approvals?: RuleApprovals,
): Promise<WrittenRules> {
  try {
    const target = await linkTarget(file)
    makeFolder(dirname(target))
    return await withLock(`${target}.lock`, async () => {
      for (let attempt = 0; attempt < 5; attempt++) {
        const before = await readBytes(target)
        const text = before?.toString('utf8') ?? ''
        const held = read(file, text)
        if (held.broken || (before !== null && !isUtf8(before))) throw unwritable(file, held.problems[0])
        const approved = approvals === undefined || isApproved(before, held.rules, approvals)
        if (!approved && edit.type === 'add' && edit.verdict === 'allow') throw notApproved(file)
        if (edit.type === 'add' && holds(held.rules, edit, now())) return { rules: held.rules, approved }
        const after = edit.type === 'add' ? addRule(text, edit.rule, edit.verdict) : removeRule(text, edit.place)
        if (edit.type === 'remove' && after === null) throw notThere(file, edit.place)
        const result = after === null ? null : read(file, after)
        const wanted = held.rules.length + (edit.type === 'add' ? 1 : -1)
        if (after === null || result === null || result.broken || result.rules.length !== wanted) {
          throw unwritable(file, held.problems[0])
        }
        // An editor knows nothing of our lock: what it saved meanwhile is not to be lost.
        if (!sameBytes(await readBytes(target), before)) continue
        // Before the file: what is not there yet allows nothing, and what is there is never unknown.
        if (approved) await approvals?.approve(sha256Of(after))
        await replaceFile(target, after)
        return { rules: result.rules, approved }
      }
      throw new Error('it keeps changing while the rule is written')
    })
  } catch (error) {
    if (error instanceof AgentError) throw error
    const said = edit.type === 'add' ? 'The rule was not saved' : 'The rule was not taken away'
    const hint =
      edit.type === 'add' ? 'The call itself can still be allowed once or for this session.' : 'Take it away by hand.'
    throw new AgentError('TOOL_EXECUTION_FAILED', `${said}: ${file} cannot be written (${messageOf(error)}).`, {
      hint,
      cause: error,
    })
  }
}

/** A file that allows nothing needs nobody's approval. */
export function isApproved(
  bytes: Buffer | null,
  rules: readonly { verdict: StoredRule['verdict'] }[],
  approvals: RuleApprovals,
): boolean {
  return bytes === null || !rules.some((rule) => rule.verdict === 'allow') || approvals.approved(sha256Of(bytes))
}

function sha256Of(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex')
}

function notApproved(file: string): AgentError {
  return new AgentError(
    'TOOL_PERMISSION_DENIED',
    `The rule was not saved: ${file} holds allow rules that you have not approved as they are now; /trust asks.`,
    { hint: 'Approve them first, or keep the rule for this session or for all folders.' },
  )
}

function holds(rules: readonly FileRule[], { rule, verdict }: { rule: string; verdict: string }, now: number): boolean {
  return rules.some(
    (one) => one.verdict === verdict && one.text === rule && (one.expires === null || now < one.expires),
  )
}

function notThere(file: string, { text }: RulePlace): AgentError {
  return new AgentError('TOOL_INPUT_INVALID', `The rule ${text} does not stand in ${file} any more.`)
}

function unwritable(file: string, problem: RuleProblem | undefined): AgentError {
  const why = problem ? `line ${problem.line}: ${problem.text}` : '"permissions" or its list is none there.'
  return new AgentError('TOOL_EXECUTION_FAILED', `The rules of ${file} could not be changed: ${why}`, {
    hint: 'Correct the file by hand; nothing in it was changed.',
  })
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
