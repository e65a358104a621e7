/** The history of a session that is read back: bounded, and with the results of each reply in the order of its calls. */
import type { Message, ToolMessage, UserMessage } from '../protocol/index.ts'

/** More than a tool may give to the model; what is longer comes from elsewhere and would fill every request. */
const resultChars = 300_000
/** More than fits any model’s window: what lies further back is left out of each request anyway, and counting it takes time. */
const historyChars = 8_000_000
const shortChars = 2_000

export function createKeptHistory() {
  let messages: Message[] = []
  let chars = 0
  /** When room is to be made next. */
  let full = historyChars * 1.25
  let shortened = 0
  /** Where each turn begins. */
  let turns = new Map<string, number>()
  /** What rewinds left behind, by their ids; the last one behind. */
  const left = new Map<string, { messages: Message[]; turns: Map<string, number> }>()
  /** The first message whose result may still be shortened to make room. */
  let oldest = 0
  /** Where the results of the last reply begin, and the order that they should have. */
  let reply: { from: number; order: string[] } | null = null

  const push = (message: Message) => {
    messages.push(message)
    chars += charsOf(message)
    if (chars > full) makeRoom()
  }

  const makeRoom = () => {
    const last = reply?.from ?? messages.length
    for (; oldest < last && chars > historyChars; oldest++) {
      const message = messages[oldest]
      if (message?.role !== 'tool' || message.content.length <= shortChars * 2) continue
      const short = { ...message, content: ends(message.content, shortChars) }
      chars -= message.content.length - short.content.length
      messages[oldest] = short
    }
    // Whole turns, the oldest first; all of them at once, since there can be very many.
    let from = 0
    for (let i = 0, left = chars; i < last && left > historyChars; i++) {
      left -= charsOf(messages[i] as Message)
      if (messages[i + 1]?.role !== 'user') continue
      from = i + 1
      chars = left
    }
    full = Math.max(chars, historyChars) * 1.25
    if (from === 0) return
    messages = messages.slice(from)
    oldest = Math.max(0, oldest - from)
    if (reply) reply.from -= from
    turns = new Map([...turns].flatMap(([id, at]) => (at >= from ? [[id, at - from] as const] : [])))
  }

  const replace = (next: Message[], nextTurns: Map<string, number>) => {
    messages = next
    turns = nextTurns
    chars = next.reduce((sum, message) => sum + charsOf(message), 0)
    oldest = 0
    reply = null
  }

  return {
    push(message: Message) {
      push(message)
      reply =
        message.role === 'assistant' && message.toolCalls
          ? { from: messages.length, order: message.toolCalls.map(({ id }) => id) }
          : null
    },
    answer(message: ToolMessage) {
      if (message.content.length <= resultChars) return push(message)
      shortened++
      push({ ...message, content: ends(message.content, resultChars) })
    },
    /** A typed command's outcome takes the place of the words of its turn. */
    replaceInput(message: UserMessage) {
      const last = messages.at(-1)
      if (last?.role === 'user') {
        messages.pop()
        chars -= charsOf(last)
      }
      push(
        message.content.length <= resultChars ? message : { ...message, content: ends(message.content, resultChars) },
      )
    },
    /** Records that were lost can leave results out of order. */
    closeReply() {
      if (reply === null) return
      const { from, order } = reply
      const place = (message: Message | undefined) =>
        message?.role === 'tool' ? order.indexOf(message.toolCallId) : -1
      const results = messages.slice(from)
      if (results.some((one, i) => i > 0 && place(one) < place(results[i - 1])))
        messages = [...messages.slice(0, from), ...results.sort((a, b) => place(a) - place(b))]
      reply = null
    },
    /** The turn begins with the next message. */
    mark: (turnId: string) => void turns.set(turnId, messages.length),
    rewind(id: string, turnId: string) {
      const at = turns.get(turnId)
      if (at === undefined) return
      left.set(id, { messages, turns })
      replace(messages.slice(0, at), new Map([...turns].filter(([, from]) => from < at)))
    },
    restore(id: string) {
      const before = left.get(id)
      if (before === undefined) return
      replace(before.messages, before.turns)
      // Later ones are not undone any more.
      const ids = [...left.keys()]
      for (const one of ids.slice(ids.indexOf(id))) left.delete(one)
    },
    clear() {
      left.clear()
      turns = new Map()
      messages = []
      chars = 0
      oldest = 0
      reply = null
    },
    messages: () => messages,
    marks: (): ReadonlyMap<string, number> => turns,
    leftBehind: (id: string) => left.get(id),
    shortened: () => shortened,
  }
}

function charsOf(message: Message): number {
  if (message.role !== 'assistant' || !message.toolCalls) return message.content.length
  return message.content.length + message.toolCalls.reduce((sum, call) => sum + sizeOf(call.input), 0)
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (value === null || typeof value !== 'object') return 8
  return Object.values(value).reduce((sum: number, part) => sum + sizeOf(part), 8)
}

/** Start and end of a text, with strings of their own: a piece of a long text would keep all of it in memory. */
function ends(text: string, limit: number): string {
  const head = Math.floor(limit / 2)
  const note = `\n[… ${text.length - limit} characters were left out when the session was resumed …]\n`
  return JSON.parse(JSON.stringify(text.slice(0, head) + note + text.slice(head - limit)))
}
