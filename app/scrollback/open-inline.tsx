/** `--inline`: the live area at the end of the normal screen, and everything finished in the scrollback above it. */
import type { Theme } from '@sluice/permissions-ui'
import type { RenderLive } from '../screen/index.ts'
import type { Store } from '../state/index.ts'
import { colorDepth, type Reflow } from '../terminal/capabilities.ts'
import { createInlineOutput } from '../terminal/inline-output.ts'
import { LivePane } from './LivePane.tsx'
import { createScrollback } from './scrollback.ts'
import { screenWriter } from './writer.ts'

export type InlineScreen = {
  /** For Ink. */
  stdout: NodeJS.WriteStream
  renderLive: RenderLive
  /** Writes what is waiting and erases the live area. */
  close(): void
}

export function openInline(options: {
  store: Store
  stdout: NodeJS.WriteStream
  env: NodeJS.ProcessEnv
  theme(): Theme
  reflow(): Reflow
  home: string
  transcriptPath(sessionId: string): string
}): InlineScreen {
  const { store, theme, home } = options
  const output = createInlineOutput(options.stdout, { reflow: options.reflow })
  const styles = colorDepth(options.env, true) > 0
  const scrollback = createScrollback({
    store,
    print: output.print,
    writer: (columns) => screenWriter({ columns, ink: { theme: theme(), styles } }, home),
    transcriptPath: options.transcriptPath,
  })
  return {
    stdout: output.stdout,
    renderLive: (props) => <LivePane {...props} printed={scrollback.printed} />,
    close() {
      scrollback.stop()
      output.close()
    },
  }
}
