/** `sluice -p`: one turn without a screen; results on stdout, notes on stderr, a meaningful exit code. */

import type { AgentErrorShape, AgentEvent, PermissionRequest, StopReason, TokenUsage } from '@sluice/engine/protocol'
import { configuredSandbox, refuseWithoutSandbox } from '../compose/sandbox.ts'
import { composeSession, type GateAnswer } from '../compose/session.ts'
import { composeOptions, requireModel, type Setup, setUp } from '../compose/setup.ts'
import { lostWords } from '../session/lost-words.ts'
import type { Options } from './args.ts'
import { exitCode, type StopSignal } from './exit-code.ts'
import { leave, openOutput } from './output.ts'
import { readPipedStdin } from './stdin.ts'
import { UsageError } from './usage-error.ts'

export async function runPrint(options: Options): Promise<void> {
  const piped = await readPipedStdin(options.prompt !== undefined, (text) => process.stderr.write(`sluice: ${text}\n`))
  const prompt = joinPrompt(options.prompt, piped)
  const setup = await setUp(options)
  await printTurn(setup, options, prompt, headlessAnswer)
}

/** Runs one turn and leaves the process with the contract's exit code. */
export async function printTurn(
  setup: Setup,
  options: Options,
  prompt: string,
  unattended: (request: PermissionRequest) => GateAnswer | null,
): Promise<void> {
  const model = requireModel(setup)
  const sandbox = configuredSandbox(setup)
  await refuseWithoutSandbox(sandbox)
  let signal: StopSignal | undefined
  const output = openOutput(() => runtime.session.interrupt())
  const run = createRun(options.outputFormat, output)
  for (const warning of setup.warnings) output.note(`sluice: ${warning}`)
  const runtime = composeSession({
    ...composeOptions(setup, options, model),
    sandbox,
    onEvent: run.onEvent,
    onProblem: (text) => output.note(`sluice: ${text}`),
    unattended,
    // What waits for a person goes on waiting, and questions are closed: nobody is there.
    ...(setup.resumed ? { resumed: { ...setup.resumed, queue: [], open: undefined } } : {}),
  })
  // Timers of the core do not keep the process alive; a turn that waits for its retry must.
  const alive = setInterval(() => {}, 1 << 30)
  const stop = (name: StopSignal) => {
    if (signal) return leave(exitCode('user_abort', false, name))
    signal = name
    runtime.session.interrupt()
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stop(name))

  runtime.session.send(prompt)
  const reason = await run.ended
  await runtime.close()
  clearInterval(alive)
  await run.finish(reason, runtime.session.id)
  const lost = lostWords(runtime.session.id, runtime.unsaved())
  if (lost !== null) output.note(`sluice: ${lost}`)
  if (output.failed !== null) {
    output.note(
      `sluice: the result could not be written: ${output.failed}. It is in the session: sluice --resume ${runtime.session.id}`,
    )
    return leave(1)
  }
  leave(output.gone && !signal ? 0 : exitCode(reason, run.unanswered(), signal))
}

/** What a headless run answers: no, with the rule that would have let the call through. */
export function headlessAnswer(request: PermissionRequest): GateAnswer {
  const rule = request.suggestions[0]?.text
  const message = request.question
    ? 'Nobody is there to answer: this is a headless run. Decide yourself, or say in the final answer what you need to know.'
    : rule
      ? `nobody is there to approve it in this headless run. It would be allowed by: --allow '${rule.replaceAll("'", "'\\''")}'`
      : `nobody is there to approve it in this headless run, and no --allow rule can cover it (${request.reason}).`
  return { decision: { type: 'deny', message }, decidedBy: 'headless' }
}

function joinPrompt(prompt: string | undefined, piped: string | undefined): string {
  const text = [prompt, piped].filter((part): part is string => part !== undefined && part.trim() !== '').join('\n\n')
  if (text !== '') return text
  throw new UsageError(
    prompt === undefined && piped === undefined
      ? 'There is no prompt and no terminal to ask on.'
      : 'The prompt is empty.',
    'Write sluice -p "PROMPT", or pipe the prompt in.',
  )
}

type Denial = { tool: string; title: string; rule: string | null }

function createRun(format: Options['outputFormat'], output: ReturnType<typeof openOutput>) {
  let answer = ''
  let error: AgentErrorShape | undefined
  let start: Extract<AgentEvent, { type: 'session_start' }> | undefined
  let end: Extract<AgentEvent, { type: 'turn_end' }> | undefined
  /** The turn of this run; one that a former process left open may end before it. */
  let turnId: string | null = null
  const usages: TokenUsage[] = []
  const denials: Denial[] = []
  const requests = new Map<string, PermissionRequest>()
  let resolve: (reason: StopReason) => void = () => {}
  const ended = new Promise<StopReason>((done) => {
    resolve = done
  })
  let written: Promise<void> = Promise.resolve()

  const onEvent = (event: AgentEvent) => {
    if (format === 'stream-json') written = output.write(`${JSON.stringify(event)}\n`)
    switch (event.type) {
      case 'session_start':
        start = event
        break
      case 'turn_start':
        turnId ??= event.turnId
        break
      case 'message':
        // Words before calls are not the answer; a partial reply is what there is of it.
        if (event.message.role === 'assistant') answer = event.message.toolCalls ? '' : event.message.content
        break
      case 'approval_request':
        requests.set(event.request.id, event.request)
        break
      case 'approval_decision': {
        const request = requests.get(event.id)
        if (event.decidedBy !== 'headless' || !request) break
        denials.push({ tool: request.tool, title: request.title, rule: request.suggestions[0]?.text ?? null })
        const why = event.decision.type === 'deny' ? (event.decision.message ?? '') : ''
        output.note(`sluice: denied ${request.tool} ${request.title}: ${why}`)
        break
      }
      case 'usage':
        usages.push(event.usage)
        break
      case 'notice':
        output.note(`sluice: ${event.text}`)
        break
      case 'error':
        error = event.error
        output.note(
          `sluice: ${event.error.code}: ${event.error.message}${event.error.hint ? ` ${event.error.hint}` : ''}`,
        )
        break
      case 'turn_end':
        if (turnId === null || event.turnId !== turnId) break
        end = event
        resolve(event.reason)
        break
      default:
        break
    }
  }

  return {
    onEvent,
    ended,
    unanswered: () => denials.length > 0,
    async finish(reason: StopReason, sessionId: string) {
      await written
      if (format === 'text') await output.write(answer === '' || answer.endsWith('\n') ? answer : `${answer}\n`)
      if (format === 'json') {
        const sum = (pick: (usage: TokenUsage) => number | undefined) =>
          usages.reduce((total, usage) => total + (pick(usage) ?? 0), 0)
        const document = {
          sessionId,
          model: start?.model,
          cwd: start?.cwd,
          stopReason: reason,
          result: answer,
          error: error ?? null,
          denials,
          usage: {
            inputTokens: sum((usage) => usage.inputTokens),
            outputTokens: sum((usage) => usage.outputTokens),
            totalTokens: sum((usage) => usage.totalTokens),
          },
          costUsd: usages.some((usage) => usage.costUsd !== undefined) ? sum((usage) => usage.costUsd) : null,
          replies: end?.replies ?? 0,
          calls: end?.calls ?? 0,
          durationMs: end?.durationMs ?? 0,
        }
        await output.write(`${JSON.stringify(document)}\n`)
      }
    },
  }
}
