/** The trust that a session starts with, and its change by the person's yes while the session runs. */
import type { Session } from '@sluice/engine'
import type { RuleApprovals, RulesFile } from '@sluice/engine/adapters/rules-file'
import type { PermissionMode } from '@sluice/engine/protocol'
import type { Paths } from '../paths.ts'
import { narrower } from './project-config.ts'
import {
  readFolderTrust,
  readProjectConfigs,
  ruleApprovals,
  storeTrust,
  type TrustQuestion,
  unapproved,
} from './trust.ts'

export interface SessionTrust {
  readonly trusted: boolean
  /** What of the folder's local config the person approved. */
  readonly approvals: RuleApprovals
  /** What to ask the person about this folder; null when there is nothing to ask (any more). */
  readonly question: TrustQuestion | null
  /** For a person who is not asked, or says "not now": what was left out; null when nothing was. */
  readonly notice: string | null
  /** The mode to start in: the folder's where it is trusted and asks for a narrower one. */
  startMode(mode: PermissionMode): PermissionMode
  /** What in the folder's config has an effect that nobody would expect, or none. */
  remarks(mode: PermissionMode): string[]
  /** The person's yes to what was asked: kept for later runs, and in force from the next turn on. */
  grant(session: Session, rules: RulesFile): Promise<void>
}

/** `forOneRun` trusts the folder whatever was said before; what its local config allows is asked about all the same. */
export function openTrust(paths: Paths, cwd: string, forOneRun: boolean): SessionTrust {
  const known = readFolderTrust(paths, cwd)
  let trusted = forOneRun || known.known
  const approvals = ruleApprovals(paths, cwd)
  const rulesToApprove = unapproved(known.parts, approvals)
  let question: TrustQuestion | null = known.question
  if (forOneRun) {
    question = rulesToApprove.length === 0 ? null : { why: 'rules', folder: cwd, parts: rulesToApprove }
  }

  const startMode = (mode: PermissionMode) => (trusted ? wantedModes(cwd).reduce(narrower, mode) : mode)
  const remarks = (mode: PermissionMode) => {
    if (!trusted) return []
    const narrow = startMode(mode)
    const wider = wantedModes(cwd).filter((wanted) => narrower(wanted, mode) !== wanted)
    return [
      ...(narrow === mode ? [] : [`This folder's config asks for ${narrow} mode, so the session is in it.`]),
      ...wider.map(
        (wanted) => `This folder's config asks for ${wanted} mode, which is ignored: a folder can only narrow.`,
      ),
      ...ignoredKeys(cwd),
    ]
  }
  return {
    get trusted() {
      return trusted
    },
    approvals,
    get question() {
      return question
    },
    get notice() {
      // What is not allowed is told where the rules are read.
      return question === null || (question.why === 'rules' && trusted) ? null : leftOut(question)
    },
    startMode,
    remarks,
    async grant(session, rules) {
      if (question === null) return
      const { parts, why: asked } = question
      const already = trusted
      question = null
      trusted = true
      const tell = (text: string) => session.notice('warn', 'problem', text)
      for (const part of parts.filter(({ allows }) => allows)) {
        try {
          await approvals.approve(part.sha256)
        } catch (error) {
          tell(
            `What you approved counts for this run only, since ${paths.trustFile} cannot be written: ${wordsOf(error)}`,
          )
        }
      }
      for (const { file, line, text } of rules.trust()) tell(`${file}:${line} ${text}`)
      if (!already) {
        for (const text of remarks(session.mode)) tell(text)
        session.setMode(startMode(session.mode))
      }
      // What was trusted for one run is not trusted for good with its rules.
      if (asked === 'rules') return
      try {
        await storeTrust(paths, cwd, parts)
      } catch (error) {
        tell(
          `The folder is trusted for this session only, since ${paths.trustFile} cannot be written: ${wordsOf(error)}`,
        )
      }
    },
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function leftOut({ why, parts }: TrustQuestion): string {
  const names = parts.map((part) => part.name).join(', ')
  return why === 'new'
    ? `This folder is not trusted, so its own files were not loaded: ${names}. Start with --trust to load them for one run.`
    : `What this folder wants to run has changed since you trusted it, and is not started: ${names}.`
}

function ignoredKeys(cwd: string): string[] {
  return readProjectConfigs(cwd).flatMap(({ name, config: { ignored } }) => {
    if (ignored.length === 0) return []
    const keys = ignored.map((key) => JSON.stringify(key)).join(', ')
    const are = ignored.length === 1 ? 'is' : 'are'
    return `${name}: ${keys} ${are} ignored. A folder's config can only narrow: "permissions" and "permissionMode" count.`
  })
}

function wantedModes(cwd: string): PermissionMode[] {
  return readProjectConfigs(cwd).flatMap(({ config }) => config.permissionMode ?? [])
}
