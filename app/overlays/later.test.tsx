import { useKeys } from '@sluice/permissions-ui'
import { Text } from 'ink'
import { type ComponentType, useState } from 'react'
import { afterEach, expect, test } from 'vitest'
import { type RenderedScreen, renderAt } from '../../fixtures/screen/render-at.tsx'
import { shopDone } from '../../fixtures/screen/shop-session.ts'
import { showScreen } from '../../fixtures/screen/show-screen.tsx'
import { until } from '../../fixtures/screen/until.ts'
import { defaultKeys } from '../keymap.ts'
import { createStore, type Store } from '../state/index.ts'
import { KeyProvider } from '../terminal/key-source.tsx'
import { Later } from './Later.tsx'

let view: RenderedScreen | undefined
afterEach(async () => {
  await view?.unmount()
  view = undefined
})

type OverlayProps = { log: string[]; onClose(): void }

/** Uses every key but ctrl+x, which it leaves to the leader. */
function Overlay({ log, onClose }: OverlayProps) {
  useKeys(
    'overlay',
    true,
    (press) => {
      log.push(`overlay ${press.name}`)
      if (press.name === 'q') onClose()
      return press.name !== 'ctrl+x'
    },
    (text) => log.push(`overlay pasted ${text}`) > 0,
  )
  return <Text>the overlay is there</Text>
}

/** What stands below; `o` opens the overlay. */
function Below({ log, load }: { log: string[]; load(): Promise<ComponentType<OverlayProps>> }) {
  const [open, setOpen] = useState(false)
  useKeys(
    'global',
    true,
    (press) => {
      log.push(`below ${press.name}`)
      if (press.name === 'o') setOpen(true)
      return true
    },
    (text) => log.push(`below pasted ${text}`) > 0,
  )
  useKeys('leader', true, (press) => press.name.includes(' ') && log.push(`leader ${press.name}`) > 0)
  return open ? <Later load={load} props={{ log, onClose: () => setOpen(false) }} /> : <Text>nothing is open</Text>
}

/** The overlay's code comes when `arrive` is called. */
async function show() {
  const log: string[] = []
  const { promise, resolve } = Promise.withResolvers<ComponentType<OverlayProps>>()
  const load = () => promise
  const screen = await renderAt(
    60,
    5,
    <KeyProvider table={defaultKeys}>
      <Below log={log} load={load} />
    </KeyProvider>,
  )
  view = screen
  return { screen, log, arrive: () => resolve(Overlay) }
}

test('what is typed and pasted while an overlay is loaded reaches it, in order', async () => {
  const { screen, log, arrive } = await show()
  await screen.send('oab')
  await screen.paste('pasted words')
  await screen.press('down', 'ctrl+x', 'k')
  expect(log).toEqual(['below o'])
  arrive()
  await screen.until((now) => now.includes('the overlay is there'))
  await until(() => log.length === 7)
  expect(log.slice(1)).toEqual([
    'overlay a',
    'overlay b',
    'overlay pasted pasted words',
    'overlay down',
    'overlay ctrl+x',
    'leader ctrl+x k',
  ])
  await screen.type('c')
  expect(log.at(-1)).toBe('overlay c')
})

test('a key that closes it leaves the keys behind it to what is below', async () => {
  const { screen, log, arrive } = await show()
  await screen.send('oaqz')
  arrive()
  await until(() => log.length === 4)
  expect(log).toEqual(['below o', 'overlay a', 'overlay q', 'below z'])
})

test('Esc closes it before it is there, with what was typed for it; what follows is for what is below', async () => {
  const { screen, log, arrive } = await show()
  await screen.type('oab')
  await screen.press('escape')
  await screen.until((now) => now.includes('nothing is open'))
  await screen.type('z')
  await screen.press('escape')
  arrive()
  await screen.settled()
  expect(log).toEqual(['below o', 'below z', 'below escape'])
  expect(screen.screen()).toContain('nothing is open')
})

test('words that the overlay would hand on are handed on at once: an Esc behind them takes none away', async () => {
  const handed: string[] = []
  const screen = await renderAt(
    60,
    5,
    <KeyProvider table={defaultKeys}>
      <Writing handed={handed} />
    </KeyProvider>,
  )
  view = screen
  await screen.send('oabc')
  await screen.press('escape')
  await until(() => handed.length === 4)
  expect(handed).toEqual(['typed a', 'b', 'c', 'escape'])
})

const never = () => new Promise<ComponentType<{ onTyped(text: string): void }>>(() => {})

/** Its overlay never arrives, and hands on what is typed. */
function Writing({ handed }: { handed: string[] }) {
  const [open, setOpen] = useState(false)
  useKeys('global', true, (press) => {
    if (press.name === 'o') setOpen(true)
    else handed.push(press.name)
    return true
  })
  const onTyped = (text: string) => {
    handed.push(`typed ${text}`)
    setOpen(false)
  }
  return open ? <Later load={never} props={{ onTyped }} /> : null
}

/** Closes at the first key, and hands what was typed to the draft. */
function Passing({ store }: { store: Store }) {
  useKeys('overlay', true, (press) => {
    const sessionId = store.getState().focus ?? ''
    store.dispatch({ type: 'ui_overlay', overlay: null })
    store.dispatch({ type: 'ui_draft', draft: { sessionId, text: press.text } })
    return true
  })
  return <Text>passing</Text>
}

test('the draft gets what an overlay hands to it, and the keys that were typed behind that', async () => {
  const store = createStore()
  const screen = await showScreen(100, 30, shopDone().events, { store, renderOverlay: () => <Passing store={store} /> })
  view = screen
  store.dispatch({ type: 'ui_overlay', overlay: { name: 'rewind' } })
  await screen.until((now) => now.includes('passing'))
  await screen.send('and so on')
  await screen.until((now) => now.includes('❯ and so on'))
})
