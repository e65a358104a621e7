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
import { createCostLedger } from '@sluice/engine/adapters/cost-jsonl'
import { createInstructions } from '@sluice/engine/adapters/instructions'
import { createRulesFile, type RulesFile } from '@sluice/engine/adapters/rules-file'
import { systemClock, systemDigest } from '@sluice/engine/adapters/system'
import { createTracer } from '@sluice/engine/adapters/trace-jsonl'
import { createTranscript } from '@sluice/engine/adapters/transcript-jsonl'
import type { ModelAdapter, Sandbox } from '@sluice/engine/ports'
import type { AgentEvent, PermissionMode, PermissionRequest } from '@sluice/engine/protocol'
import { builtinTools, killAllNow, listFiles, stopAllCommands } from '@sluice/tools'
import { UsageError } from '../cli/usage-error.ts'
import type { Config } from '../config.ts'
import { type Paths, sessionFiles } from '../paths.ts'
import { knownModels } from './models.ts'
import { configuredSandbox, withSandboxHosts } from './sandbox.ts'
import { openTrust, type SessionTrust } from './session-trust.ts'

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
  /** Of another session of this process in the same folder: rules and trust are the same object then. */
  terms?: FolderTerms
  /** Already started; else the one that the config asks for. */
  sandbox?: Sandbox
}

export type { GateAnswer } from '@sluice/engine'
export { killAllNow, listFiles }

/** What the person has permitted in a folder; said once, it counts for all sessions there. */
export type FolderTerms = { rules: RulesFile; trust: SessionTrust }

export type Runtime = {
  session: Session
  terms: FolderTerms
  /** Models to offer, the selected one among them. */
  models(): { name: string; note?: string }[]
  trust: Pick<SessionTrust, 'question' | 'notice'> & {
    /** The person's yes: kept for later runs, and in force from the next turn on. */
    grant(): Promise<void>
    /** The same yes was given in another session of the folder. */
    follow(): void
  }
  close(): Promise<void>
}

export function composeSession(options: ComposeOptions): Runtime {
  const { cwd, id, paths } = options
  const files = sessionFiles(paths, id)
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
  const sandbox = options.sandbox ?? configuredSandbox(options)
  const tracer = createTracer(files.trace, id, systemClock, redactor.value)
  const audit = createAuditLog(files.audit, id, systemClock, systemDigest, options.onProblem, redactor.value)
  if (!options.terms) for (const remark of trust.remarks(options.mode)) options.onProblem(remark)
  const session = createSession({
    id,
    cwd,
    version,
    mode: trust.startMode(options.mode),
    model: options.model,
    selectModel: options.selectModel,
    tools: builtinTools,
    judge: createJudge(place),
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
    sinks: [
      createTranscript(files.transcript, options.onProblem, redactor.value),
      createCostLedger(paths.costFile, options.onProblem),
    ],
    onEvent: options.onEvent,
    audit,
    tracer,
    artifacts: createArtifacts(files.artifacts),
    clock: systemClock,
    digest: systemDigest,
    limits: { maxTurns: options.maxTurns, timeoutMs: options.timeoutMs, maxCostUsd: options.maxCostUsd },
    unattended: options.unattended,
    resumed: options.resumed,
  })
  if (trust.notice !== null && !options.asksTrust) options.onProblem(trust.notice)
  let closing: Promise<void> | undefined
  return {
    session,
    terms: { rules, trust },
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
    close() {
      closing ??= (async () => {
        await session.close()
        await stopAllCommands(id)
        await sandbox?.close()
        tracer.close()
        audit.close()
      })()
      return closing
    },
  }
}

/** Throws UsageError for a rule of the command line that cannot be read; what is wrong in a file is told and passed over. */
function readRules({ cwd, paths, allow, deny, onProblem }: ComposeOptions, trust: SessionTrust): RulesFile {
  const rules = createRulesFile({
    userFile: paths.configFile,
    projectFile: join(cwd, '.sluice', 'config.jsonc'),
    localFile: join(cwd, '.sluice', 'config.local.jsonc'),
    trusted: trust.trusted,
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
