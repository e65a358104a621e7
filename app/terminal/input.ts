/** The keyboard as a stream of tokens: nothing is lost before somebody listens, and a lone Esc does not wait for ever. */
import { StringDecoder } from 'node:string_decoder'
import { createTokenizer, type Waiting } from './tokenizer.ts'
import type { Token } from './tokens.ts'

export interface KeyInput {
  /** Tokens in the order they arrived, beginning with those that came before anybody listened. One listener at a time. */
  subscribe(listener: (token: Token) => void): () => void
}

export interface KeyFeed extends KeyInput {
  /** Takes what was read from the terminal. */
  push(chunk: string | Uint8Array): void
  /** Forgets what is unfinished, for example before another program gets the terminal. */
  reset(): void
}

/** `onReply` gets the terminal's answers to our questions; they never reach the listener. */
export function createKeyFeed(onReply: (token: Token & { type: 'reply' }) => void = () => {}): KeyFeed {
  const tokenizer = createTokenizer()
  const decoder = new StringDecoder('utf8')
  let listener: ((token: Token) => void) | null = null
  let early: Token[] = []
  let timer: NodeJS.Timeout | undefined
  let pushes = 0

  function deliver(tokens: Token[]): void {
    for (const token of tokens) {
      if (token.type === 'reply') onReply(token)
      else if (listener === null) early.push(token)
      else listener(token)
    }
  }

  function waitForMore(): void {
    clearTimeout(timer)
    timer = undefined
    const waiting = tokenizer.waiting
    if (waiting === 'nothing') return
    timer = setTimeout(() => {
      const seen = pushes
      // A busy process runs its timers before it reads: the rest of the sequence may be there already.
      setImmediate(() => {
        if (pushes !== seen) return
        deliver(tokenizer.flush())
      })
    }, patience[waiting])
  }

  return {
    push(chunk) {
      pushes++
      const text = typeof chunk === 'string' ? chunk : decoder.write(chunk as Buffer)
      deliver(tokenizer.push(text))
      waitForMore()
    },
    reset() {
      clearTimeout(timer)
      tokenizer.flush()
    },
    subscribe(next) {
      listener = next
      const waiting = early
      early = []
      // After the effects of the frame that subscribed, so that every layer is there.
      if (waiting.length > 0) queueMicrotask(() => deliver(waiting))
      return () => {
        if (listener === next) listener = null
      }
    },
  }
}

/** Milliseconds until what is unfinished is taken as it is. */
const patience: Record<Exclude<Waiting, 'nothing'>, number> = {
  escape: 25,
  sequence: 100,
  'loose-paste': 15,
  paste: 1000,
}
