/** Records a reply while it streams, so that a process that dies leaves what was on the screen. */
import type { Clock } from '../ports/index.ts'
import type { EventBody } from '../protocol/index.ts'
import { safeCut } from '../session/safe-cut.ts'

/** So that a slow reply does not cost more in records than in words, and a fast one is not written all the time. */
const leastChars = 300
const leastMs = 2_000

export type PartialReply = {
  /** Every event of the reply, after it was told. */
  see(body: EventBody): void
  /** The reply is over: its `message` says it all. */
  end(): void
}

/** Records what came since the last record, at most every two seconds. A stream that stands still is recorded as well. */
export function createPartialReply(clock: Clock, emit: (body: EventBody) => void): PartialReply {
  let text = ''
  let reasoning = ''
  let wait: (() => void) | undefined
  let due = false

  const record = () => {
    if (!due || text.length + reasoning.length < leastChars) return
    const [said, thought] = [safeCut(text), safeCut(reasoning)]
    if (said + thought < leastChars) return
    const body: EventBody = { type: 'partial', text: text.slice(0, said) }
    if (thought > 0) body.reasoning = reasoning.slice(0, thought)
    text = text.slice(said)
    reasoning = reasoning.slice(thought)
    emit(body)
    rest()
  }
  const rest = () => {
    due = false
    wait = clock.after(leastMs, () => {
      wait = undefined
      due = true
      record()
    })
  }
  return {
    see(body) {
      if (body.type === 'text_delta') text += body.text
      else if (body.type === 'reasoning_delta') reasoning += body.text
      else return
      if (wait === undefined && !due) rest()
      record()
    },
    end() {
      wait?.()
      due = false
      text = ''
      reasoning = ''
    },
  }
}
