/** Who gets the keys while a question is open: the draft as long as somebody types, then the question. */
import { createQuietGate, type KeyPress, useKeys } from '@sluice/permissions-ui'
import { useEffect, useRef, useState } from 'react'

export const quietMs = 400

export type QuestionFocus = {
  /** True while keys act on the question. */
  focused: boolean
  /** `ctrl+x a` */
  enter(): void
  /** The question is on the screen now: the quiet begins to count. */
  shown(): void
  /** Esc: the question stays open, keys go to the draft. */
  leave(): void
  /** Something was written that means nothing to the question: it went to the draft, and so does what follows. */
  writing(): void
}

export type QuestionFocusOptions = {
  /** The question that is shown; null when there is none. */
  requestId: string | null
  draftEmpty: boolean
  /** False while an overlay has the keys anyway. */
  active: boolean
  /** Monotonic ms, the clock of `KeyPress.time`. */
  clock?: () => number
}

/**
 * A question that appears takes no key before 400 ms have passed without one. The only timer here runs until that moment;
 * while a person thinks, none does.
 */
export function useQuestionFocus({
  requestId,
  draftEmpty,
  active,
  clock = monotonic,
}: QuestionFocusOptions): QuestionFocus {
  const gate = useRef<ReturnType<typeof createQuietGate>>(undefined)
  gate.current ??= createQuietGate({ quietMs })
  const quiet = gate.current
  /** The question that has the keys: the next one never inherits them. */
  const [focusedOn, setFocusedOn] = useState<string | null>(null)
  const focused = requestId !== null && focusedOn === requestId
  /** Rises with every key that went to the draft: the wait begins again. */
  const [keys, setKeys] = useState(0)
  const shown = useRef<string | null>(null)

  useEffect(() => {
    if (shown.current === requestId) return
    shown.current = requestId
    if (requestId === null) quiet.gone()
    else quiet.arrived(clock())
    setKeys(0)
  }, [requestId, quiet, clock])

  // biome-ignore lint/correctness/useExhaustiveDependencies: `keys` and the request restart the wait
  useEffect(() => {
    if (requestId === null || focused || !active || !draftEmpty) return
    if (quiet.wouldGo(Number.POSITIVE_INFINITY, false) === 'draft') return
    const timer = setTimeout(() => {
      if (quiet.wouldGo(clock() + 1, false) === 'dialog') setFocusedOn(requestId)
    }, quietMs)
    return () => clearTimeout(timer)
  }, [requestId, focused, active, draftEmpty, keys, quiet, clock])

  // Above the dialog: a key that comes too early is never seen by it.
  useKeys('overlay', requestId !== null && active && !focused, (press) => {
    if (isTyping(press)) {
      quiet.press(press.time, true)
      setKeys((count) => count + 1)
    }
    return false
  })

  return {
    focused: focused && active,
    enter() {
      quiet.focus()
      setFocusedOn(requestId)
    },
    shown() {
      quiet.arrived(clock())
      setKeys((count) => count + 1)
    },
    leave() {
      quiet.leave()
      setFocusedOn(null)
    },
    writing() {
      quiet.typing(clock())
      setFocusedOn(null)
      setKeys((count) => count + 1)
    },
  }
}

/** Sequences such as `ctrl+x p` act on the screen; everything else may be somebody writing. */
function isTyping(press: KeyPress): boolean {
  return !press.name.includes(' ')
}

const monotonic = () => performance.now()
