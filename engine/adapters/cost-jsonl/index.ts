/** The cost ledger: one line per model reply of every session, in one file. */
import type { EventSink } from '../../ports/index.ts'
import { openAppender } from '../append-line.ts'

export function createCostLedger(path: string, onProblem: (text: string) => void): EventSink {
  const file = openAppender(path)
  let told = false
  return {
    write(event) {
      if (event.type !== 'usage') return
      const { v, seq, time, sessionId, turnId, usage } = event
      const problem = file.append({ v, seq, time, sessionId, turnId, type: 'usage', ...usage })
      if (problem !== undefined && !told) {
        told = true
        onProblem(`Costs are not being recorded: ${problem}`)
      }
    },
    flush: async () => {},
    close: async () => file.close(),
  }
}
