/** Composes a session from engine, tools and adapters: the only place that knows everyone. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { version } from 'sluice:version'
import {
  createJudge,
  createSession,
  type GateAnswer,
  type ResumedSession,
  type Session,
  systemPrompt,
} from '@sluice/engine'
import { createArtifacts } from '@sluice/engine/adapters/artifacts'
import { createAuditLog } from '@sluice/engine/adapters/audit-log'
import { createCostLedger } from '@sluice/engine/adapters/cost-jsonl'
import { createInstructions, projectInstructionFiles } from '@sluice/engine/adapters/instructions'
import { createRulesFile } from '@sluice/engine/adapters/rules-file'
import { systemClock, systemDigest } from '@sluice/engine/adapters/system'
import { createTracer } from '@sluice/engine/adapters/trace-jsonl'
import { createTranscript } from '@sluice/engine/adapters/transcript-jsonl'
import type { ModelAdapter } from '@sluice/engine/ports'
import type { AgentEvent, PermissionMode, PermissionRequest } from '@sluice/engine/protocol'
import { builtinTools, killAllNow, listFiles, stopAllCommands } from '@sluice/tools'
import { UsageError } from '../cli/usage-error.ts'
import type { Config } from '../config.ts'
import { type Paths, sessionFiles } from '../paths.ts'
import { knownModels } from './models.ts'

export type ComposeOptions = {
  id: string
  cwd: string
  paths: Paths
  config: Config
  model: ModelAdapter
  selectModel(name: string): ModelAdapter
  mode: PermissionMode
  trusted: boolean
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
}

export type { GateAnswer } from '@sluice/engine'
export { killAllNow, listFiles }

export type Runtime = {
  session: Session
  /** Models to offer, the selected one among them. */
  models(): { name: string; note?: string }[]
  close(): Promise<void>
}

export function composeSession(options: ComposeOptions): Runtime {
  const { cwd, id, paths } = options
  const files = sessionFiles(paths, id)
  const rules = createRulesFile({
    userFile: paths.configFile,
    projectFile: join(cwd, '.sluice', 'config.jsonc'),
    localFile: join(cwd, '.sluice', 'config.local.jsonc'),
    trusted: options.trusted,
    cli: { allow: options.allow, deny: options.deny },
  })
  for (const problem of rules.problems) {
    if (problem.file === '--allow' || problem.file === '--deny') {
      throw new UsageError(
        `${problem.file}: ${problem.text}`,
        "Write a rule such as 'bash(npm test *)' or 'edit_file(src/**)'.",
      )
    }
    options.onProblem(`${problem.file}:${problem.line} ${problem.text}`)
  }
  const tracer = createTracer(files.trace, id, systemClock)
  const audit = createAuditLog(files.audit, id, systemClock, systemDigest, options.onProblem)
  const session = createSession({
    id,
    cwd,
    version,
    mode: options.mode,
    model: options.model,
    selectModel: options.selectModel,
    tools: builtinTools,
    judge: createJudge({
      cwd,
      home: paths.home,
      trusted: options.trusted,
      configFolder: dirname(paths.configFile),
      stateFolder: dirname(paths.sessionsDir),
    }),
    rules,
    sources: [createInstructions({ userFile: paths.instructionsFile, trusted: options.trusted })],
    systemPrompt: (mode) =>
      systemPrompt({
        cwd,
        platform: `${process.platform} ${process.arch}`,
        today: new Date().toISOString().slice(0, 10),
        mode,
        shell: 'bash',
      }),
    sinks: [createTranscript(files.transcript, options.onProblem), createCostLedger(paths.costFile, options.onProblem)],
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
  if (!options.trusted) {
    const ignored = untrustedFiles(cwd)
    if (ignored.length > 0) {
      options.onProblem(
        `This folder is not trusted, so its own files were not loaded: ${ignored.join(', ')}. Start with --trust to load them for one run.`,
      )
    }
  }
  let closing: Promise<void> | undefined
  return {
    session,
    models: () => [...new Set([session.model, ...knownModels()])].map((name) => ({ name })),
    close() {
      closing ??= (async () => {
        await session.close()
        await stopAllCommands()
        tracer.close()
        audit.close()
      })()
      return closing
    },
  }
}

/** What a trusted run would have loaded from this folder. */
function untrustedFiles(cwd: string): string[] {
  const config = ['.sluice/config.jsonc', '.sluice/config.local.jsonc'].filter((name) => existsSync(join(cwd, name)))
  return [...config, ...projectInstructionFiles(cwd)]
}
