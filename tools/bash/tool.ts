/** The tool `bash`: one command line, prepared as facts for permission and run in a shell of its own. */

import { stat } from 'node:fs/promises'
import { defineTool, type PrepareContext, type Prepared, ToolFailure } from '@sluice/engine/ports'
import { shorten } from '@sluice/engine/protocol'
import { z } from 'zod/v3'
import { zodInput } from '../shared/json-schema.ts'
import { type CommandNeed, commandNeeds } from './needs.ts'
import { commandBlock, commandOutcome, type ReportedCommand } from './report.ts'
import { withRepositoryPrograms } from './repository-programs.ts'
import { runCommand } from './run-command.ts'

const defaultTimeout = 120_000
const longestTimeout = 600_000
/** Linux takes no single argument of 128 kB or more. */
const longestCommand = 131_000

export const bashTool = defineTool<Input, ReportedCommand>({
  name: 'bash',
  kind: 'execute',
  description: [
    'Runs a command line with bash in the workspace folder and returns its output and exit code.',
    'Every call is a new shell: cd, variables and shell options do not outlive it; use paths, or cd within the command.',
    'There is no terminal and no input: programs that ask questions, open an editor or a pager fail at once.',
    'The exit code of a pipe is that of its last command: run tests without `| tail`, long output is shortened for you.',
    'Prefer read_file, grep, glob and edit_file for files. Use background: true for servers and watchers.',
  ].join('\n'),
  input: zodInput(
    z.object({
      command: z.string().describe('The command line. Several commands may be joined with && or newlines.'),
      timeout_ms: z
        .number()
        .positive()
        .optional()
        .describe('Milliseconds after which the command and its children are ended. Default 120000, at most 600000.'),
      background: z
        .boolean()
        .optional()
        .describe('Start it, return its first output, and let it run on until the session closes.'),
    }),
  ),
  timeoutMs: 0,
  maxResultTokens: 16_000,
  sandboxed: true,
  prepare: ({ command, timeout_ms, background }, context) =>
    prepareCommand(
      {
        command,
        timeoutMs: Math.min(Math.ceil(timeout_ms ?? defaultTimeout), longestTimeout),
        background: background ?? false,
      },
      context,
    ),
  amend: (plan, { editedCommand }, context) => {
    const proposed = plan.proposed ?? plan.command
    if (editedCommand === undefined || editedCommand === plan.command) return prepareCommand(plan, context)
    const { timeoutMs, background } = plan
    return prepareCommand({ command: editedCommand, timeoutMs, background, proposed }, context)
  },
  run: async (plan, context) => {
    await requireFolder(plan.cwd)
    if (context.signal.aborted)
      throw new ToolFailure('The command was not started: the call was aborted.', 'USER_ABORTED')
    const { command, cwd, timeoutMs, background } = plan
    await expectSamePlaces(plan)
    const { sessionId, signal, artifacts, sandbox } = context
    const end = await runCommand({
      command,
      cwd,
      sessionId,
      timeoutMs,
      background,
      signal,
      artifacts,
      sandbox,
      started: (pid) => context.started?.(pid),
      output: (chunk) => context.output(chunk),
    })
    return { ...commandOutcome(plan, end), applied: fingerprintOf(plan) }
  },
})

type Input = { command: string; timeout_ms?: number; background?: boolean }
type Proposal = Omit<ReportedCommand, 'cwd' | 'moves' | 'leads'>

async function prepareCommand(proposal: Proposal, { cwd }: PrepareContext): Promise<Prepared<ReportedCommand>> {
  const { command } = proposal
  if (command.trim() === '') throw new ToolFailure('The command is empty. Give the command line to run.')
  if (command.includes('\0')) throw new ToolFailure('The command holds a NUL character, which no program can be given.')
  if (Buffer.byteLength(command) > longestCommand) {
    throw new ToolFailure('The command is longer than 128 kB. Write it to a script file and run that.')
  }
  const needs = withRepositoryPrograms(await commandNeeds(command, cwd), cwd)
  const moves = needs.some((need) => /^(cd|pushd|popd)$/.test(need.argv?.[0] ?? ''))
  const plan: ReportedCommand = { ...proposal, cwd, moves, leads: leadsOf(needs) }
  return { title: titleOf(command), needs, blocks: [commandBlock(plan)], plan, fingerprint: fingerprintOf(plan) }
}

/** A link may have been put where there was none while a person thought about it. */
async function expectSamePlaces({ command, cwd, leads }: ReportedCommand): Promise<void> {
  const known = new Set(leads)
  const moved = leadsOf(await commandNeeds(command, cwd)).find((lead) => !known.has(lead))
  if (moved === undefined) return
  throw new ToolFailure(
    `${moved} by now, which is not what was permitted; nothing was done. Repeat the call.`,
    'TOOL_EXECUTION_FAILED',
  )
}

function leadsOf(needs: readonly CommandNeed[]): string[] {
  return needs.flatMap(({ leads = [] }) => leads.map(({ word, path }) => `${word} leads to ${path}`))
}

function fingerprintOf({ cwd, command }: { cwd: string; command: string }): string {
  return `bash ${cwd}\n${command}`
}

/** One line; the blocks hold the whole command. */
function titleOf(command: string): string {
  const [first = '', ...more] = command.trim().split('\n')
  const shown = shorten(first, 160)
  return more.length === 0 ? shown : `${shown} … +${more.length} ${more.length === 1 ? 'line' : 'lines'}`
}

async function requireFolder(cwd: string): Promise<void> {
  const found = await stat(cwd).catch(() => undefined)
  if (found?.isDirectory()) return
  throw new ToolFailure(
    `The workspace folder ${cwd} is gone (moved or deleted), so no command can run in it. ` +
      'Ask the person to put it back, or to start again in the folder that they mean.',
  )
}
