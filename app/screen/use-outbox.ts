/** Where a sent line goes: to a command, to the model, or, while the session is still being opened, to those that wait for it. */
import { useCallback, useEffect, useState } from 'react'
import { type Draft, isEmpty, type QueuedText, replaceDraft } from '../composer/index.ts'
import type { Store } from '../state/index.ts'
import type { AppActions } from './actions.ts'

export type Outbox = {
  send(text: string): void
  /** Lines that were sent before there was a session; they are delivered in order as soon as there is one. */
  waiting: readonly QueuedText[]
  /** Takes one of them back; null when it is none of them. */
  unqueue(id: string): string | null
}

export function useOutbox(sessionId: string | null, draft: Draft, actions: AppActions, store: Store): Outbox {
  const [waiting, setWaiting] = useState<readonly QueuedText[]>(none)

  const deliver = useCallback(
    (text: string) => {
      if (text.startsWith('!')) {
        // Not a word of it may reach the model: whoever writes this wants a shell.
        const problem = actions.runShell(text.slice(1).trim())
        if (problem === null) return
        if (isEmpty(draft)) replaceDraft(draft, text)
        store.dispatch({ type: 'ui_toast', toast: { level: 'warn', text: problem } })
      } else if (!actions.runCommand(text)) actions.send(text)
    },
    [actions, draft, store],
  )

  useEffect(() => {
    if (sessionId === null || waiting.length === 0) return
    setWaiting(none)
    for (const { text } of waiting) deliver(text)
  }, [sessionId, waiting, deliver])

  const send = useCallback(
    (text: string) => {
      if (store.getState().focus !== null) deliver(text)
      else setWaiting((list) => [...list, { id: `waiting-${list.length}`, text }])
    },
    [deliver, store],
  )
  const unqueue = useCallback(
    (id: string) => {
      const found = waiting.find((one) => one.id === id)
      if (found === undefined) return null
      setWaiting((list) => list.filter((one) => one !== found))
      return found.text
    },
    [waiting],
  )
  return { send, waiting, unqueue }
}

const none: readonly QueuedText[] = []
