/** Ways in which search tools have failed people; none of them may happen here. */
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { callTool, type ToolTestContext, toolContext } from '../../fixtures/tool-context.ts'
import { globTool } from '../glob/tool.ts'
import { grepTool } from './tool.ts'

let world: ToolTestContext
beforeEach(async () => {
  world = await toolContext()
})
afterEach(() => world.cleanup())

const put = (name: string, content: string | Uint8Array) => writeFile(join(world.cwd, name), content)
const grep = (input: object) => callTool(grepTool, input, world.context)
const glob = (input: object) => callTool(globTool, input, world.context)

it.each(['-77', '--pre=sh', '->', '--', '-e', '-', '--files'])(
  'I01: the pattern %s is text, not a flag',
  async (pattern) => {
    await put('a', `before ${pattern} after\n`)
    const result = await grep({ pattern })
    expect(result).toMatchObject({ ok: true, metadata: { matches: 1, truncated: false } })
    expect(result.content).toBe(`a\n    1: before ${pattern} after`)
  },
)

it('I01: paths and globs that look like flags are paths and globs', async () => {
  await mkdir(join(world.cwd, '--pre=sh'))
  await put('--pre=sh/--x', 'needle\n')
  expect((await grep({ pattern: 'needle', path: '--pre=sh' })).content).toBe('--pre=sh/--x\n    1: needle')
  expect((await grep({ pattern: 'needle', path: '--pre=sh/--x' })).content).toBe('--pre=sh/--x\n    1: needle')
  expect((await grep({ pattern: 'needle', glob: '--x' })).content).toBe('--pre=sh/--x\n    1: needle')
  expect((await glob({ pattern: '--x' })).content).toBe('--pre=sh/--x')
  expect(await grep({ pattern: 'needle', path: '--files' })).toMatchObject({
    ok: false,
    content: expect.stringContaining('--files does not exist.'),
  })
})

it('I03: one match in a minified file gives little text, with the match in it', async () => {
  await put('min.js', `${'x=1;'.repeat(120_000)}stats(y);${'z=2;'.repeat(120_000)}`)
  const result = await grep({ pattern: 'stats' })
  expect(result.content.length).toBeLessThan(2000)
  expect(result.content).toContain('stats(y)')
  expect(result.metadata).toMatchObject({ matches: 1, truncated: false })
})

it('I03: the whole result is bounded, and says that it was cut', async () => {
  const line = `${'a'.repeat(100)}needle${'b'.repeat(400)}\n`
  await put('many', line.repeat(1000))
  const result = await grep({ pattern: 'needle' })
  expect(Buffer.byteLength(result.content)).toBeLessThanOrEqual(24_200)
  expect(result.metadata).toMatchObject({ truncated: true })
  expect(result.content).toContain('there are more. Narrow the pattern, path or glob.')
})

it('I04: a long line is shown around its match', async () => {
  await put('long', `${'l'.repeat(2500)}needle${'r'.repeat(2500)}\n`)
  const { content } = await grep({ pattern: 'needle' })
  expect(content).toMatch(/1: …l{100,}needler{100,}…$/)
  expect(content.length).toBeLessThan(300)
})

it('I05: circles of links neither hang nor repeat files', async () => {
  await put('x.ts', 'needle\n')
  await symlink('.', join(world.cwd, 'loop'))
  await mkdir(join(world.cwd, 'a'))
  await symlink('..', join(world.cwd, 'a/up'))
  await put('a/y.ts', 'needle\n')
  expect((await glob({ pattern: '**/*.ts' })).content).toBe('a/y.ts\nx.ts')
  expect((await grep({ pattern: 'needle' })).metadata).toMatchObject({ matches: 2, files: 2 })
})

it('I08: $ stands before CRLF, and no carriage return is shown', async () => {
  await put('a', 'foo\r\nfoo bar\r\n')
  expect((await grep({ pattern: 'foo$' })).content).toBe('a\n    1: foo')
})

it('I08: Latin-1, UTF-16 and names with colons or newlines are read right', async () => {
  await put('latin', Buffer.from('caf\xe9 needle\n', 'latin1'))
  await put('wide', Buffer.from('\ufeffgrün needle\n', 'utf16le'))
  await put('a:1:b', 'needle\n')
  await put('new\nline', 'needle\n')
  expect((await grep({ pattern: 'needle' })).content).toBe(
    'a:1:b\n    1: needle\n\nlatin\n    1: café needle\n\n"new\\nline"\n    1: needle\n\nwide\n    1: grün needle',
  )
  expect((await glob({ pattern: '*' })).content).toBe('a:1:b\nlatin\n"new\\nline"\nwide')
})

it.each([
  ['(', 'unclosed group', 'escape it: \\('],
  ['{', 'repetition operator missing expression', 'escape it: \\{'],
  ['a[', 'unclosed character class', 'escape it: a\\['],
  ['foo(?=bar', '', 'escape it'],
])('I09: the pattern %s is refused with the words of the engine and a hint', async (pattern, words, hint) => {
  await put('a', 'x\n')
  const result = await grep({ pattern })
  expect(result).toMatchObject({ ok: false, error: 'TOOL_INPUT_INVALID' })
  expect(result.content).toContain(words)
  expect(result.content).toContain(hint)
})

it('I09: look-around and backreferences work, and the result says how', async () => {
  await put('a', 'foobar\nfoobaz\nxx\n')
  const ahead = await grep({ pattern: 'foo(?=bar)' })
  expect(ahead.content).toBe(
    'a\n    1: foobar\n\nThe pattern needs look-around or backreferences and was matched with PCRE2.',
  )
  expect(ahead.metadata).toMatchObject({ engine: 'pcre2' })
  expect((await grep({ pattern: '(x)\\1' })).metadata).toMatchObject({ matches: 1, engine: 'pcre2' })
})
