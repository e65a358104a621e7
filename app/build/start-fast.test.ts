/** The patched libraries behave as the originals, and a library that changed stops the build. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { oneColumn } from './one-column.ts'
import { sanitizePatch, startFast, stringWidthPatch, yogaPatch } from './start-fast.ts'

const root = resolve(import.meta.dirname, '../..')
const ink = createRequire(join(root, 'app', 'package.json')).resolve('ink')
const fromInk = (name: string) => createRequire(ink).resolve(name)

type StringWidth = (text: string, options?: { ambiguousIsNarrow?: boolean; countAnsiEscapeCodes?: boolean }) => number

describe('what Ink cleans texts with', () => {
  const path = join(dirname(ink), 'sanitize-ansi.js')
  const source = readFileSync(path, 'utf8')
  const load = async (text: string) => {
    const file = join(mkdtempSync(join(tmpdir(), 'sluice-sanitize-')), 'index.mjs')
    const absolute = text.replace(/from '(\.[^']*)'/g, (_, name: string) => {
      return `from ${JSON.stringify(pathToFileURL(join(dirname(path), name)).href)}`
    })
    // Its source map stays where the original is.
    writeFileSync(file, absolute.replace(/^\/\/# sourceMappingURL=.*$/m, ''))
    return (await import(pathToFileURL(file).href)).default as (text: string) => string
  }

  test('gives the same for any text, the first time and the second', async () => {
    const [original, patched] = await Promise.all([load(source), load(sanitizePatch.rewrite(source))])
    const piece = fc.oneof(
      fc.constantFrom(
        '\x1b[31m',
        '\x1b[4:3m',
        '\x1b[2J',
        '\x1b]8;;x\x07',
        '\x9b1m',
        '\u0301',
        '\t',
        '\n',
        '\r',
        '\0',
        '\x7f',
        'é漢',
      ),
      fc.string({ unit: 'binary', maxLength: 6 }),
      fc.string({ maxLength: 6 }),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (parts) => {
        const text = parts.join('')
        expect([patched(text), patched(text)]).toEqual([original(text), original(text)])
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('string-width', () => {
  const path = fromInk('string-width')
  const load = async (source: string) => {
    const file = join(mkdtempSync(join(tmpdir(), 'sluice-width-')), 'index.mjs')
    const absolute = source.replace(/from '([^'.][^']*)'/g, (_, name: string) => {
      return `from ${JSON.stringify(pathToFileURL(createRequire(path).resolve(name)).href)}`
    })
    writeFileSync(file, absolute)
    return (await import(pathToFileURL(file).href)).default as StringWidth
  }
  const source = readFileSync(path, 'utf8')

  test('measures every character and every pair with a neighbour as the original does', async () => {
    const [original, patched] = await Promise.all([load(source), load(stringWidthPatch.rewrite(source))])
    const different: string[] = []
    const fast = new RegExp(`^[${oneColumn}]$`)
    let fastOnes = 0
    for (let code = 0; code <= 0x2fff; code++) {
      const char = String.fromCodePoint(code)
      if (fast.test(char)) fastOnes++
      for (const text of [char, `a${char}`, `${char}│`, `${char}\ufe0f`, `1${char}\u20e3`])
        for (const ambiguousIsNarrow of [true, false])
          if (original(text, { ambiguousIsNarrow }) !== patched(text, { ambiguousIsNarrow })) different.push(text)
    }
    expect(different).toEqual([])
    expect(fastOnes).toBeGreaterThan(1000)
  })

  test('measures any text as the original does', async () => {
    const [original, patched] = await Promise.all([load(source), load(stringWidthPatch.rewrite(source))])
    const piece = fc.constantFrom(
      'a',
      '│',
      '…',
      '❯',
      'é',
      'e\u0301',
      '👨‍👩‍👧',
      '漢',
      '\x1b[31m',
      '🇩🇪',
      '©',
      '\u00ad',
      '☺️',
      '\t',
      'ﾞ',
    )
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(piece).map((parts) => parts.join('')),
    )
    fc.assert(fc.property(text, (value) => patched(value) === original(value)))
  })
})

describe('yoga-layout', () => {
  test('computes a layout from the bytes in the bundle, without fetch', async () => {
    const outfile = join(mkdtempSync(join(tmpdir(), 'sluice-yoga-')), 'yoga.mjs')
    await build({
      stdin: {
        contents: `
          globalThis.fetch = () => { throw new Error('fetched') }
          const { default: Yoga } = await import('yoga-layout')
          const node = Yoga.Node.create()
          node.setWidth(31)
          node.calculateLayout()
          export const width = node.getComputedWidth()`,
        resolveDir: dirname(ink),
      },
      bundle: true,
      format: 'esm',
      platform: 'node',
      outfile,
      logLevel: 'silent',
      plugins: [startFast([yogaPatch])],
    })
    const fetch = globalThis.fetch
    try {
      expect((await import(pathToFileURL(outfile).href)).width).toBe(31)
    } finally {
      globalThis.fetch = fetch
    }
  })
})

describe('the build stops', () => {
  const bundle = (files: Record<string, string>) => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-patch-')))
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    return build({
      entryPoints: [join(folder, 'main.js')],
      bundle: true,
      write: false,
      logLevel: 'silent',
      plugins: [startFast([stringWidthPatch])],
    })
  }

  test('when a library no longer holds what is replaced', async () => {
    await expect(
      bundle({
        'main.js': "import './node_modules/string-width/index.js'",
        'node_modules/string-width/index.js': 'export default (text) => text.length',
      }),
    ).rejects.toThrow(/string-width is not the version that app\/build\/start-fast\.ts was written for: .*should hold/)
  })

  test('when a library is not in the bundle any more', async () => {
    await expect(bundle({ 'main.js': 'export const a = 1' })).rejects.toThrow(
      /string-width is no longer part of the bundle/,
    )
  })
})
