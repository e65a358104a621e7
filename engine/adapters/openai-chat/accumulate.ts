/** Folds the chunks of one streamed chat completion into ModelEvents; trusts no field of a chunk. */
import type { FinishReason, ModelEvent } from '../../ports/index.ts'
import type { ToolCall } from '../../protocol/index.ts'
import { createCallAssembler } from './calls.ts'

export type Accumulator = {
  /** What the chunk adds, as events. Nothing is emitted after a chunk that carried an error. */
  push(chunk: unknown): ModelEvent[]
  /** The server's own word for the end, in lower case; undefined until it came. */
  readonly finishWord: string | undefined
  /** The error that a chunk carried, as the server sent it. */
  readonly error: unknown
  /** The last usage that was sent, as the server sent it. */
  readonly usage: unknown
  /** True when a person or a tool has nothing to work with: no words, no calls. */
  readonly empty: boolean
  /** Everything that was generated, for estimates. */
  generated(): string
  /** Only to be called when the stream arrived whole. */
  end(): { calls: ToolCall[]; finish: FinishReason }
}

type Fields = { [key: string]: unknown }

/** `takenIds` are the call ids of the conversation so far. */
export function createAccumulator(takenIds: ReadonlySet<string>): Accumulator {
  const calls = createCallAssembler(takenIds)
  let text = ''
  let reasoning = ''
  let finishWord: string | undefined
  let error: unknown
  let usage: unknown

  function pushChoice(choice: Fields): ModelEvent[] {
    if (isFilled(choice.error)) error ??= choice.error
    if (isFilled(choice.usage)) usage = choice.usage
    if (typeof choice.finish_reason === 'string' && choice.finish_reason !== '') {
      finishWord = choice.finish_reason.toLowerCase()
    }
    const delta = fields(choice.delta) ?? fields(choice.message)
    if (!delta) return []
    const events: ModelEvent[] = []
    const said = wordsOf(delta.content)
    const thought = textOf(delta.reasoning_content) || textOf(delta.reasoning) || said.thinking
    if (thought !== '') {
      reasoning += thought
      events.push({ type: 'reasoning_delta', text: thought })
    }
    const words = said.text + textOf(delta.refusal)
    if (words !== '') {
      text += words
      events.push({ type: 'text_delta', text: words })
    }
    const fragments = Array.isArray(delta.tool_calls) ? delta.tool_calls : []
    fragments.forEach((fragment, position) => {
      events.push(...calls.push(fragment, position, fragments.length))
    })
    return events
  }

  return {
    get finishWord() {
      return finishWord
    },
    get error() {
      return error
    },
    get usage() {
      return usage
    },
    get empty() {
      return text.trim() === '' && calls.size === 0
    },
    generated: () => reasoning + text + calls.argumentText(),
    push(chunk) {
      const all = fields(chunk)
      if (!all || error !== undefined) return []
      if (isFilled(all.error)) error = all.error
      else if (all.object === 'error' || all.type === 'error') error = all
      if (error !== undefined) return []
      const ownUsage = all.usage ?? fields(all.x_groq)?.usage
      if (isFilled(ownUsage)) usage = ownUsage
      const choices = Array.isArray(all.choices) ? all.choices : []
      return choices.flatMap((choice) => {
        const one = fields(choice)
        return one ? pushChoice(one) : []
      })
    },
    end() {
      const finish = finishOf(finishWord)
      const done = calls.done(finish === 'length')
      // Calls that are there count, whatever the server says about the end.
      return { calls: done, finish: done.length > 0 && finish === 'stop' ? 'tool_calls' : finish }
    },
  }
}

function finishOf(word: string | undefined): FinishReason {
  switch (word) {
    case 'length':
    case 'max_tokens':
    case 'max_output_tokens':
    case 'model_length':
      return 'length'
    case 'content_filter':
    case 'safety':
    case 'refusal':
    case 'sensitive':
      return 'content_filter'
    default:
      return 'stop'
  }
}

/** Content is text, or a list of parts of which some are thoughts. */
function wordsOf(content: unknown): { text: string; thinking: string } {
  if (!Array.isArray(content)) return { text: textOf(content), thinking: '' }
  const words = { text: '', thinking: '' }
  for (const part of content) {
    const one = fields(part)
    if (!one) continue
    if (one.type === 'thinking' || one.type === 'reasoning') words.thinking += wordsOf(one.thinking ?? one.text).text
    else words.text += textOf(one.text)
  }
  return words
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function fields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}

/** Servers fill an absent error or usage with null, "" or {}. */
function isFilled(value: unknown): boolean {
  if (typeof value === 'string') return value !== ''
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}
