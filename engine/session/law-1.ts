/** Law 1 on records: every tool call of a reply has exactly one result, before anything else is said. */
import type { LawBreak, RecordedSession } from './recorded.ts'
import { isTypedCall, type TypedTurn, typedTurnAfter } from './typed-command.ts'

export function callResultBreaks({ transcript }: RecordedSession, notes: string[]): LawBreak[] {
  const breaks: LawBreak[] = []
  /** Calls of the reply that was read last; `line` is the reply's. */
  let open = new Map<string, { name: string; line: number }>()
  let answered = new Map<string, number>()
  let typed: TypedTurn | null = null
  const report = (line: number, text: string) => breaks.push({ law: 'law 1', file: 'transcript', line, text })
  const close = (line: number, what: string) => {
    for (const [id, call] of open) {
      report(line, `${what}, but the call ${id} of ${call.name} (line ${call.line}) has no result`)
    }
    open = new Map()
  }

  for (const { line, record } of transcript.lines) {
    switch (record.type) {
      case 'message': {
        close(line, 'the conversation goes on')
        if (record.message.role !== 'assistant') break
        answered = new Map()
        for (const { id, name } of record.message.toolCalls ?? []) {
          if (open.has(id)) report(line, `the reply has two calls with the id ${id}`)
          open.set(id, { name, line })
        }
        if (record.partial && open.size > 0) report(line, 'an interrupted reply has calls, which never ran')
        break
      }
      case 'tool_proposed':
        if (isTypedCall(typed, record.call)) open.set(record.call.id, { name: record.call.name, line })
        break
      case 'tool_result': {
        const { id, name } = record.call
        const earlier = answered.get(id)
        const call = open.get(id)
        if (earlier !== undefined)
          report(line, `the call ${id} of ${name} has a second result (first: line ${earlier})`)
        else if (call === undefined && !isTypedCall(typed, record.call))
          report(line, `a result for the call ${id} of ${name}, which the reply does not have`)
        else if (call !== undefined && call.name !== name)
          report(line, `the call ${id} is of ${call.name}, its result of ${name}`)
        open.delete(id)
        answered.set(id, line)
        break
      }
      case 'turn_start':
      case 'turn_end':
        close(line, record.type === 'turn_end' ? 'the turn ends' : 'a new turn begins')
        answered = new Map()
        break
      default:
        break
    }
    typed = typedTurnAfter(typed, record)
  }
  if (open.size > 0) {
    const many = open.size === 1 ? 'One call has' : `${open.size} calls have`
    notes.push(`${many} no result yet: the session was cut off, or is running. Resuming it supplies them.`)
  }
  return breaks
}
