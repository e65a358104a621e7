import { useKeys } from '@sluice/permissions-ui'
import { Text } from 'ink'
import { useState } from 'react'
import { afterEach, describe, expect, test } from 'vitest'
import { type RenderedScreen, renderAt } from '../../fixtures/screen/render-at.tsx'
import { until } from '../../fixtures/screen/until.ts'
import { defaultKeys } from '../keymap.ts'
import { createKeyFeed } from './input.ts'
import { KeyProvider, useLeaderHint, useWheel } from './key-source.tsx'
import type { Token } from './tokens.ts'

let view: RenderedScreen | null = null
afterEach(async () => {
  await view?.unmount()
  view = null
})

type Layer = Parameters<typeof useKeys>[0]

/** Writes down what reaches it, and uses the keys that it is told to. */
function Listener({
  layer,
  uses,
  log,
  pastes = false,
}: {
  layer: Layer
  uses: string[]
  log: string[]
  pastes?: boolean
}) {
  useKeys(
    layer,
    true,
    (press) => {
      log.push(`${layer} ${press.name}`)
      return uses.includes(press.name) || uses.includes('*')
    },
    pastes ? (text) => log.push(`${layer} pasted ${text}`) > 0 : undefined,
  )
  return null
}

/** Opens an overlay on `o`. */
function Opener({ log }: { log: string[] }) {
  const [open, setOpen] = useState(false)
  useKeys('global', true, (press) => {
    setOpen(press.name === 'o')
    return true
  })
  return open ? <Listener layer="overlay" uses={['*']} log={log} /> : null
}

function WheelListener({ name, uses, log }: { name: string; uses: boolean; log: string[] }) {
  useWheel(true, ({ direction }) => {
    log.push(`${name} ${direction}`)
    return uses
  })
  return null
}

function Hint() {
  const hint = useLeaderHint()
  return <Text>{hint === null ? 'no hint' : `${hint.prefix}: ${hint.next.map(({ key }) => key).join(' ')}`}</Text>
}

async function show(children: React.ReactNode): Promise<RenderedScreen> {
  view = await renderAt(100, 6, <KeyProvider table={defaultKeys}>{children}</KeyProvider>)
  return view
}

describe('layers', () => {
  test('see a key from the top until one uses it', async () => {
    const log: string[] = []
    const screen = await show(
      <>
        <Listener layer="global" uses={[]} log={log} />
        <Listener layer="dialog" uses={['y']} log={log} />
        <Listener layer="composer" uses={['*']} log={log} />
      </>,
    )
    await screen.type('yx')
    expect(log).toEqual(['dialog y', 'dialog x', 'composer x'])
  })

  test('keys of one read arrive one by one, in order', async () => {
    const log: string[] = []
    const screen = await show(<Listener layer="composer" uses={['*']} log={log} />)
    await screen.send('hi\r\x1b[A')
    await until(() => log.length === 4)
    expect(log).toEqual(['composer h', 'composer i', 'composer return', 'composer up'])
  })

  test('a key sees what the key before it changed', async () => {
    const log: string[] = []
    const screen = await show(<Opener log={log} />)
    await screen.send('oab')
    await until(() => log.length === 2)
    expect(log).toEqual(['overlay a', 'overlay b'])
  })

  test('a paste goes to who edits text, and never to keys', async () => {
    const log: string[] = []
    const screen = await show(
      <>
        <Listener layer="dialog" uses={['*']} log={log} />
        <Listener layer="composer" uses={[]} log={log} pastes />
      </>,
    )
    await screen.paste('y\r')
    expect(log).toEqual(['composer pasted y\n'])
  })
})

describe('the leader', () => {
  test('joins two keys into one press, and says what may follow', async () => {
    const log: string[] = []
    const screen = await show(
      <>
        <Hint />
        <Listener layer="global" uses={['ctrl+x a']} log={log} />
        <Listener layer="composer" uses={['a']} log={log} />
      </>,
    )
    await screen.press('ctrl+x')
    expect(screen.row(0)).toMatch(/^ctrl\+x: p n a r t s 1 o k/)
    await screen.press('a')
    expect(log).toEqual(['composer ctrl+x a', 'global ctrl+x a'])
    expect(screen.row(0)).toMatch(/^no hint/)
    await screen.press('a')
    expect(log.at(-1)).toBe('composer a')
  })

  test('is given up with Esc', async () => {
    const log: string[] = []
    const screen = await show(
      <>
        <Hint />
        <Listener layer="composer" uses={['*']} log={log} />
      </>,
    )
    await screen.press('ctrl+x', 'escape')
    expect(screen.row(0)).toMatch(/^no hint/)
    expect(log).toEqual([])
  })

  test('leaves its key to an overlay that has a use for it', async () => {
    const log: string[] = []
    const screen = await show(
      <>
        <Hint />
        <Listener layer="overlay" uses={['ctrl+x']} log={log} />
      </>,
    )
    await screen.press('ctrl+x')
    expect(log).toEqual(['overlay ctrl+x'])
    expect(screen.row(0)).toMatch(/^no hint/)
  })

  test('ends with a paste, which goes where it belongs', async () => {
    const log: string[] = []
    const screen = await show(
      <>
        <Hint />
        <Listener layer="composer" uses={[]} log={log} pastes />
      </>,
    )
    await screen.press('ctrl+x')
    await screen.paste('text')
    expect(screen.row(0)).toMatch(/^no hint/)
    expect(log).toEqual(['composer pasted text'])
  })
})

test('the wheel goes to the latest listener first', async () => {
  const seen: string[] = []
  const screen = await show(
    <>
      <WheelListener name="under" uses log={seen} />
      <WheelListener name="over" uses={false} log={seen} />
    </>,
  )
  await screen.send('\x1b[<64;3;4M')
  expect(seen).toEqual(['over up', 'under up'])
})

describe('the key feed', () => {
  const next = () => new Promise((resolve) => setImmediate(resolve))

  test('keeps what is typed before anybody listens', async () => {
    const feed = createKeyFeed()
    feed.push('fix it')
    feed.push('\r')
    const seen: string[] = []
    feed.subscribe((token: Token) => token.type === 'key' && seen.push(token.name))
    await next()
    expect(seen).toEqual(['f', 'i', 'x', 'space', 'i', 't', 'return'])
  })

  test('joins characters whose bytes came apart', async () => {
    const feed = createKeyFeed()
    const seen: string[] = []
    feed.subscribe((token: Token) => token.type === 'key' && seen.push(token.name))
    const bytes = Buffer.from('é你')
    for (const byte of bytes) feed.push(Buffer.from([byte]))
    expect(seen).toEqual(['é', '你'])
  })

  test('a lone Esc is a key soon after, and none when more follows', async () => {
    const feed = createKeyFeed()
    const seen: string[] = []
    const pressed = new Promise<void>((resolve) => {
      feed.subscribe((token: Token) => {
        if (token.type === 'key') seen.push(token.name)
        if (seen.length === 2) resolve()
      })
    })
    feed.push('\x1b')
    feed.push('[A')
    feed.push('\x1b')
    await pressed
    expect(seen).toEqual(['up', 'escape'])
  })

  test('answers of the terminal never reach the listener', () => {
    const replies: unknown[] = []
    const feed = createKeyFeed(({ reply }) => replies.push(reply))
    const seen: Token[] = []
    feed.subscribe((token) => seen.push(token))
    feed.push('\x1b[?1u\x1b[?62c')
    expect(replies).toEqual([{ kind: 'kitty', flags: 1 }, { kind: 'attributes' }])
    expect(seen).toEqual([])
  })
})
