import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { listModels, probeServers } from './model-list.ts'

const open: Server[] = []
afterEach(async () => {
  for (const server of open.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A port on 127.0.0.1 where everything is answered by `answer`. */
async function serve(answer: Answer): Promise<number> {
  const server = createServer(answer)
  open.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

async function closedPort(): Promise<number> {
  const server = createSocketServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

const send =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }

const list = (...names: unknown[]) => ({ object: 'list', data: names.map((id) => ({ id, object: 'model' })) })
const never = new AbortController().signal

async function ask(answer: Answer, options: { path?: string; apiKey?: string; timeoutMs?: number } = {}) {
  const port = await serve(answer)
  const { path = '/v1', ...rest } = options
  const listed = await listModels(`http://127.0.0.1:${port}${path}`, { signal: never, ...rest })
  return JSON.parse(JSON.stringify(listed).replaceAll(`127.0.0.1:${port}`, 'HOST'))
}

describe('the models of a server', () => {
  test.each<[string, unknown, string[]]>([
    ['in the usual list', list('b', 'a'), ['b', 'a']],
    ['in a bare array', [{ id: 'x' }], ['x']],
    ['that has none', { object: 'list', data: null }, []],
    [
      'without those that could not be shown as they are sent',
      list('ok', 'ok', 'a\u001b[31mb', 'c\u202ed', '', ' e', 'f\ng', 7, null, 'x'.repeat(201)),
      ['ok'],
    ],
  ])('are read %s', async (_, body, models) => {
    expect(await ask(send(200, body))).toEqual({ type: 'models', baseUrl: 'http://HOST/v1', models })
  })

  test('are looked for below /v1 where that was forgotten', async () => {
    const paths: (string | undefined)[] = []
    const answer: Answer = (request, response) => {
      paths.push(request.url)
      if (request.url === '/v1/models') send(200, list('m'))(request, response)
      else send(404, 'not found')(request, response)
    }
    expect(await ask(answer, { path: '' })).toEqual({ type: 'models', baseUrl: 'http://HOST/v1', models: ['m'] })
    expect(paths).toEqual(['/models', '/v1/models'])
  })

  test('are told to those who have the key', async () => {
    const seen: (string | undefined)[] = []
    const answer: Answer = (request, response) => {
      seen.push(request.headers.authorization)
      const known = request.headers.authorization === 'Bearer sk-right'
      send(known ? 200 : 401, known ? list('m') : { error: { message: 'sk-wrong is wrong' } })(request, response)
    }
    expect(await ask(answer)).toEqual({ type: 'key', baseUrl: 'http://HOST/v1', text: 'HOST wants a key (401).' })
    expect(await ask(answer, { apiKey: 'sk-wrong' })).toEqual({
      type: 'key',
      baseUrl: 'http://HOST/v1',
      text: 'HOST refuses this key (401): check it.',
    })
    expect(await ask(answer, { apiKey: 'sk-right' })).toMatchObject({ type: 'models', models: ['m'] })
    expect(seen).toEqual([undefined, 'Bearer sk-wrong', 'Bearer sk-right'])
  })

  test.each<[string, Answer, string, string]>([
    [
      'no list',
      send(404, '404 page not found'),
      'no-list',
      "HOST names no models (404). If the address is right, type a model's name.",
    ],
    [
      'something else',
      send(200, { hello: 'world' }),
      'no-list',
      "HOST names no models (200). If the address is right, type a model's name.",
    ],
    [
      'a web page',
      send(200, '<!doctype html><p>Sign in', { 'content-type': 'text/html' }),
      'failed',
      'HOST shows a web page there, not models: check the address; most end in /v1.',
    ],
    ['an overload', send(503, {}), 'failed', 'HOST cannot answer now (503): try again in a moment.'],
    [
      'a redirection, which is not followed',
      send(301, '', { location: 'https://elsewhere.example/v1/\u009b31mmodels' }),
      'failed',
      'HOST sends us on to https://elsewhere.example/v1/models: give the address that is meant.',
    ],
  ])('%s is said in one line', async (_, answer, type, text) => {
    expect(await ask(answer)).toEqual({ type, text })
  })

  test('silence has an end', async () => {
    expect(await ask(() => {}, { timeoutMs: 50 })).toEqual({
      type: 'failed',
      text: 'HOST did not answer within 1 s: check the address, or try again.',
    })
  })

  test('an endless answer is no list', async () => {
    const answer: Answer = (_, response) => {
      const piece = `"${'x'.repeat(1 << 20)}",`
      response.writeHead(200, { 'content-type': 'application/json' })
      const more = () => {
        while (!response.destroyed && response.write(piece));
      }
      response.on('drain', more)
      more()
    }
    expect(await ask(answer)).toMatchObject({ type: 'no-list' })
  })

  test('a port where nothing listens, and an address that has no host', async () => {
    const port = await closedPort()
    expect(await listModels(`http://127.0.0.1:${port}/v1`, { signal: never })).toEqual({
      type: 'failed',
      text: `Nothing listens at 127.0.0.1:${port}: start the server there, or correct the address.`,
    })
    // A name that can never exist; machines without any network may say that differently.
    const unknown = await listModels('http://nowhere.invalid/v1', { signal: never })
    expect(unknown).toMatchObject({ type: 'failed', text: expect.stringContaining('nowhere.invalid') })
  })

  test('https spoken to a server without it', async () => {
    const port = await serve(send(200, list('m')))
    const listed = await listModels(`https://127.0.0.1:${port}/v1`, { signal: never })
    expect(listed).toEqual({
      type: 'failed',
      text: `127.0.0.1:${port} does not speak https: try it with http://.`,
    })
  })
})

describe('the local ports', () => {
  test('give the servers that answer with models, in the order of the ports', async () => {
    const ports = [
      await serve(send(200, list('b'))),
      await closedPort(),
      await serve(send(200, '<html>my own web app</html>', { 'content-type': 'text/html' })),
      await serve(send(302, '', { location: 'http://example.com/v1/models' })),
      await serve(send(200, list('a1', 'a2'))),
    ]
    expect(await probeServers(never, ports, 30_000)).toEqual([
      { baseUrl: `http://127.0.0.1:${ports[0]}/v1`, models: ['b'] },
      { baseUrl: `http://127.0.0.1:${ports[4]}/v1`, models: ['a1', 'a2'] },
    ])
  })

  test('are not waited for', async () => {
    expect(await probeServers(never, [await serve(() => {})], 50)).toEqual([])
  })

  test('are given up at once when nobody waits any more', async () => {
    const control = new AbortController()
    const port = await serve(() => control.abort())
    expect(await probeServers(control.signal, [port], 60_000)).toEqual([])
  })
})
