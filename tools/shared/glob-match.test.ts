import { execFileSync } from 'node:child_process'
import { rgPath } from '@vscode/ripgrep'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ToolTestContext, toolContext } from '../../fixtures/tool-context.ts'
import { globMatcher } from './glob-match.ts'

const paths = [
  'a.ts',
  'b.tsx',
  '.env',
  'src/a.ts',
  'src/a.test.ts',
  'src/b.js',
  'src/deep/a.ts',
  'src/deep/er/c.ts',
  'src/.hidden/d.ts',
  'test/a.ts',
  'test/src/a.ts',
  'app/x-1.md',
  'app/x-2.md',
  'app/y.md',
  'a+b(c).ts',
  'sp ace.ts',
  'UP.TS',
]

describe('agrees with ripgrep where no file is ignored', () => {
  let world: ToolTestContext
  beforeAll(async () => {
    world = await toolContext({ files: Object.fromEntries(paths.map((path) => [path, ''])) })
  })
  afterAll(() => world.cleanup())

  it.each([
    '*.ts',
    '*',
    '**',
    '**/*.ts',
    '**/a.ts',
    'src/*.ts',
    '/a.ts',
    '/src/*.ts',
    'src/**',
    'src/**/*.ts',
    'src/**/a.ts',
    '**/src/**',
    '*/a.ts',
    '*.{ts,tsx}',
    '{src,test}/*.ts',
    '{src,test}/**/*.{js,ts}',
    'src/{deep,deep/er}/*.ts',
    '?.ts',
    'src/?.js',
    'app/x-[12].md',
    'app/x-[!1].md',
    'app/[xy]*.md',
    'a+b(c).ts',
    'a+b\\(c\\).ts',
    'sp ace.ts',
    '.env',
    '.*',
    '!*.ts',
    '!src/**',
    '*.test.*',
    'src/a**.ts',
    'nothing/*.ts',
    '*.TS',
  ])('%s', (pattern) => {
    const args = ['--no-config', '--hidden', '--files', `--glob=${pattern}`, './']
    let listed = ''
    try {
      listed = execFileSync(rgPath, args, { cwd: world.cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    } catch (error) {
      // Without a match the exit code is 1.
      if ((error as { status?: number }).status !== 1) throw error
    }
    const expected = listed
      .split('\n')
      .filter(Boolean)
      .map((path) => path.slice(2))
    expect(paths.filter(globMatcher(pattern)).sort()).toEqual(expected.sort())
  })
})

it.each<[string, string, boolean]>([
  ['./src/*.ts', 'src/a.ts', true],
  ['src/', 'src/deep/a.ts', true],
  ['app/[id]/page.tsx', 'app/[id]/page.tsx', true],
  ['app/[id]/page.tsx', 'app/i/page.tsx', true],
  ['app/[...slug]/*.ts', 'app/[...slug]/a.ts', true],
  ['a{b', 'a{b', true],
  ['a}b', 'a}b', true],
  ['[z-a]', 'b', false],
  ['{**/a,b}.ts', 'x/y/a.ts', true],
  ['a\\', 'a\\', true],
  ['--x', '--x', true],
  ['-*', 'deep/-x', true],
  ['*a*a*a*a*a*a*a*b', 'a'.repeat(200), false],
  ['**/*a/**/*a/**/*a/**/*a/**/b', 'xa/'.repeat(60), false],
  ['**/a*/**/b/*c', 'q/ax/r/b/q/b/xc', true],
  ['{a,{b,c}d}.ts', 'cd.ts', true],
  ['{a,{b,c}d}.ts', 'ad.ts', false],
  ['x{a', 'x{a', true],
  ['{a,b', '{a,b', true],
])('%s on %s is %s', (pattern, path, expected) => {
  expect(globMatcher(pattern)(path)).toBe(expected)
})
