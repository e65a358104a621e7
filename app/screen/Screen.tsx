/** The whole screen: exactly as many rows as the terminal has, whatever happens inside. */
import type { FileDiff } from '@sluice/engine/protocol'
import { type KeySource, KeysContext, type Theme, ThemeContext, useTheme } from '@sluice/permissions-ui'
import { Box, useWindowSize } from 'ink'
import { type ReactNode, useState } from 'react'
import type { ComposerProps } from '../composer/index.ts'
import type { Store } from '../state/index.ts'
import type { AppActions } from './actions.ts'
import { createMemory, type ScreenMemory } from './memory.ts'
import { SessionScreen } from './SessionScreen.tsx'
import { StoreContext } from './use-store.ts'

export type OverlaySize = { width: number; height: number }

/** What the composer and the review of a change need from outside; the screen does the rest. */
export type ComposerServices = Pick<ComposerProps, 'history' | 'commands' | 'completeFiles' | 'onEditor'> & {
  /** The person's editor on a text of a review; `name` tells its kind. Null when nothing came of it. */
  editText?(text: string, name: string): Promise<string | null>
  /** The text that a change of a file was made for; null when it is not there any more. */
  oldText?(cwd: string, diff: FileDiff): Promise<string | null>
}

/** What is alive in a session, in at most `most` rows; `onRows` hears how many it takes. */
export type RenderLive = (props: {
  sessionId: string | null
  width: number
  most: number
  onRows(rows: number): void
}) => ReactNode

export type RenderPlayer = (size: OverlaySize) => ReactNode

export type ScreenProps = {
  store: Store
  actions: AppActions
  /** Default: the one around it. */
  theme?: Theme
  composer: ComposerServices
  /** For one that outlives the screen. */
  memory?: ScreenMemory
  /** Absent below a KeyProvider. */
  keys?: KeySource
  /** Size in cells; default: the terminal's. */
  columns?: number
  rows?: number
  /** Draws `state.ui.overlay` into a box of this size; null when it knows none of that name. */
  renderOverlay?(overlay: { name: string; argument?: string }, size: OverlaySize): ReactNode
  /**
   * Instead of the transcript, where the terminal's own scrollback has it: the screen is then only as high as it needs to
   * be.
   */
  renderLive?: RenderLive
  /** Instead of composer and hints, where a recording is shown: in so many rows, one or two. */
  renderPlayer?: RenderPlayer
  /** `main ±2` */
  branch?: string | null
  /** For `~` in paths. */
  home?: string | null
  reducedMotion?: boolean
  /** ms since 1970; for the clocks on screen. */
  clock?: () => number
}

export function Screen(props: ScreenProps) {
  const size = useWindowSize()
  const theme = useTheme()
  const columns = Math.max(1, props.columns ?? size.columns)
  const renderLive = props.renderLive ?? null
  const [own] = useState(createMemory)
  const rows = Math.max(1, props.rows ?? size.rows)
  // As wide as the terminal is at this moment: Ink draws once with the old tree when the size changes, and rows that are still
  // wider must be cut then, not wrapped.
  const width = props.columns === undefined ? '100%' : columns
  const body = (
    <Box width={width} height={renderLive === null ? rows : undefined} overflow="hidden" flexDirection="column">
      <SessionScreen
        actions={props.actions}
        composer={props.composer}
        memory={props.memory ?? own}
        columns={columns}
        rows={rows}
        renderOverlay={props.renderOverlay ?? noOverlay}
        branch={props.branch ?? null}
        home={props.home ?? null}
        reducedMotion={props.reducedMotion ?? false}
        clock={props.clock ?? Date.now}
        renderLive={renderLive}
        renderPlayer={props.renderPlayer ?? null}
      />
    </Box>
  )
  return (
    <StoreContext value={props.store}>
      <ThemeContext value={props.theme ?? theme}>
        {props.keys === undefined ? body : <KeysContext value={props.keys}>{body}</KeysContext>}
      </ThemeContext>
    </StoreContext>
  )
}

const noOverlay = () => null
