/** An overlay whose code is loaded when it is first opened: what is rarely looked at costs nothing at the start. */
import { actionOf, KeysContext } from '@sluice/permissions-ui'
import { type ComponentType, useContext, useEffect, useState } from 'react'
import { useHeldKeys } from '../terminal/key-source.tsx'

/** `load` is a constant of its module: `const loadPicker = async () => (await import('./Picker.tsx')).Picker`. */
type Props<P extends object> = { load: () => Promise<ComponentType<P>>; props: P }

/** Draws nothing until the code is there. A failure to load it is the screen's failure. */
export function Later<P extends object>({ load, props }: Props<P>) {
  const { table } = useContext(KeysContext)
  const [loaded, setLoaded] = useState<{ component: ComponentType<P> } | { failed: unknown } | null>(null)
  useEffect(() => {
    let wanted = true
    load().then(
      (component) => wanted && setLoaded({ component }),
      (failed: unknown) => wanted && setLoaded({ failed }),
    )
    return () => {
      wanted = false
    }
  }, [load])
  // What is typed meanwhile is for the overlay. Only Esc works before there is anything to see, and words that it would hand
  // on: whoever writes them may press Esc next, and they must not be gone then.
  useHeldKeys(loaded === null, (press) => {
    const { close, onClose, onTyped } = props as { close?(): void; onClose?(): void; onTyped?(text: string): void }
    if (press.text !== '' && onTyped) onTyped(press.text)
    else if (actionOf(table, 'overlay', press) !== 'close') return false
    else (onClose ?? close)?.()
    return true
  })
  if (loaded === null) return null
  if ('failed' in loaded) throw loaded.failed
  return <loaded.component {...props} />
}
