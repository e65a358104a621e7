/** Keys as data: presses with names, layers that see them in turn, and tables from which hints and help are made. */
import { createContext, useContext, useLayoutEffect, useRef } from 'react'

/**
 * One key press. `name` is canonical: `a`, `A`, `?`, `space`, `return`, `escape`, `tab`, `shift+tab`, `up`, `pageup`,
 * `ctrl+x`, `alt+b`, `shift+return`, `backspace`, `delete`, `home`. `text` is what it would type, or ''.
 */
export type KeyPress = { name: string; text: string; repeat?: boolean; time: number }

/** Returns true when the press was used; otherwise the next lower layer sees it. */
export type KeyHandler = (press: KeyPress) => boolean
/** A paste never decides anything: it only goes to layers that edit text. */
export type PasteHandler = (text: string) => boolean

/** Higher layers see a press first. */
export const layers = { global: 0, composer: 10, transcript: 20, dialog: 30, overlay: 40, leader: 50 } as const
export type KeyLayer = keyof typeof layers

/** Context → action → its keys and what it does; the app fills it, config may rebind it. */
export type KeyTable = Record<string, Record<string, { keys: string[]; help: string }>>

export interface KeySource {
  subscribe(layer: KeyLayer, handler: KeyHandler, paste?: PasteHandler): () => void
  readonly table: KeyTable
}

/** Filled by the app; the empty source makes components usable without it. */
export const KeysContext = createContext<KeySource>({ subscribe: () => () => {}, table: {} })

/** Receives presses on `layer` while `active`; the handler may change on every render without a new subscription. */
export function useKeys(layer: KeyLayer, active: boolean, handler: KeyHandler, paste?: PasteHandler): void {
  const source = useContext(KeysContext)
  const latest = useRef({ handler, paste })
  latest.current = { handler, paste }
  // Before the next frame, so that keys typed ahead are in the first one that can show them.
  useLayoutEffect(() => {
    if (!active) return
    return source.subscribe(
      layer,
      (press) => latest.current.handler(press),
      (text) => latest.current.paste?.(text) ?? false,
    )
  }, [source, layer, active])
}

/** The action that `press` means in `context`, if any. */
export function actionOf(table: KeyTable, context: string, press: KeyPress): string | undefined {
  for (const [action, binding] of Object.entries(table[context] ?? {})) {
    if (binding.keys.includes(press.name)) return action
  }
  return undefined
}

/** How the first key of an action is written in hints: `⏎`, `esc`, `ctrl+x a`; '' when it is unbound. */
export function keyLabel(table: KeyTable, context: string, action: string): string {
  const key = table[context]?.[action]?.keys[0]
  if (key === undefined) return ''
  return key.replaceAll('return', '⏎').replaceAll('escape', 'esc')
}
