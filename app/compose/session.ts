/** Composes a session from engine, tools and adapters: the only place that knows everyone. */
import { dirname, join } from 'node:path'
import { version } from 'sluice:version'
import {
  createJudge,
  createRedactor,
  createSession,
  type GateAnswer,
  type ResumedSession,
  type Session,
  systemPrompt,
} from '@sluice/engine'
import { createArtifacts } from '@sluice/engine/adapters/artifacts'
import { createAuditLog } from '@sluice/engine/adapters/audit-log'
import { createCheckpoints } from '@sluice/engine/adapters/checkpoints'
import { createCostLedger } from '@sluice/engine/adapters/cost-jsonl'
import { createInstructions } from '@sluice/engine/adapters/instructions'
import { systemProcesses } from '@sluice/engine/adapters/processes'
import { createRulesFile, type RulesFile } from '@sluice/engine/adapters/rules-file'
import type { SessionLock } from '@sluice/engine/adapters/session-lock'
import { systemClock, systemDigest } from '@sluice/engine/adapters/system'
import { createTracer } from '@sluice/engine/adapters/trace-jsonl'
import { createTranscript, type Unsaved } from '@sluice/engine/adapters/transcript-jsonl'
import type { ModelAdapter, Sandbox, StoredRule } from '@sluice/engine/ports'
import type { AgentEvent, PermissionMode, PermissionRequest } from '@sluice/engine/protocol'
import { builtinTools, killAllNow, listFiles, reviewedFiles, stopAllCommands } from '@sluice/tools'
import { UsageError } from '../cli/usage-error.ts'
import type { Config } from '../config.ts'
import { type Paths, sessionFiles } from '../paths.ts'
import { tellingDiskOnce } from './disk-problems.ts'
import { knownModels } from './models.ts'
import { configuredSandbox, withSandboxHosts } from './sandbox.ts'
import { noteFolder } from './session-folder.ts'
import { openTrust, type SessionTrust } from './session-trust.ts'
import { lockSession } from './stored.ts'

export type ComposeOptions = {
  id: string
  cwd: string
  paths: Paths
  config: Config
  model: ModelAdapter
  selectModel(name: string): ModelAdapter
  mode: PermissionMode
  /** Trusted for this run, whatever was said before. */
  trusted: boolean
  /** A person is there to be asked whether they trust the folder, so nothing is said about it here. */
  asksTrust?: boolean
  /** Values that must not be recorded. */
  secrets: { name: string; value: string }[]
  allow: string[]
  deny: string[]
  maxTurns?: number
  maxCostUsd?: number
  timeoutMs?: number
  onEvent(event: AgentEvent): void
  /** Notices from adapters and config that belong to no event. */
  onProblem(text: string): void
  unattended?: (request: PermissionRequest) => GateAnswer | null
  resumed?: ResumedSession
  /** Taken already, for a session that is gone on with. */
  lock?: SessionLock
  /** Of another session of this process in the same folder: rules and trust are the same object then. */
  terms?: FolderTerms
  /** Already started; else the one that the config asks for. */
  sandbox?: Sandbox
}

export type { GateAnswer } from '@sluice/engine'
export type { Unsaved }
export { killAllNow, listFiles }

/** What the person has permitted in a folder; said once, it counts for all sessions there. */
export type FolderTerms = { rules: RulesFile; trust: SessionTrust }

export type Runtime = {
  session: Session
  terms: FolderTerms
  /** Whether an allow rule would let through what a question asks, as things are now. */
  covers(rule: string, request: PermissionRequest): boolean
  /** Models to offer, the selected one among them. */
  models(): { name: string; note?: string }[]
  trust: Pick<SessionTrust, 'question' | 'notice'> & {
    /** The person's yes: kept for later runs, and in force from the next turn on. */
    grant(): Promise<void>
    /** The same yes was given in another session of the folder. */
    follow(): void
  }
  close(how?: { leaveQuestions: boolean }): Promise<void>
  /** What of its transcript could not be written; once it is closed, that is lost. Null where nothing is. */
  unsaved(): Unsaved | null
}

/** Throws UsageError, also when another process has the session open. */
export function composeSession(options: ComposeOptions): Runtime {
  const lock = options.lock ?? lockSession(options.id, options.paths)
  try {
    return compose(options, lock)
  } catch (error) {
    lock?.release()
    throw error
  }
}

function compose(options: ComposeOptions, lock: SessionLock | undefined): Runtime {
  const { cwd, id, paths } = options
  const files = sessionFiles(paths, id)
  const onProblem = tellingDiskOnce(dirname(paths.sessionsDir), options.onProblem)
  const redact = options.config.redact ?? true
  const redactor = createRedactor({
    keys: options.secrets,
    shapes: redact !== false,
    patterns: Array.isArray(redact) ? redact.map((text) => new RegExp(text)) : [],
  })
  const trust = options.terms?.trust ?? openTrust(paths, cwd, options.trusted)
  const place = {
    cwd,
    home: paths.home,
    get trusted() {
      return trust.trusted
    },
    configFolder: dirname(paths.configFile),
    stateFolder: dirname(paths.sessionsDir),
  }
  const rules = options.terms?.rules ?? readRules(options, trust)
  restoreRules(options, rules)
  if (options.resumed?.cwd !== undefined && options.resumed.cwd !== cwd) noteFolder(paths, id, cwd)
  const sandbox = options.sandbox ?? configuredSandbox(options)
  const tracer = createTracer(files.trace, id, systemClock, redactor.value)
  const audit = createAuditLog(files.audit, id, systemClock, systemDigest, onProblem, redactor.value)
  if (!options.terms) for (const remark of trust.remarks(options.mode)) options.onProblem(remark)
  const judge = createJudge(place)
  const checkpoints = createCheckpoints({
    workspace: cwd,
    folder: files.checkpoints,
    stateFolder: dirname(paths.sessionsDir),
    sessionId: id,
    clock: systemClock,
    // Where nobody can rewind, nobody needs to hear of it.
    onProblem: options.asksTrust ? onProblem : () => undefined,
  })
  const transcript = createTranscript(
    files.transcript,
    onProblem,
    redactor.value,
    audit.record,
    // The session can be taken again from then on: our lock went with it.
    () => lock?.freshen(),
  )
  const session = createSession({
    id,
    cwd,
    version,
    mode: trust.startMode(options.mode),
    model: options.model,
    selectModel: options.selectModel,
    tools: builtinTools,
    judge,
    rules: withSandboxHosts(rules, options),
    sandbox,
    sources: [createInstructions({ userFile: paths.instructionsFile, trusted: () => trust.trusted })],
    systemPrompt: (mode) =>
      systemPrompt({
        cwd,
        platform: `${process.platform} ${process.arch}`,
        today: new Date().toISOString().slice(0, 10),
        mode,
        shell: 'bash',
        sandboxed: sandbox?.state().on ?? false,
      }),
    sinks: [transcript, createCostLedger(paths.costFile, onProblem)],
    onEvent: options.onEvent,
    audit,
    tracer,
    artifacts: createArtifacts(files.artifacts, redactor.text),
    checkpoints,
    clock: systemClock,
    digest: systemDigest,
    limits: { maxTurns: options.maxTurns, timeoutMs: options.timeoutMs, maxCostUsd: options.maxCostUsd },
    reviewedFiles,
    processes: systemProcesses,
    unattended: options.unattended,
    resumed: options.resumed,
  })
  if (trust.notice !== null && !options.asksTrust) options.onProblem(trust.notice)
  let closing: Promise<void> | undefined
  return {
    session,
    terms: { rules, trust },
    covers(rule, { tool, kind, needs }) {
      const given: StoredRule[] = [...rules.rules(), { text: rule, verdict: 'allow', scope: 'session' }]
      return (
        judge({ tool, kind, needs: needs.map(({ need }) => need), mode: session.mode, rules: given }).verdict ===
        'allow'
      )
    },
    models: () => [...new Set([session.model, ...knownModels()])].map((name) => ({ name })),
    trust: {
      get question() {
        return trust.question
      },
      get notice() {
        return trust.notice
      },
      grant: () => trust.grant(session, rules),
      follow: () => session.setMode(trust.startMode(session.mode)),
    },
    unsaved: () => transcript.unsaved(),
    close(how) {
      closing ??= (async () => {
        await session.close(how)
        await stopAllCommands(id)
        await sandbox?.close()
        await checkpoints.close()
        tracer.close()
        audit.close()
        lock?.release()
      })()
      return closing
    },
  }
}

/** What the person had ruled for the session counts again. */
function restoreRules({ resumed, onProblem }: ComposeOptions, rules: RulesFile): void {
  const allowed = (resumed?.rules ?? []).map((text) => ({ text, verdict: 'allow' as const }))
  for (const { text, verdict } of [...allowed, ...(resumed?.narrowing ?? [])]) {
    rules.add(text, verdict, 'session').catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error)
      onProblem(`The rule ${text} of this session is not in force again: ${why}`)
    })
  }
}

/** Throws UsageError for a rule of the command line that cannot be read; what is wrong in a file is told and passed over. */
function readRules({ cwd, paths, allow, deny, onProblem }: ComposeOptions, trust: SessionTrust): RulesFile {
  const rules = createRulesFile({
    userFile: paths.configFile,
    projectFile: join(cwd, '.sluice', 'config.jsonc'),
    localFile: join(cwd, '.sluice', 'config.local.jsonc'),
    trusted: trust.trusted,
    approvals: trust.approvals,
    cli: { allow, deny },
  })
  for (const problem of rules.problems) {
    if (problem.file === '--allow' || problem.file === '--deny') {
      throw new UsageError(
        `${problem.file}: ${problem.text}`,
        "Write a rule such as 'bash(npm test *)' or 'edit_file(src/**)'.",
      )
    }
    onProblem(`${problem.file}:${problem.line} ${problem.text}`)
  }
  return rules
}
