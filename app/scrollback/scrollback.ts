/** Writes what is finished into the terminal's own scrollback, each thing once, while a reply still streams block by block. */
import { sanitizeForTerminal } from '@sluice/permissions-ui'
import { type MarkdownDocument, parseMarkdown } from '../markdown/document.ts'
import { currentLexer, loadLexer } from '../markdown/lexer.ts'
import { at, focused, type Item, type SessionView, type Store } from '../state/index.ts'
import type { Writer } from './writer.ts'

export interface Scrollback {
  /** Characters of the (sanitised) words that stream in this session which stand in the scrollback already. */
  printed(sessionId: string): number
  stop(): void
}

export type ScrollbackOptions = {
  store: Store
  /** Takes lines in order; `make` is called when they are written. */
  print(make: (columns: number) => readonly string[]): void
  /** For a width. */
  writer(columns: number): Writer
  /** Where all of a session stands. */
  transcriptPath(sessionId: string): string
}

/** Of a session that was going on before, so many items are written at first. */
const firstItems = 60

/** Prints the session in focus; what happened in another one follows when it comes into focus. */
export function createScrollback(options: ScrollbackOptions): Scrollback {
  const { store } = options
  const sessions = new Map<string, Progress>()
  let last: string | null = null
  // What is written is written for good: not before markdown can be read.
  let ready = currentLexer() !== null

  const write = (make: (writer: Writer) => string[]) => options.print((columns) => make(options.writer(columns)))

  function update(): void {
    const view = focused(store.getState())
    if (view === null || !ready) return
    if (last !== view.id) {
      const others = last !== null
      last = view.id
      write((writer) => (others ? writer.headline(view) : writer.banner(view)))
    }
    let progress = sessions.get(view.id)
    if (progress === undefined) {
      progress = { settled: Math.max(0, view.settled.length - firstItems), stream: null }
      sessions.set(view.id, progress)
      const left = progress.settled
      if (left > 0) write((writer) => writer.earlier(left, options.transcriptPath(view.id)))
    }
    settle(view, progress)
    stream(view, progress)
  }

  function settle(view: SessionView, progress: Progress): void {
    for (; progress.settled < view.settled.length; progress.settled++) {
      const item = at(view.settled, progress.settled)
      if (item === undefined) continue
      const previous = at(view.settled, progress.settled - 1)
      if (item.kind === 'assistant' && progress.stream !== null) {
        finish(item, progress.stream)
        progress.stream = null
      } else write((writer) => writer.item(item, previous))
    }
  }

  /** The rest of an answer whose beginning was written while it streamed. */
  function finish(item: Item & { kind: 'assistant' }, begun: Stream): void {
    const source = sanitizeForTerminal(item.text, 'output')
    const whole = source.startsWith(begun.document.source.slice(0, begun.printed))
    if (whole) write((writer) => writer.rest({ ...item, text: source.slice(begun.printed) }))
    else write((writer) => [...writer.anew(), ...writer.item(item, item)])
  }

  /** Blocks of the answer that will not change any more. */
  function stream(view: SessionView, progress: Progress): void {
    const words = view.live?.text ?? ''
    const before = progress.stream
    if (words === '') {
      if (before !== null) write((writer) => writer.anew())
      progress.stream = null
      return
    }
    const document = parseMarkdown(words, before?.document ?? progress.document)
    progress.document = document
    const begun = before?.printed ?? 0
    if (before !== null && !document.source.startsWith(before.document.source.slice(0, begun))) {
      progress.stream = null
      write((writer) => writer.anew())
      return
    }
    if (!document.lexed || document.stable <= begun) return
    const part = document.source.slice(begun, document.stable)
    if (part.trim() === '') return
    progress.stream = { document, printed: document.stable }
    if (before !== null) {
      write((writer) => writer.more(part))
      return
    }
    const reasoning = view.live?.reasoning ?? ''
    const previous = at(view.settled, view.settled.length - 1)
    write((writer) => writer.begin(part, reasoning, previous))
  }

  const unsubscribe = store.subscribe(update)
  update()
  if (!ready) {
    void loadLexer().then(() => {
      ready = true
      update()
    })
  }
  return {
    printed: (sessionId) => sessions.get(sessionId)?.stream?.printed ?? 0,
    stop: unsubscribe,
  }
}

/** `printed` counts characters of the document's source. */
type Stream = { document: MarkdownDocument; printed: number }
/** `settled` counts items. `document` is the last reading of words of which nothing is printed yet. */
type Progress = { settled: number; stream: Stream | null; document?: MarkdownDocument }
