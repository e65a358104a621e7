/** Opens the screen for a recording, and gives the terminal back at the end. */
import { themeNamed } from '@sluice/permissions-ui'
import { render } from 'ink'
import { createAppearance } from '../appearance.ts'
import type { Config } from '../config.ts'
import { defaultKeys, rebind } from '../keymap.ts'
import { Themed } from '../screen/index.ts'
import { createStore } from '../state/index.ts'
import { KeyProvider } from '../terminal/key-source.tsx'
import { openTerminal } from '../terminal/terminal.ts'
import { createPlayer } from './player.ts'
import { ReplayScreen } from './ReplayScreen.tsx'
import type { Step } from './timeline.ts'

/** Resolves when the person leaves. Both standard streams must be terminals. */
export async function openReplay({
  steps,
  speed,
  config,
  home,
}: {
  steps: readonly Step[]
  speed: number
  config: Config
  home: string
}): Promise<void> {
  const store = createStore()
  const player = createPlayer({ steps, store, speed, after })
  const terminal = openTerminal({ stdin: process.stdin, stdout: process.stdout, env: process.env, mouse: config.mouse })
  const appearance = createAppearance(terminal.capabilities, {
    name: themeNamed(config.theme ?? 'auto'),
    ascii: config.ascii,
  })
  void terminal.answers.then(({ background }) => appearance.answered(background))
  const left = Promise.withResolvers<void>()
  const quit = () => left.resolve()
  const copy = (text: string) =>
    void terminal.copy(text).then(({ ok, text: said }) => {
      store.dispatch({ type: 'ui_toast', toast: { level: ok ? 'info' : 'warn', text: said } })
    })
  const { table } = rebind(defaultKeys, config.keys ?? {})
  const instance = render(
    <KeyProvider table={table} terminal={terminal}>
      <Themed appearance={appearance}>
        <ReplayScreen {...{ store, player, home, copy, quit }} reducedMotion={config.reducedMotion} />
      </Themed>
    </KeyProvider>,
    {
      stdin: terminal.stdin,
      stdout: process.stdout,
      exitOnCtrlC: false,
      patchConsole: false,
      alternateScreen: true,
      incrementalRendering: true,
      interactive: true,
      maxFps: 1000,
    },
  )
  terminal.attach({ unmount: () => instance.unmount() })
  instance.waitUntilExit().then(quit, (error: unknown) => terminal.guard.crash(error))
  try {
    player.play()
    await left.promise
  } finally {
    player.close()
    instance.unmount()
    terminal.close()
  }
}

function after(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}
