import { Text } from 'ink'
import { useState } from 'react'
import { afterEach, describe, expect, test } from 'vitest'
import { type RenderedScreen, renderAt } from '../../fixtures/screen/render-at.tsx'
import { defaultKeys } from '../keymap.ts'
import { KeyProvider } from '../terminal/key-source.tsx'
import { Composer } from './Composer.tsx'
import { memoryHistory } from './history.ts'
import { useInterrupts } from './use-interrupts.ts'

let view: RenderedScreen | null = null
afterEach(async () => {
  await view?.unmount()
  view = null
})

/** A session with a composer; `log` gets what the keys led to. */
function Session({ running, log }: { running: boolean; log: string[] }) {
  const [busy, setBusy] = useState(running)
  const [empty, setEmpty] = useState(true)
  const hint = useInterrupts({
    draftEmpty: empty,
    running: busy,
    onInterrupt: () => {
      log.push('interrupt')
      setBusy(false)
    },
    onLeave: () => log.push('leave'),
    onRewind: () => log.push('rewind'),
  })
  return (
    <>
      <Composer
        width={40}
        maxHeight={6}
        active
        onSubmit={(text) => log.push(`sent ${text}`)}
        onDraftMode={(mode) => setEmpty(mode === 'empty')}
        history={history}
        commands={commands}
      />
      <Text>{hint ?? 'no hint'}</Text>
    </>
  )
}

const history = memoryHistory()
const commands = [{ name: 'help', description: 'keys' }]

async function start(running: boolean): Promise<{ screen: RenderedScreen; log: string[] }> {
  const log: string[] = []
  view = await renderAt(
    40,
    10,
    <KeyProvider table={defaultKeys}>
      <Session running={running} log={log} />
    </KeyProvider>,
  )
  return { screen: view, log }
}

describe('ctrl+c', () => {
  test('a reflexive second press on a cleared draft never leaves; a third does', async () => {
    const { screen, log } = await start(false)
    await screen.type('abc')
    await screen.press('ctrl+c', 'ctrl+c')
    expect(log).toEqual([])
    expect(screen.screen()).toContain('press ctrl+c again to leave')
    await screen.press('ctrl+c')
    expect(log).toEqual(['leave'])
  })

  test('clears the draft while a turn runs, and interrupts only then', async () => {
    const { screen, log } = await start(true)
    await screen.type('x')
    await screen.press('ctrl+c')
    expect(log).toEqual([])
    expect(screen.row(0).trimEnd()).toBe('❯')
    await screen.press('ctrl+c')
    expect(log).toEqual(['interrupt'])
  })

  test('all of it in one write', async () => {
    const { screen, log } = await start(true)
    await screen.send('x\x03\x03')
    await screen.until(() => log.length > 0)
    expect(log).toEqual(['interrupt'])
  })

  test('the hint is gone after another key was typed and cleared', async () => {
    const { screen, log } = await start(false)
    await screen.press('ctrl+c')
    await screen.type('a')
    await screen.press('ctrl+c')
    expect(log).toEqual([])
  })
})

describe('Esc', () => {
  test('closes the list first, then interrupts', async () => {
    const { screen, log } = await start(true)
    await screen.type('/')
    expect(screen.screen()).toContain('/help')
    await screen.press('escape')
    expect(log).toEqual([])
    await screen.press('escape')
    expect(log).toEqual(['interrupt'])
  })

  test('twice on an idle session rewinds, with a key between not', async () => {
    const { screen, log } = await start(false)
    await screen.press('escape')
    await screen.press('ctrl+c')
    await screen.press('escape')
    expect(log).toEqual([])
    await screen.press('escape')
    expect(log).toEqual(['rewind'])
  })
})

test('ctrl+d leaves from an empty draft, after a hint', async () => {
  const { screen, log } = await start(false)
  await screen.press('ctrl+d')
  expect(screen.screen()).toContain('press ctrl+d again to leave')
  await screen.press('ctrl+d')
  expect(log).toEqual(['leave'])
})
