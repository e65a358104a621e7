/** The cost ledger: one line per model reply of every session, in one file. */
import type { EventSink } from '../../ports/index.ts'
import { openAppender } from '../append-line.ts'
import type { OnProblem } from '../disk-report.ts'
import { createTeller } from '../record-problem.ts'

export function createCostLedger(path: string, onProblem: OnProblem): EventSink {
  const file = openAppender(path, { shared: true })
  const append = createTeller(file, 'Costs are', onProblem)
  return {
    write(event) {
      if (event.type !== 'usage') return
      const { v, seq, time, sessionId, turnId, usage } = event
      append({ v, seq, time, sessionId, turnId, type: 'usage', ...usage })
    },
    flush: async () => file.sync(),
    close: async () => file.close(),
  }
}
