/** Building: what comes out runs, replaces the last build without breaking who runs it, and starts without heavy parts. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { bundle, loadedWith } from './bundle.ts'

const root = resolve(import.meta.dirname, '../..')
// Below node_modules, where entries find the packages and nothing is linted, shipped or watched.
mkdirSync(join(root, 'node_modules', '.cache'), { recursive: true })
const world = mkdtempSync(join(root, 'node_modules', '.cache', 'bundle-test-'))
afterAll(() => rmSync(world, { recursive: true, force: true }))
let counter = 0

/** An app that imports Ink at once and `lazy.ts` later. */
function app(lazy: string) {
  const folder = join(world, String(counter++))
  mkdirSync(folder)
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  write(
    'entry.tsx',
    `import { Text } from 'ink'; const { say } = await import('./lazy.ts'); console.log(say(<Text/>), process.env.NODE_ENV)`,
  )
  write('lazy.ts', lazy)
  const outdir = join(folder, 'dist')
  const options = { root, entry: join(folder, 'entry.tsx'), outdir }
  return {
    write,
    outdir,
    build: () => bundle(options),
    run: () => execFileSync(process.execPath, [join(outdir, 'main.js')], { encoding: 'utf8', env: {} }),
    chunks: () => readdirSync(outdir).filter((name) => /^chunk-.*\.js$/.test(name)),
  }
}
const saying = (word: string) => `export const say = (element: object) => '${word} ' + typeof element`

test('the bundle runs, with React as in production', async () => {
  const { build, run } = app(saying('first'))
  const { bytes, chunks } = await build()
  expect(bytes).toBeGreaterThan(100_000)
  expect(chunks).toBeGreaterThan(1)
  expect(run()).toBe('first object production\n')
})

test('chunks of the last build stay for who runs it, and go a day later', async () => {
  const { build, run, write, chunks, outdir } = app(saying('first'))
  await build()
  const old = chunks()
  write('lazy.ts', saying('second'))
  await build()
  expect(run()).toBe('second object production\n')
  expect(chunks()).toEqual(expect.arrayContaining(old))

  const gone = old.filter((name) => !readFileSync(join(outdir, 'main.js'), 'utf8').includes(name))
  expect(gone.length).toBeGreaterThan(0)
  const twoDaysAgo = new Date(Date.now() - 48 * 3600 * 1000)
  for (const name of gone) utimesSync(join(outdir, name), twoDaysAgo, twoDaysAgo)
  await build()
  expect(chunks().filter((name) => gone.includes(name))).toEqual([])
  expect(run()).toBe('second object production\n')
})

test('a chunk that was current for long still gets its day', async () => {
  const { build, write, chunks, outdir } = app(saying('first'))
  await build()
  const lastWeek = new Date(Date.now() - 7 * 24 * 3600 * 1000)
  for (const name of readdirSync(outdir)) utimesSync(join(outdir, name), lastWeek, lastWeek)
  const old = chunks()
  write('lazy.ts', saying('second'))
  await build()
  await build()
  expect(chunks()).toEqual(expect.arrayContaining(old))
})

test('the stamp is as old as the oldest source could be', async () => {
  const { build, outdir } = app(saying('first'))
  const before = Date.now()
  await build()
  const stamp = statSync(join(outdir, '.stamp')).mtimeMs
  expect(stamp).toBeGreaterThanOrEqual(before - 1)
  expect(stamp).toBeLessThanOrEqual(statSync(join(outdir, 'main.js')).mtimeMs)
})

test('a mistake is named with its place, and the last build stays', async () => {
  const { build, run, write, outdir } = app(saying('first'))
  await build()
  write('lazy.ts', 'export const say = (')
  await expect(build()).rejects.toThrow(/lazy\.ts:1:\d+: Unexpected end of file\n {4}export const say = \(/)
  expect(run()).toBe('first object production\n')
  expect(readdirSync(outdir).filter((name) => name.startsWith('.building-'))).toEqual([])
})

// Each takes long enough to load to be seen; they come with a lazy chunk once they are needed.
const heavy =
  /node_modules\/(openai|@anthropic-ai|execa|marked|highlight\.js|unbash|iconv-lite|chardet|@modelcontextprotocol|@agentclientprotocol|fuzzysort|yaml|zod\/(?!v3\/))/

test.each([
  ['print mode and subcommands', 'app/main.tsx'],
  ['the full screen', 'app/tui.tsx'],
])('%s start without a heavy library', async (_, entry) => {
  const { outputs } = await realBundle()
  const packages = loadedWith(outputs, entry).flatMap((path) => heavy.exec(path)?.[1] ?? [])
  expect([...new Set(packages)]).toEqual([])
})

test('no text is split before the first frame by what loads ICU', async () => {
  const { outputs } = await realBundle()
  const chunks = Object.keys(outputs).filter((chunk) => chunk.endsWith('.js'))
  const eager = chunks.filter((chunk) => {
    const text = readFileSync(join(world, 'real', basename(chunk)), 'utf8')
    return /(^|[;=,]|var )\w+=new Intl\.Segmenter/.test(text)
  })
  expect(eager).toEqual([])
})

let real: ReturnType<typeof bundle> | undefined
function realBundle() {
  real ??= bundle({ root, outdir: join(world, 'real') })
  return real
}
