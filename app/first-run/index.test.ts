import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { collect, requestOf } from '../../fixtures/contracts/model-adapter.ts'
import { type ModelServer, startModelServer } from '../../fixtures/model-server/index.ts'
import { parseArgs } from '../cli/args.ts'
import { setUp } from '../compose/setup.ts'
import { beginWith } from './index.tsx'

let home: string
let server: ModelServer | undefined
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-home-')))
  vi.stubEnv('SLUICE_HOME', home)
  for (const name of ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'SLUICE_MODEL']) vi.stubEnv(name, undefined)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await server?.close()
  server = undefined
})

async function begin(choice: Parameters<typeof beginWith>[0]) {
  const options = parseArgs([])
  const setup = await setUp(options)
  expect(setup.model).toBe(undefined)
  const environment = JSON.stringify(process.env)
  const begun = await beginWith(choice, options, setup)
  // Neither the environment nor a file learns of what was typed.
  expect(JSON.stringify(process.env)).toBe(environment)
  expect(readdirSync(home)).toEqual([])
  return { begun, setup }
}

test('leaving begins nothing', async () => {
  expect((await begin({ type: 'quit' })).begun).toBe(null)
})

test('a key goes by value to the model and to every model chosen later', async () => {
  const { begun, setup } = await begin({ type: 'key', apiKey: 'sk-secret' })
  expect(begun?.model.model).toBe('gpt-5.2')
  expect(begun?.setup.models).toEqual({ ...setup.models, apiKey: 'sk-secret' })
  expect(begun?.setup.id).toBe(setup.id)
  expect(begun?.notice).toBe(
    'Your key is used for this run and kept nowhere. To keep it, add this to your shell profile: export OPENAI_API_KEY=…',
  )
})

test('a server’s model is asked at its address with its key', async () => {
  server = await startModelServer(() => ({ text: 'hello' }))
  const { begun } = await begin({ type: 'server', baseUrl: server.baseUrl, model: 'mock', apiKey: 'sk-secret' })
  if (!begun) throw new Error('nothing was begun')
  const events = await collect(begun.model.stream(requestOf()))
  expect(events.at(-1)?.type).toBe('message_done')
  expect(server.requests.map(({ headers, body }) => [headers.authorization, body.model])).toEqual([
    ['Bearer sk-secret', 'mock'],
  ])
  expect(begun.notice).not.toContain('secret')
})

test.each([
  ['qwen3:8b', 'SLUICE_MODEL=qwen3:8b'],
  ['scripted:demo', 'SLUICE_MODEL=openai-chat:scripted:demo'],
  ["it's $(rm) here", "SLUICE_MODEL='it'\\''s $(rm) here'"],
])('a server may call its model %s', async (name, keep) => {
  const { begun } = await begin({ type: 'server', baseUrl: 'http://127.0.0.1:9/v1', model: name })
  expect(begun?.model.model).toBe(name)
  expect(begun?.notice).toBe(
    `${name} at http://127.0.0.1:9/v1 is used for this run. To begin with it next time: export OPENAI_BASE_URL=http://127.0.0.1:9/v1 ${keep}`,
  )
})

test('the demo begins as `sluice demo` does', async () => {
  const { begun } = await begin({ type: 'demo' })
  if (!begun) throw new Error('nothing was begun')
  expect(begun).toMatchObject({
    model: { model: 'scripted:demo' },
    options: { model: 'scripted:demo', cwd: begun.setup.cwd, permissionMode: 'default' },
    prompt: 'The cart total drifts by a cent. Find out why, fix it, and run the tests.',
    notice: expect.stringContaining('This is the demo.'),
  })
  expect(existsSync(join(begun.setup.cwd, 'src', 'cart.js'))).toBe(true)
  rmSync(begun.setup.cwd, { recursive: true })
})
