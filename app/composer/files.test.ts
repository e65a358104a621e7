import { describe, expect, test } from 'vitest'
import { createFileCompleter } from './files.ts'

const signal = new AbortController().signal
const paths = ['src/cart.ts', 'src/cart.test.ts', 'src/lib/money round.ts', 'README.md', 'package.json']

describe('file completion', () => {
  test('offers what lies nearest to the root before anything is typed', async () => {
    const complete = createFileCompleter(async () => paths)
    expect(await complete('', signal)).toEqual(['README.md', 'package.json', 'src/'])
  })

  test('finds by letters in order, paths with blanks and folders too', async () => {
    const complete = createFileCompleter(async () => paths)
    expect((await complete('cart', signal))[0]).toBe('src/cart.ts')
    expect(await complete('mround', signal)).toEqual(['src/lib/money round.ts'])
    expect(await complete('lib', signal)).toContain('src/lib/')
    expect(await complete('zzz', signal)).toEqual([])
  })

  test('reads the list once for many queries, and again when it is old', async () => {
    let reads = 0
    let now = 0
    const complete = createFileCompleter(
      async () => {
        reads++
        return reads === 1 ? paths : [...paths, 'new.ts']
      },
      { now: () => now, maxAgeMs: 100 },
    )
    await Promise.all([complete('a', signal), complete('b', signal)])
    expect(reads).toBe(1)
    now = 500
    // The old list answers at once; the new one is there for the next query.
    expect(await complete('new', signal)).toEqual([])
    await new Promise((resolve) => setImmediate(resolve))
    expect(await complete('new', signal)).toEqual(['new.ts'])
    expect(reads).toBe(2)
  })

  test('a list that could not be read is asked for again', async () => {
    let reads = 0
    const complete = createFileCompleter(async () => {
      if (++reads === 1) throw new Error('not yet')
      return paths
    })
    await expect(complete('cart', signal)).rejects.toThrow('not yet')
    expect((await complete('cart', signal)).length).toBe(2)
  })

  test('thirty thousand files answer at once', async () => {
    const many = Array.from({ length: 30_000 }, (_, index) => `packages/p${index % 300}/src/module-${index}.ts`)
    const complete = createFileCompleter(async () => many)
    const found = await complete('module-29999', signal)
    expect(found[0]).toBe('packages/p299/src/module-29999.ts')
    expect(found.length).toBeLessThanOrEqual(50)
  })
})
