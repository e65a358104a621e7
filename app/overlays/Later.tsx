/** An overlay whose code is loaded when it is first opened: what is rarely looked at costs nothing at the start. */
import { type ComponentType, useEffect, useState } from 'react'

/** `load` is a constant of its module: `const loadPicker = async () => (await import('./Picker.tsx')).Picker`. */
type Props<P extends object> = { load: () => Promise<ComponentType<P>>; props: P }

/** Draws nothing until the code is there. A failure to load it is the screen's failure. */
export function Later<P extends object>({ load, props }: Props<P>) {
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
  if (loaded === null) return null
  if ('failed' in loaded) throw loaded.failed
  return <loaded.component {...props} />
}
