import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { escapePath, matchesPath, parsePathPattern, samplePath } from './path-glob.ts'
import { foldPath, isInside, placePath, relativePath, resolvePath } from './paths.ts'

const place = { cwd: '/home/ada/project', home: '/home/ada' }

function matches(pattern: string, path: string, fold = false): boolean {
  const parsed = parsePathPattern(pattern)
  if (!parsed.ok) throw new Error(parsed.problem)
  return matchesPath(parsed.pattern, resolvePath(place.cwd, path), place, fold)
}

describe('a path pattern', () => {
  test.each<[string, string[], string[]]>([
    ['src/**', ['src', 'src/a.ts', 'src/a/b/c.ts', 'src/.hidden/x'], ['srcx/a', 'lib/src/a', 'a', '/src/a', '.']],
    ['src/*', ['src/a.ts', 'src/.env'], ['src', 'src/a/b']],
    ['src/*.ts', ['src/a.ts', 'src/.ts'], ['src/a.tsx', 'src/b/a.ts']],
    ['**/*.test.ts', ['a.test.ts', 'src/a/b.test.ts'], ['a.ts', 'a.test.ts/b']],
    ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['a/bb', 'a/x/b/c']],
    ['**', ['.', 'a', 'a/b'], ['..', '../x', '/etc']],
    ['src', ['src', './src/', 'lib/../src'], ['src/a']],
    ['src/', ['src', 'src/a/b'], ['srcs']],
    ['./src/a', ['src/a'], []],
    ['../other/**', ['../other/x', '/home/ada/other'], ['other/x', '../others']],
    ['~/notes/**', ['/home/ada/notes', '/home/ada/notes/a/b'], ['notes/a', '/home/bob/notes/a']],
    ['~', ['/home/ada'], ['/home/ada/x']],
    ['/etc/*.conf', ['/etc/a.conf'], ['etc/a.conf', '/etc/b/a.conf']],
    ['//etc/hosts', ['/etc/hosts'], ['etc/hosts']],
    ['a?c', ['abc', 'aüc'], ['ac', 'abbc', 'a/c']],
    ['*a*b*', ['ab', 'xaxbx', 'aabb'], ['ba', 'xa', 'a/b']],
    ['src/*.{ts,tsx}', ['src/a.ts', 'src/a.tsx'], ['src/a.t', 'src/a.{ts,tsx}']],
    ['{src,test/{a,b}}/**', ['src/x', 'test/a/x', 'test/b'], ['test/c', 'a/x']],
    ['a{b}c', ['a{b}c'], ['abc']],
    ['[id].ts', ['[id].ts'], ['i.ts']],
    ['a\\*b', ['a*b'], ['axb']],
    ['a\\{b,c\\}', ['a{b,c}'], ['ab']],
  ])('%s', (pattern, yes, no) => {
    expect(yes.filter((path) => !matches(pattern, path))).toEqual([])
    expect(no.filter((path) => matches(pattern, path))).toEqual([])
  })

  test('near misses by case or by invisible characters match only where that is asked for', () => {
    for (const path of ['SECRET/a', 'ſecret/a', 'secre\u200bt/a', 'Secret/a']) {
      expect([path, matches('secret/**', path), matches('secret/**', path, true)]).toEqual([path, false, true])
    }
    expect(matches('caf\u00e9/*.TXT', 'cafe\u0301/a.txt', true)).toBe(true)
  })

  test.each<[string, string]>([
    ['', 'is empty'],
    ['~bob/x', 'only your own home'],
    ['a\\', 'ends in a backslash'],
    ['*/../x', '".." cannot follow a wildcard'],
    ['a\nb', 'line break'],
    ['{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}', 'more than 64'],
    ['a'.repeat(1001), 'longer than'],
  ])('%s is none', (pattern, problem) => {
    expect(parsePathPattern(pattern)).toEqual({ ok: false, problem: expect.stringContaining(problem) })
  })

  test('no pattern takes more than a moment on any path', () => {
    for (const pattern of [
      `${'*a'.repeat(300)}b`,
      `${'**/a/'.repeat(150)}b`,
      '?*'.repeat(400),
      `${'{'.repeat(400)}a,b`,
    ]) {
      const parsed = parsePathPattern(pattern)
      if (parsed.ok)
        expect(
          matchesPath(parsed.pattern, `/home/ada/project/${'a/'.repeat(1500)}${'a'.repeat(2000)}`, place, true),
        ).toBe(false)
    }
  }, 60_000)

  test('an escaped path is a pattern for exactly that path', () => {
    const name = fc.string({ unit: fc.constantFrom(...'ab*?{},\\[]~ .é'), minLength: 1, maxLength: 8 })
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'))
    fc.assert(
      fc.property(path, path, (one, other) => {
        const parsed = parsePathPattern(`/${escapePath(one)}`)
        if (!parsed.ok) throw new Error(parsed.problem)
        // Blanks at the end of a rule are not part of it.
        const said = resolvePath('/', one.trimEnd())
        expect(matchesPath(parsed.pattern, said, place, false)).toBe(true)
        if (resolvePath('/', other) !== said)
          expect(matchesPath(parsed.pattern, resolvePath('/', other), place, false)).toBe(false)
      }),
    )
  })

  test('its sample shows what it names by itself', () => {
    const sample = (source: string) => {
      const parsed = parsePathPattern(source)
      return parsed.ok ? samplePath(parsed.pattern, place) : null
    }
    expect(['**/.env', '~/.ssh/*', '/a/*.pem', 'src/**'].map(sample)).toEqual([
      '/home/ada/project/x/.env',
      '/home/ada/.ssh/x',
      '/a/x.pem',
      '/home/ada/project/src/x',
    ])
  })
})

describe('paths as text', () => {
  test('are resolved, compared and folded', () => {
    expect(resolvePath('/a/b', '../c/./d//e/')).toBe('/a/c/d/e')
    expect(resolvePath('/a', '/x/../../y')).toBe('/y')
    expect(placePath('~/x', place)).toBe('/home/ada/x')
    expect(placePath('~bob/x', place)).toBeNull()
    expect([isInside('/a/b', '/a/b'), isInside('/a/b', '/a/bc'), isInside('/', '/x')]).toEqual([true, false, true])
    expect([
      relativePath('/a', '/a'),
      relativePath('/a', '/a/b/c'),
      relativePath('/a', '/ab'),
      relativePath('/', '/x'),
    ]).toEqual(['', 'b/c', null, 'x'])
    expect(foldPath('/X/.G\u200cIT/ſ\u212a')).toBe('/x/.git/sk')
  })
})
