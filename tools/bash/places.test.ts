// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what looks like a placeholder is shell code
/** Where words of commands lead, on a real disk; and that the names known here are all that the judge guards. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { judge } from '../../engine/permission/index.ts'
import { protectedNames } from '../../engine/permission/protected-paths.ts'
import { guardedNames, mayBeGuarded } from './guarded-names.ts'
import { commandNeeds } from './needs.ts'

let root: string
let cwd: string

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-places-')))
  cwd = join(root, 'work')
  for (const folder of ['.git', 'src', 'deep/sub', '../out']) mkdirSync(join(cwd, folder), { recursive: true })
  for (const file of ['a.txt', '.git/config', '.env', 'src/x.ts', 'src/y.ts', '../out/pw']) {
    writeFileSync(join(cwd, file), '')
  }
  symlinkSync('.git/config', join(cwd, 'gc'))
  symlinkSync(join(root, 'out'), join(cwd, 'out'))
  symlinkSync('../a.txt', join(cwd, 'src', 'ok'))
  symlinkSync('missing/../.env', join(cwd, 'dangling'))
  symlinkSync('loop', join(cwd, 'loop'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const short = (path: string) => path.replace(`${cwd}/`, '').replace(root, 'ROOT')

test.each([
  ['cat a.txt src/x.ts nothing', []],
  ['cat gc', ['.git/config']],
  ['cat ./src/../gc', ['.git/config']],
  ['cat out/pw', ['ROOT/out/pw']],
  ['cat out/../x', ['ROOT/x']],
  ['cat out/new/file', ['ROOT/out/new/file']],
  ['cat --file=gc', ['.git/config']],
  ['cat src/ok', ['a.txt']],
  ['cat dangling', ['.env']],
  ['x -vgc', ['.git/config']],
  ['x -v gc:/data', ['.git/config']],
  ['touch .g?t/config', ['.git', '.git/config']],
  ['touch src/*.ts', []],
  ['touch {.git,y}/config', ['.git/config']],
  ['for d in src .git; do touch $d/config; done', ['.git/config']],
  ['for d in src deep; do touch $d/config; done', []],
  ['echo x > gc', ['.git/config']],
  ['cd src && touch ok', ['a.txt']],
  ['cd src && touch ../gc', ['.git/config']],
  ['rm -r deep/..', ['.git']],
  ['cp -r src deep', []],
])('%s', async (line, expected) => {
  const needs = await commandNeeds(line, cwd)
  const paths = needs.flatMap(({ leads = [] }) => leads.map(({ path }) => (path === cwd ? '.' : short(path))))
  expect([...new Set(paths)].sort()).toEqual([...expected].sort())
})

test('a circle of links leaves a hazard, so that no rule covers it', async () => {
  const [need] = await commandNeeds('cat loop', cwd)
  expect(need?.hazards).toEqual(['where loop leads cannot be told'])
})

test('every name that the judge guards is known here', () => {
  const { folders, files } = protectedNames()
  const known = new Set(guardedNames.map((name) => name.toLowerCase()))
  expect([...folders, ...files].filter((name) => !known.has(name))).toEqual([])
  expect([...folders, ...files, ...guardedNames].filter((name) => !mayBeGuarded(`x/${name}`))).toEqual([])
})

/** Nobody keeps yolo mode on that asks about these. */
test.each([
  'npm test -- --run',
  'rm -rf node_modules dist',
  'rm -rf "$TMPDIR/x"',
  'rm -r src/*',
  'for f in src/*.ts; do sed -i s/a/b/ "$f"; done',
  'grep -rl foo src | xargs sed -i s/a/b/',
  'find . -name "*.pyc" -delete',
  'find . -name "*.ts" -not -path "./.git/*" -exec sed -i s/a/b/ {} +',
  'find . -type f | grep -v "/.git/" | xargs touch',
  'find . -type f | wc -l',
  'find . -type f | xargs grep -l foo',
  'find src -type f -exec sed -i s/a/b/ {} +',
  'find . -name node_modules -prune -o -type f -exec touch {} +',
  'cp src/* deep && mv src/*.ts deep/sub',
  'git add -A && git commit -m "msg $(date)"',
  'git config user.name',
  'git config --get a.b',
  'cp -r src build && cd build && touch made',
  'echo x > $OUT && cat a > b.$ext && touch a$i',
  'x=$(git rev-parse HEAD); echo $x > sha',
  'tar xzf a.tgz && unzip -q b.zip',
  'cd "$(git rev-parse --show-toplevel)" && npm test',
  'cat <<EOF > notes\nabout .git and $x\nEOF',
  'docker run -v $PWD:/work img',
  '[ -d .git ] && echo yes',
  'mkdir $x && cd $x && touch file',
])('yolo runs %s unasked', async (command) => {
  const needs = await commandNeeds(command, cwd)
  const ruling = judge(
    { tool: 'bash', kind: 'execute', needs, mode: 'yolo', rules: [] },
    { cwd, home: '/home/ada', trusted: true },
  )
  expect([ruling.verdict, ruling.reason]).toEqual(['allow', 'yolo mode allows it'])
})
