/** Words the outcome of a command for the model and for the eye. */
import { constants } from 'node:os'
import type { ToolOutcome } from '@sluice/engine/ports'
import type { Block } from '@sluice/engine/protocol'
import { size } from './recorder.ts'
import type { CommandEnd } from './run-command.ts'

export type ReportedCommand = {
  command: string
  cwd: string
  timeoutMs: number
  background: boolean
  /** What the model had proposed, when a person changed it. */
  proposed?: string
  /** True when the command changes its folder. */
  moves: boolean
  /** Where its words led when it was judged, otherwise than they are spelled. */
  leads: readonly string[]
}

/** `ok` means exit code 0, or that it started and goes on in the background. */
export function commandOutcome(plan: ReportedCommand, end: CommandEnd): ToolOutcome {
  const ok = end.endedBy === 'background' || (end.endedBy === 'exit' && end.exitCode === 0)
  const status = statusOf(plan, end)
  const notes = notesOn(plan, end)
  const outcome: ToolOutcome = {
    ok,
    summary: end.endedBy === 'background' ? status : `${status} · ${seconds(end.durationMs)}`,
    content: [
      end.text === '' ? '(no output)' : end.text.replace(/\n$/, ''),
      '',
      `[${status} · ${seconds(end.durationMs)} · in ${plan.cwd}${end.sandbox ? ' · sandboxed' : ''}]`,
      ...notes.map((note) => `[${note}]`),
    ].join('\n'),
    metadata: {
      exitCode: end.exitCode,
      signal: end.signal,
      durationMs: end.durationMs,
      cwd: plan.cwd,
      timedOut: end.endedBy === 'timeout',
      omittedBytes: end.omittedBytes,
      artifact: end.artifact ?? null,
      stillRunning: end.running.map((entry) => entry.pid),
      pid: end.pid,
      ...(end.sandbox ? { sandboxed: true } : {}),
    },
    blocks: [commandBlock(plan), outputBlock(end)],
  }
  if (end.sandbox) outcome.sandbox = end.sandbox
  if (end.endedBy === 'timeout') outcome.error = 'TOOL_TIMEOUT'
  else if (end.endedBy === 'abort') outcome.error = 'USER_ABORTED'
  else if (!ok) outcome.error = 'TOOL_EXECUTION_FAILED'
  return outcome
}

/** The command as it is shown before and after it runs. */
export function commandBlock({ command, cwd, timeoutMs, background }: Omit<ReportedCommand, 'moves'>): Block {
  return background ? { type: 'command', command, cwd, background } : { type: 'command', command, cwd, timeoutMs }
}

function outputBlock(end: CommandEnd): Block {
  const block: Extract<Block, { type: 'output' }> = { type: 'output', text: end.text, exitCode: end.exitCode }
  if (end.signal !== null) block.signal = end.signal
  if (end.omittedBytes > 0) block.omittedBytes = end.omittedBytes
  if (end.artifact !== undefined) block.artifact = end.artifact
  return block
}

function statusOf(plan: ReportedCommand, end: CommandEnd): string {
  switch (end.endedBy) {
    case 'background':
      return `running in the background · pid ${end.pid}`
    case 'timeout':
      return `killed by timeout after ${seconds(plan.timeoutMs)}`
    case 'abort':
      return 'killed by abort'
    case 'exit':
      return end.signal === null ? `exit ${end.exitCode}${signalHint(end.exitCode)}` : `killed by ${end.signal}`
  }
}

/** A shell reports a program that died of signal N as 128 + N. */
function signalHint(exitCode: number | null): string {
  if (exitCode === null || exitCode <= 128) return ''
  const name = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)?.[0]
  return name === undefined ? '' : ` (${name})`
}

function notesOn(plan: ReportedCommand, end: CommandEnd): string[] {
  const notes: string[] = []
  if (plan.proposed !== undefined) {
    notes.push(`the person changed this command before it ran; proposed: ${plan.proposed} ; ran: ${plan.command}`)
  }
  if (end.omittedBytes > 0) notes.push(whereTheRestIs(end))
  if (end.endedBy === 'background') {
    const log = end.artifact === undefined ? (end.artifactProblem ?? 'nowhere') : `to ${end.artifact}`
    notes.push(`it goes on until it ends by itself or the session closes; its output goes ${log}`)
    if (end.sandbox) notes.push('other commands cannot reach its ports: in the sandbox each has a network of its own')
  } else if (end.running.length > 0) {
    const list = end.running.map((entry) => `${entry.pid} ${entry.name}`).join(', ')
    if (end.endedBy === 'exit') {
      const log = end.artifact === undefined ? '' : `; what it prints from now on goes to ${end.artifact}`
      notes.push(`still running in the background: ${list}; it ends when the session closes${log}`)
    } else notes.push(`could not be ended and may still run: ${list}`)
  }
  if (end.endedBy === 'timeout') {
    notes.push('for a longer job give a larger timeout_ms (up to 600000), or background: true for a server')
  }
  if (plan.moves) notes.push(`cd does not outlive a call: the next command starts in ${plan.cwd} again`)
  return notes
}

function whereTheRestIs(end: CommandEnd): string {
  const left = `${size(end.omittedBytes)} of the output are left out above`
  if (end.artifact === undefined) return `${left}; ${end.artifactProblem ?? 'they were not stored'}`
  return `${left}; whole output: ${end.artifact}${end.artifactProblem === undefined ? '' : `, but ${end.artifactProblem}`}`
}

/** `35 ms`, `1.4 s`, `2 min 5 s`. */
function seconds(ms: number): string {
  if (ms < 100) return `${ms} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`
}
