/** The root of all keys: tokens become presses, presses go through the layers from the top, and the leader joins two into one. */
import {
  actionOf,
  type KeyHandler,
  type KeyLayer,
  type KeyPress,
  type KeySource,
  KeysContext,
  type KeyTable,
  layers,
  type PasteHandler,
} from '@sluice/permissions-ui'
import { useApp, usePaste, useStdin } from 'ink'
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
} from 'react'
import { createKeyFeed, type KeyInput } from './input.ts'
import type { Wheel } from './mouse.ts'
import type { Terminal } from './terminal.ts'
import type { Token } from './tokens.ts'

/** The keys that may follow what was pressed: `{prefix: 'ctrl+x', next: [{key: 'a', help: 'answer …'}]}`; null when none is pending. */
export type LeaderHint = { prefix: string; next: { key: string; help: string }[] } | null

type Props = {
  table: KeyTable
  /** Absent in tests: keys are then read from Ink's own stdin. */
  terminal?: Terminal
  children: ReactNode
}

type Subscriber = { layer: number; handler: KeyHandler; paste: PasteHandler | undefined }
type WheelHandler = (wheel: Wheel) => boolean
type Hold = (leaves: KeyHandler) => () => void

const HoldContext = createContext<Hold>(() => () => {})
const LeaderContext = createContext<LeaderHint>(null)
const PointerContext = createContext<{ subscribe(handler: WheelHandler): () => void }>({ subscribe: () => () => {} })

/** Mount it once, around the whole app. */
export function KeyProvider({ table, terminal, children }: Props) {
  const [hint, setHint] = useState<LeaderHint>(null)
  const [frame, nextFrame] = useReducer((count: number) => count + 1, 0)
  const root = useRef<Root>(undefined)
  root.current ??= createRoot(setHint, nextFrame)
  const current = root.current
  current.setUnused((press) => {
    if (terminal === undefined) return
    // They act wherever the keys are: in a dialog, under an overlay, in a picker that has no use for them.
    const action = actionOf(table, 'global', press)
    if (action === 'suspend') void terminal.suspend()
    else if (action === 'redraw') void terminal.repaint()
  })
  current.setTable(table)
  const { suspendTerminal } = useApp()
  const { stdin } = useStdin()

  // Ink switches raw mode and bracketed paste, so that it can switch them off while the terminal is lent. It sees no pastes.
  usePaste(ignorePaste)

  useEffect(() => terminal?.bindSuspend((work) => suspendTerminal(work)), [terminal, suspendTerminal])

  useLayoutEffect(() => {
    const take = (token: Token) => {
      if (token.type === 'focus') terminal?.sawFocus(token.focused)
      else terminal?.sawKey()
      current.take(token)
    }
    if (terminal !== undefined) return terminal.input.subscribe(take)
    return readFrom(stdin, take)
  }, [terminal, stdin, current])

  // Updates of one key are committed together, and effects of children run before this one: they have subscribed by now.
  useEffect(() => {
    if (frame > 0) current.shown()
  }, [frame, current])

  const source = useMemo<KeySource>(() => ({ table, subscribe: current.subscribe }), [table, current])
  return (
    <KeysContext value={source}>
      <PointerContext value={current.pointer}>
        <HoldContext value={current.hold}>
          <LeaderContext value={hint}>{children}</LeaderContext>
        </HoldContext>
      </PointerContext>
    </KeysContext>
  )
}

/** What may follow a pending leader, for a footer; null when nothing is pending. */
export function useLeaderHint(): LeaderHint {
  return useContext(LeaderContext)
}

/** Receives wheel notches while `active`, the latest subscriber first; return true when the notch was used. */
export function useWheel(active: boolean, handler: WheelHandler): void {
  const { subscribe } = useContext(PointerContext)
  const latest = useRef(handler)
  latest.current = handler
  useEffect(() => (active ? subscribe((wheel) => latest.current(wheel)) : undefined), [active, subscribe])
}

/**
 * While `active`, keys and pastes wait, in order, for what is about to be there. Only `leaves` sees a key at once: when it
 * returns true, the key and everything that waited are dropped.
 */
export function useHeldKeys(active: boolean, leaves: KeyHandler): void {
  const hold = useContext(HoldContext)
  const latest = useRef(leaves)
  latest.current = leaves
  // In the frame in which the next layer appears, or nothing would keep the keys between the two.
  useLayoutEffect(() => (active ? hold((press) => latest.current(press)) : undefined), [active, hold])
}

type Root = {
  setTable(table: KeyTable): void
  /** Hears of keys that no layer used. */
  setUnused(handler: (press: KeyPress) => void): void
  take(token: Token): void
  /** The frame that was asked for is there. */
  shown(): void
  subscribe(layer: KeyLayer, handler: KeyHandler, paste?: PasteHandler): () => void
  hold: Hold
  pointer: { subscribe(handler: WheelHandler): () => void }
}

function createRoot(show: (hint: LeaderHint) => void, awaitFrame: () => void): Root {
  const subscribers: Subscriber[] = []
  const wheels: WheelHandler[] = []
  let table: KeyTable = {}
  let prefixes = new Set<string>()
  let pending: string | null = null
  const queue: { token: Token; time: number }[] = []
  let waiting = false
  /** Rises whenever somebody comes or goes. */
  let moves = 0
  let movesBefore = 0
  /** `seen` tokens of the queue were shown to `leaves`; null once it has used one. */
  let held: { leaves: KeyHandler | null; seen: number } | null = null
  let unused: (press: KeyPress) => void = () => {}

  function setPending(next: string | null): void {
    if (pending === next) return
    pending = next
    show(next === null ? null : { prefix: next, next: followers(table, next) })
  }

  /** Offers a press to the layers above `above`, from the top; within a layer the latest subscriber comes first. Returns who used it. */
  function offer(press: KeyPress, above = -1): number | null {
    for (const { layer, handler } of [...subscribers]) if (layer > above && handler(press)) return layer
    return null
  }

  /** True when the next key may be offered at once: this one only changed the draft's text. */
  function takeKey(press: KeyPress): boolean {
    if (pending !== null) {
      const name = `${pending} ${press.name}`
      setPending(null)
      if (press.name !== 'escape') offer({ ...press, name, text: '' })
      return false
    }
    // A picker may use the leader's key for itself; everything below leaves it to the leader.
    if (prefixes.has(press.name)) {
      if (offer(press, layers.dialog) === null) setPending(press.name)
      return false
    }
    const user = offer(press)
    if (user === null) unused(press)
    return user === layers.composer && press.text !== ''
  }

  function takeNow({ token, time }: { token: Token; time: number }): boolean {
    switch (token.type) {
      case 'key':
        return takeKey(pressOf(token, time))
      case 'paste':
        setPending(null)
        for (const { paste } of [...subscribers]) if (paste?.(token.text)) break
        return false
      case 'wheel':
        for (const handler of [...wheels].reverse()) if (handler(token)) break
        return true
      default:
        return true
    }
  }

  /**
   * Keys of one read are offered one by one. A key that may have opened or closed something must have had its effect
   * before the next one looks for its layer, so the rest waits for the frame that shows what it did.
   */
  function drain(): void {
    if (held !== null) {
      look(held)
      return
    }
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      if (takeNow(next)) continue
      resume()
      return
    }
  }

  function look(by: NonNullable<typeof held>): void {
    for (; by.leaves !== null && by.seen < queue.length; by.seen++) {
      const next = queue[by.seen]
      if (next?.token.type !== 'key' || !by.leaves(pressOf(next.token, next.time))) continue
      queue.splice(0, by.seen + 1)
      by.leaves = null
    }
  }

  function resume(): void {
    waiting = true
    movesBefore = moves
    awaitFrame()
  }

  /** Where somebody came or went, effects of that frame may do more: put words into the draft, for one. They are awaited, too. */
  function shown(): void {
    if (waiting && moves !== movesBefore) {
      resume()
      return
    }
    waiting = false
    drain()
  }

  return {
    setUnused(handler) {
      unused = handler
    },
    setTable(next) {
      if (next === table) return
      table = next
      prefixes = prefixesOf(next)
    },
    shown,
    take(token) {
      queue.push({ token, time: performance.now() })
      if (!waiting) drain()
    },
    subscribe(layer, handler, paste) {
      const subscriber = { layer: layers[layer], handler, paste }
      const at = subscribers.findIndex((other) => other.layer <= subscriber.layer)
      subscribers.splice(at === -1 ? subscribers.length : at, 0, subscriber)
      moves++
      return () => {
        moves++
        const index = subscribers.indexOf(subscriber)
        if (index !== -1) subscribers.splice(index, 1)
      }
    },
    hold(leaves) {
      const mine = { leaves, seen: 0 }
      held = mine
      return () => {
        if (held !== mine) return
        held = null
        // What takes the place has subscribed when the next frame is there.
        resume()
      }
    },
    pointer: {
      subscribe(handler) {
        wheels.push(handler)
        return () => {
          const index = wheels.indexOf(handler)
          if (index !== -1) wheels.splice(index, 1)
        }
      },
    },
  }
}

function pressOf(token: Token & { type: 'key' }, time: number): KeyPress {
  const press: KeyPress = { name: token.name, text: token.text, time }
  if (token.repeat) press.repeat = true
  return press
}

/** Every key that begins a sequence of two. */
function prefixesOf(table: KeyTable): Set<string> {
  const found = new Set<string>()
  for (const actions of Object.values(table)) {
    for (const { keys } of Object.values(actions)) {
      for (const key of keys) {
        const space = key.indexOf(' ')
        if (space !== -1) found.add(key.slice(0, space))
      }
    }
  }
  return found
}

function followers(table: KeyTable, prefix: string): { key: string; help: string }[] {
  const next: { key: string; help: string }[] = []
  for (const actions of Object.values(table)) {
    for (const { keys, help } of Object.values(actions)) {
      const key = keys.find((candidate) => candidate.startsWith(`${prefix} `))
      if (key !== undefined) next.push({ key: key.slice(prefix.length + 1), help })
    }
  }
  return next
}

/** Ink reads this stream; we listen in. */
function readFrom(stdin: NodeJS.ReadableStream, take: (token: Token) => void): () => void {
  const feed = createKeyFeed()
  const stop: ReturnType<KeyInput['subscribe']> = feed.subscribe(take)
  const onData = (chunk: string | Uint8Array) => feed.push(chunk)
  stdin.on('data', onData)
  return () => {
    stdin.off('data', onData)
    stop()
  }
}

const ignorePaste = () => {}
