/** Puts the theme in force around the screen; when it becomes another one, the screen is drawn anew in one frame. */
import { ThemeContext } from '@sluice/permissions-ui'
import { type ReactNode, useSyncExternalStore } from 'react'
import type { Appearance } from '../appearance.ts'

export function Themed({ appearance, children }: { appearance: Appearance; children: ReactNode }) {
  const theme = useSyncExternalStore(appearance.subscribe, appearance.theme)
  return <ThemeContext value={theme}>{children}</ThemeContext>
}
