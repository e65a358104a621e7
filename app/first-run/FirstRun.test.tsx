import { asciiGlyphs, cellWidth, darkTheme, type Theme, ThemeContext } from '@sluice/permissions-ui'
import { afterEach, describe, expect, test } from 'vitest'
import { type RenderedScreen, renderAt } from '../../fixtures/screen/render-at.tsx'
import { defaultKeys, rebind } from '../keymap.ts'
import { KeyProvider } from '../terminal/key-source.tsx'
import { FirstRun } from './FirstRun.tsx'
import type { FirstRunChoice } from './first-run-state.ts'
import type { Looked } from './looked.ts'
import type { FoundServer, Listed } from './model-list.ts'

const looked: Looked[] = [
  { name: 'OPENAI_API_KEY', found: null },
  { name: 'OPENAI_BASE_URL', found: null, missing: 'set, but empty' },
  { name: 'SLUICE_MODEL', found: null },
  { name: 'config file', found: null, missing: 'no ~/.config/sluice/config.jsonc' },
  { name: 'ANTHROPIC_API_KEY', found: 'set, but the anthropic adapter is not in this version' },
]
const ollama: FoundServer = {
  baseUrl: 'http://127.0.0.1:11434/v1',
  models: ['qwen3:8b', 'llama3.2', ...Array.from({ length: 40 }, (_, i) => `finetune-${i}`)],
}
const studio: FoundServer = { baseUrl: 'http://127.0.0.1:1234/v1', models: ['phi-4'] }

type World = {
  servers?: FoundServer[]
  listed?: Listed
  theme?: Theme
  table?: typeof defaultKeys
  onRender?(): void
  onProbe?(): void
}

let view: (RenderedScreen & { chosen: FirstRunChoice[] }) | undefined
afterEach(async () => {
  await view?.unmount()
  view = undefined
})

/** Servers that are given answer once `answer` is called; without any, the search never ends. */
async function show(columns: number, rows: number, world: World = {}) {
  const chosen: FirstRunChoice[] = []
  const rendered = await renderAt(
    columns,
    rows,
    <KeyProvider table={world.table ?? defaultKeys}>
      <ThemeContext value={world.theme ?? darkTheme}>
        <FirstRun
          width={columns}
          height={rows}
          looked={looked}
          keyModel="gpt-5.2"
          probe={() => {
            world.onProbe?.()
            return world.servers ? Promise.resolve(world.servers) : new Promise(() => {})
          }}
          listModels={() => (world.listed ? Promise.resolve(world.listed) : new Promise(() => {}))}
          onChoose={(choice) => chosen.push(choice)}
        />
      </ThemeContext>
    </KeyProvider>,
    world.onRender === undefined ? {} : { onRender: world.onRender },
  )
  if (world.servers) await rendered.until((screen) => !/looking for one|asking 127/.test(screen))
  view = { ...rendered, chosen }
  return view
}

const sizes = [
  [40, 12],
  [80, 24],
  [120, 36],
] as const

const frames: [string, World, (shown: RenderedScreen) => Promise<void>][] = [
  ['looking', {}, async () => {}],
  ['nothing', { servers: [] }, (shown) => shown.press('down')],
  ['found', { servers: [ollama, studio] }, (shown) => shown.press('down')],
  ['leaving', { servers: [studio] }, (shown) => shown.press('ctrl+c')],
  ['servers', { servers: [ollama, studio] }, (shown) => shown.press('2', 'down')],
  ['models', { servers: [ollama] }, (shown) => shown.press('2', 'pagedown', 'pagedown', 'down')],
  [
    'key',
    {},
    async (shown) => {
      await shown.press('3')
      await shown.paste('sk-secret secret')
      await shown.press('return')
    },
  ],
  [
    'asking',
    {},
    async (shown) => {
      await shown.press('4')
      await shown.paste('http://127.0.0.1:9999/v1')
      await shown.press('return')
    },
  ],
  [
    'refused',
    {
      listed: {
        type: 'failed',
        text: 'Nothing listens at 127.0.0.1:9999: start the server there, or correct the address.',
      },
    },
    async (shown) => {
      await shown.press('4')
      await shown.paste('http://127.0.0.1:9999/v1')
      await shown.press('return')
      await shown.until((screen) => screen.includes('Nothing listens'))
    },
  ],
]

describe('frames', () => {
  for (const [columns, rows] of sizes) {
    test.each(frames)(`of "%s" fit ${columns}x${rows}`, async (name, world, act) => {
      const shown = await show(columns, rows, world)
      await act(shown)
      const screen = shown.screen()
      expect(screen).not.toContain('secret')
      await expect(screen).toMatchFileSnapshot(`../../fixtures/golden/first-run/${name}-${columns}x${rows}.txt`)
    })
  }

  test.each([
    [20, 4],
    [10, 2],
    [1, 1],
    [200, 8],
  ])('at %i×%i show what fits, keys last', async (columns, rows) => {
    const shown = await show(columns, rows, { servers: [ollama] })
    for (const step of ['1', 'escape']) {
      expect(shown.screen().split('\n').length).toBeLessThanOrEqual(rows)
      for (const line of shown.screen().split('\n')) expect(cellWidth(line)).toBeLessThanOrEqual(columns)
      await shown.press(step)
    }
  })

  test('use plain letters where the terminal has nothing else', async () => {
    const shown = await show(80, 24, { servers: [], theme: { ...darkTheme, glyphs: asciiGlyphs } })
    expect(shown.screen()).toContain(' up/down choose   enter or 1-5 go   ctrl+c twice quit')
    await shown.press('3')
    await shown.type('abc')
    expect(shown.screen()).toContain('key  ***')
  })
})

test('local servers are looked for after the first frame, never before', async () => {
  const order: string[] = []
  await show(80, 24, { servers: [], onRender: () => order.push('frame'), onProbe: () => order.push('probe') })
  expect(order.slice(0, 2)).toEqual(['frame', 'probe'])
  expect(order.filter((event) => event === 'probe').length).toBe(1)
})

test('looking again asks again', async () => {
  let probes = 0
  const shown = await show(80, 24, { servers: [], onProbe: () => probes++ })
  await shown.press('2')
  await shown.until((screen) => screen.includes('none answers'))
  expect(probes).toBe(2)
})

test('a key that is typed or pasted is chosen without its blanks, once, and never shown', async () => {
  const shown = await show(80, 24)
  await shown.press('3')
  await shown.type('sk-')
  await shown.paste('secret-42 \r\n')
  expect(shown.screen()).toContain('key  ••••••••••••')
  await shown.press('return', 'return')
  expect(shown.chosen).toEqual([{ type: 'key', apiKey: 'sk-secret-42' }])
  expect(shown.screen()).toContain('starting …')
  expect(shown.written()).not.toContain('secret')
})

test('an answer that comes after Esc changes nothing', async () => {
  const late = Promise.withResolvers<Listed>()
  let stopped = false
  const rendered = await renderAt(
    80,
    24,
    <KeyProvider table={defaultKeys}>
      <FirstRun
        width={80}
        height={24}
        looked={looked}
        keyModel="gpt-5.2"
        probe={() => new Promise(() => {})}
        listModels={(_, { signal }) => {
          signal.addEventListener('abort', () => {
            stopped = true
          })
          return late.promise
        }}
        onChoose={() => {}}
      />
    </KeyProvider>,
  )
  await rendered.press('4')
  await rendered.paste('http://127.0.0.1:9999/v1')
  await rendered.press('return', 'escape')
  expect(stopped).toBe(true)
  late.resolve({ type: 'models', baseUrl: 'http://127.0.0.1:9999/v1', models: ['late'] })
  await rendered.settled()
  expect(rendered.screen()).not.toContain('late')
  await rendered.unmount()
})

test('the keys that are shown are those in force', async () => {
  const { table } = rebind(defaultKeys, { overlay: { accept: 'ctrl+j', close: 'ctrl+g' } })
  const shown = await show(80, 24, { table })
  expect(shown.screen()).toContain('ctrl+j or 1…5 go')
  await shown.press('3', 'return')
  expect(shown.screen()).toContain('ctrl+j begin   ctrl+g back')
  await shown.press('ctrl+g', 'home', 'ctrl+j')
  expect(shown.chosen).toEqual([{ type: 'demo' }])
})
