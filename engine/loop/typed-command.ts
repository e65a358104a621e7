/** A turn without a model: one command that the person typed, through the same door as every call. */
import type { ToolCall } from '../protocol/index.ts'
import { shellTool, typedCommandMessage } from '../session/typed-command.ts'
import { verificationOf } from '../session/verification.ts'
import { abortReason, type TurnEnd, type TurnInput, type TurnPorts } from './query-engine.ts'
import { executeCalls } from './tool-executor.ts'

/** Rules, questions, sandbox and limits hold as for the model's calls. The turn's words in the history give way to the outcome. */
export async function runTypedCommand(
  turn: TurnInput,
  command: string,
  ports: Pick<TurnPorts, 'executor' | 'mode'>,
  /** The call of a turn that is gone on with. */
  before?: ToolCall,
): Promise<TurnEnd> {
  const call = before ?? { id: ports.executor.clock.id('typed'), name: shellTool, input: { command } }
  turn.emit({ type: 'state', name: 'run_tools' })
  const outcomes = await executeCalls([call], ports.executor, {
    turnId: turn.turnId,
    signal: turn.signal,
    span: turn.span,
    mode: ports.mode,
    emit: turn.emit,
    modelReason: '',
  })
  for (const { result } of outcomes) {
    const verification = verificationOf(call, result)
    if (verification) turn.emit({ type: 'verification', result: verification })
    turn.history[turn.history.length - 1] = typedCommandMessage(call, result)
  }
  const reason = turn.signal.aborted ? abortReason(turn.signal) : 'final_answer'
  return { reason, replies: 0, calls: outcomes.length }
}
