import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Span } from '@sluice/engine/ports'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { asOrdinaryUser } from '../../fixtures/unprivileged.ts'
import { sha256 } from './file-version.ts'
import { type WantedFile, writeTogether } from './write-together.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function place(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-together-')))
  folders.push(folder)
  return folder
}

/** A span that does something to the world when the nth step of a name begins. */
function spanThat(act: (name: string, nth: number) => void): Span {
  const counts = new Map<string, number>()
  const span: Span = {
    id: 'span',
    child(name) {
      const nth = counts.get(name) ?? 0
      counts.set(name, nth + 1)
      act(name, nth)
      return span
    },
    set: () => {},
    end: () => {},
  }
  return span
}

const quiet = spanThat(() => {})
const signal = new AbortController().signal
const wanted = (path: string, from: string | null, to: string): WantedFile => ({
  path,
  shown: path,
  bytes: Buffer.from(to),
  expectedHash: from === null ? null : sha256(from),
})
const textOf = (path: string) => (existsSync(path) && statSync(path).isFile() ? readFileSync(path, 'utf8') : null)
const leftovers = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.sluice-'))

describe('several files', () => {
  it('are all written: new ones in new folders, replaced ones with their mode, hard links kept', async () => {
    const at = place()
    for (const name of ['a', 'b', 'c']) writeFileSync(join(at, name), name)
    chmodSync(join(at, 'a'), 0o751)
    linkSync(join(at, 'b'), join(at, 'other'))
    symlinkSync('c', join(at, 'link'))
    const files = [
      wanted(join(at, 'a'), 'a', 'A'),
      wanted(join(at, 'b'), 'b', 'B'),
      wanted(join(at, 'link'), 'c', 'C'),
      wanted(join(at, 'x/y/d'), null, 'D'),
    ]
    expect(await writeTogether(files, { span: quiet, signal })).toBe(null)
    expect(['a', 'b', 'other', 'c', 'x/y/d'].map((name) => textOf(join(at, name)))).toEqual(['A', 'B', 'B', 'C', 'D'])
    expect(statSync(join(at, 'a')).mode & 0o7777).toBe(0o751)
    expect(leftovers(at)).toEqual([])
  })

  it('name every one that is not the right version, and nothing is written', async () => {
    const at = place()
    for (const name of ['a', 'b', 'c']) writeFileSync(join(at, name), name)
    const files = [
      wanted(join(at, 'a'), 'a', 'A'),
      wanted(join(at, 'b'), 'other', 'B'),
      wanted(join(at, 'c'), null, 'C'),
    ]
    const out = await writeTogether(files, { span: quiet, signal })
    expect(out?.map(({ failure }) => failure?.metadata)).toEqual([
      undefined,
      { stale: true, now: { path: join(at, 'b'), hash: sha256('b') } },
      { stale: true, now: { path: join(at, 'c'), hash: sha256('c') } },
    ])
    expect(['a', 'b', 'c'].map((name) => textOf(join(at, name)))).toEqual(['a', 'b', 'c'])
  })

  it('are not written after an interruption', async () => {
    const at = place()
    writeFileSync(join(at, 'a'), 'a')
    const files = [wanted(join(at, 'a'), 'a', 'A'), wanted(join(at, 'new/b'), null, 'B')]
    const out = await writeTogether(files, { span: quiet, signal: AbortSignal.abort() })
    expect(out?.[0]?.failure?.code).toBe('USER_ABORTED')
    expect([textOf(join(at, 'a')), readdirSync(at)]).toEqual(['a', ['a']])
  })

  it('leave alone what somebody else wrote over one of them before it could be put back', async () => {
    const at = place()
    for (const name of ['a', 'b']) writeFileSync(join(at, name), name)
    const span = spanThat((name, nth) => {
      if (name !== 'fs.replace' || nth !== 1) return
      writeFileSync(join(at, 'a'), 'theirs')
      unlinkSync(join(at, 'b'))
      mkdirSync(join(at, 'b'))
    })
    const out = await writeTogether([wanted(join(at, 'a'), 'a', 'A'), wanted(join(at, 'b'), 'b', 'B')], {
      span,
      signal,
    })
    expect(textOf(join(at, 'a'))).toBe('theirs')
    expect(out?.[0]?.state).toContain('changed by someone else since')
  })
})

type Trouble = 'folder' | 'gone' | 'changed' | 'read-only folder' | 'read-only file' | 'appeared'
const troubles: Trouble[] = ['folder', 'gone', 'changed', 'read-only folder', 'read-only file', 'appeared']

/** What somebody else does to one file; returns what it holds then, or undefined where that does not change. */
function make(trouble: Trouble, path: string): string | null | undefined {
  switch (trouble) {
    case 'folder':
      rmSync(path, { force: true, recursive: true })
      mkdirSync(path, { recursive: true })
      return null
    case 'gone':
      rmSync(path, { force: true, recursive: true })
      return null
    case 'changed':
    case 'appeared':
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, 'theirs')
      return 'theirs'
    case 'read-only folder':
      if (existsSync(dirname(path))) chmodSync(dirname(path), 0o500)
      return undefined
    case 'read-only file':
      if (existsSync(path)) chmodSync(path, 0o400)
      return undefined
  }
}

const kinds = fc.array(fc.constantFrom('old', 'linked', 'new'), { minLength: 2, maxLength: 5 })
const moments = fc.record({
  step: fc.constantFrom('fs.check', 'fs.stage', 'fs.replace'),
  nth: fc.nat(5),
  victim: fc.nat(4),
  trouble: fc.constantFrom(...troubles),
})

it('whatever happens to one of them at whatever moment, the others are all old or all new', async () => {
  const seen = { old: 0, fresh: 0 }
  const root = place()
  await asOrdinaryUser(root, () =>
    fc.assert(
      fc.asyncProperty(kinds, fc.array(moments, { minLength: 1, maxLength: 2 }), async (all, happenings) => {
        const at = mkdtempSync(join(root, 'case-'))
        // Each in a folder of its own, so that one folder's trouble is one file's.
        const paths = all.map((_, i) => join(at, `d${i}`, 'file'))
        for (const [i, path] of paths.entries()) {
          mkdirSync(dirname(path))
          if (all[i] !== 'new') writeFileSync(path, `old ${i}`)
          if (all[i] === 'linked') linkSync(path, join(at, `link${i}`))
        }
        const touched = new Map<number, string | null | undefined>()
        const span = spanThat((name, nth) => {
          for (const { step, nth: when, victim, trouble } of happenings) {
            const index = victim % paths.length
            if (name !== step || nth !== when || touched.has(index)) continue
            try {
              touched.set(index, make(trouble, paths[index] as string))
            } catch {
              // Two troubles in one place; the first one counts.
            }
          }
        })
        const files = paths.map((path, i) => wanted(path, all[i] === 'new' ? null : `old ${i}`, `new ${i}`))
        const out = await writeTogether(files, { span, signal })
        for (const i of paths.keys()) chmodSync(join(at, `d${i}`), 0o700)
        const states = paths.map((path, i) => {
          const text = textOf(path)
          if (touched.get(i) !== undefined) return 'theirs'
          if (text === `new ${i}`) return 'new'
          return text === (all[i] === 'new' ? null : `old ${i}`) ? 'old' : `broken: ${text}`
        })
        const ours = new Set(states.filter((state) => state !== 'theirs'))
        const notPutBack = out?.some((one) => one.written) ?? false
        if (!notPutBack) expect([...ours].length, states.join(', ')).toBeLessThanOrEqual(1)
        if (ours.has('new') && !notPutBack) expect(out).toBe(null)
        if (out === null) seen.fresh++
        else seen.old++
        for (const [i, kind] of all.entries()) {
          if (kind !== 'linked') continue
          const text = readFileSync(join(at, `link${i}`), 'utf8')
          expect([`old ${i}`, `new ${i}`, 'theirs']).toContain(text)
        }
        // From a folder that has become read-only nothing can be taken away any more.
        const locked = happenings.some(({ trouble }) => trouble === 'read-only folder')
        if (!notPutBack && !locked) expect(leftovers(at)).toEqual([])
      }),
      { numRuns: 150 },
    ),
  )
  expect(seen.old).toBeGreaterThan(20)
  expect(seen.fresh).toBeGreaterThan(5)
})

const mounted = tryMount()

describe.skipIf(mounted === null)('a disk that is full', () => {
  it('leaves all files as they were', async () => {
    const at = mounted as string
    try {
      writeFileSync(join(at, 'a'), 'a')
      writeFileSync(join(at, 'b'), 'b')
      linkSync(join(at, 'b'), join(at, 'also-b'))
      const big = 'x'.repeat(300_000)
      const files = [
        wanted(join(at, 'a'), 'a', big),
        wanted(join(at, 'new'), null, big),
        wanted(join(at, 'b'), 'b', big),
        wanted(join(at, 'more'), null, big),
      ]
      for (const order of [files, [...files].reverse()]) {
        const out = await writeTogether(order, { span: quiet, signal })
        expect(out?.some(({ failure }) => failure?.metadata.errno === 'ENOSPC')).toBe(true)
        expect(['a', 'b', 'also-b', 'new', 'more'].map((name) => textOf(join(at, name)))).toEqual([
          'a',
          'b',
          'b',
          null,
          null,
        ])
        expect(leftovers(at)).toEqual([])
      }
      // Full only once the first files are in place.
      const span = spanThat((name, nth) => {
        if (name === 'fs.replace' && nth === 1) fill(join(at, 'filler'))
      })
      const some = [wanted(join(at, 'a'), 'a', 'A'), wanted(join(at, 'b'), 'b', 'B'.repeat(9_000))]
      const out = await writeTogether(some, { span, signal })
      expect([textOf(join(at, 'a')), textOf(join(at, 'b')), out === null]).toEqual(['a', 'b', false])
    } finally {
      execFileSync('umount', [at])
    }
  })
})

function fill(path: string): void {
  try {
    for (;;) appendFileSync(path, 'z'.repeat(4_096))
  } catch {
    // That was the aim.
  }
}

/** A small file system of memory; null where this may not be had (it takes root and the right to mount). */
function tryMount(): string | null {
  if (process.geteuid?.() !== 0) return null
  const at = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-full-')))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', at], { stdio: 'ignore' })
    return at
  } catch {
    return null
  }
}
