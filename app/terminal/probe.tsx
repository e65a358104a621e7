/** A tiny full-screen program on an opened terminal: what the tests of this folder run in a pseudo-terminal. */
import { useKeys } from '@sluice/permissions-ui'
import { Box, render, Text } from 'ink'
import { useEffect, useState } from 'react'
import { defaultKeys } from '../keymap.ts'
import { KeyProvider, useWheel } from './key-source.tsx'
import { openTerminal } from './terminal.ts'

const terminal = openTerminal({
  stdin: process.stdin,
  stdout: process.stdout,
  env: process.env,
  onSignal: (signal) => void process.stdout.write(`closing after ${signal}\n`),
})

function Probe({ quit }: { quit(): void }) {
  const [seen, setSeen] = useState<string[]>([])
  const [broken, setBroken] = useState(false)
  const note = (text: string) => setSeen((before) => [...before, text].slice(-8))
  useEffect(() => {
    if (broken) throw new Error('broken in an effect')
  }, [broken])
  useWheel(true, ({ direction }) => {
    note(`wheel ${direction}`)
    return true
  })
  useKeys(
    'global',
    true,
    (press) => {
      note(press.name)
      if (press.name === 'ctrl+z') void terminal.suspend()
      if (press.name === 'f2') setBroken(true)
      if (press.name === 'f3') setTimeout(() => fail('broken in a timer'), 0)
      if (press.name === 'f4') void Promise.reject(new Error('broken promise'))
      if (press.name === 'f5') process.exit(7)
      if (press.name === 'f6') void terminal.edit('the text').then((result) => note(JSON.stringify(result)))
      if (press.name === 'f10')
        void terminal.page(process.env.PROBE_TEXT ?? '').then((problem) => note(`paged ${problem}`))
      if (press.name === 'f7') terminal.notify('needs-you')
      if (press.name === 'f8') terminal.setMouse(false)
      if (press.name === 'f9') void terminal.repaint()
      if (press.name === 'ctrl+q') quit()
      return true
    },
    (text) => {
      note(`pasted ${text}`)
      return true
    },
  )
  return (
    <Box flexDirection="column" width="100%" height={process.stdout.rows}>
      <Text>{`probe is ready, process ${process.pid}`}</Text>
      <Text>{`keys: ${seen.join(' | ')}`}</Text>
    </Box>
  )
}

function fail(message: string): never {
  throw new Error(message)
}

const busy = Number(process.env.PROBE_BUSY_MS ?? 0)
const until = performance.now() + busy
while (performance.now() < until) {
  // Keys that are typed meanwhile must not be lost.
}

const app = render(
  <KeyProvider table={defaultKeys} terminal={terminal}>
    <Probe quit={() => app.unmount()} />
  </KeyProvider>,
  {
    stdin: terminal.stdin,
    alternateScreen: true,
    exitOnCtrlC: false,
    incrementalRendering: true,
    maxFps: 120,
    patchConsole: false,
  },
)
terminal.attach(app)
try {
  await app.waitUntilExit()
  terminal.close()
  process.stdout.write('goodbye\n')
} catch (error) {
  terminal.guard.crash(error)
}
