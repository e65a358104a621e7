/** That a line whose syntax is still known is judged as one that was never seen. */
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'unbash'
import { afterAll, expect, test } from 'vitest'
import { commandNeeds } from './needs.ts'
import { remembering } from './parsed-lines.ts'

const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-lines-')))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

test('every line of the cases has the same needs the second time', async () => {
  for (const line of lines()) {
    const first = await commandNeeds(line, cwd)
    expect(await commandNeeds(line, cwd), line.slice(0, 200)).toEqual(first)
  }
})

test('a link that was put between two looks at the same line is seen', async () => {
  const [before] = await commandNeeds('cat notes', cwd)
  symlinkSync('/etc', join(cwd, 'notes'))
  const [after] = await commandNeeds('cat notes', cwd)
  expect([before?.leads, after?.leads]).toEqual([undefined, [{ word: 'notes', path: '/etc' }]])
})

test('long lines are not kept, and many short ones push each other out', () => {
  let read = 0
  const counting = remembering((source) => {
    read++
    return parse(source)
  })
  for (const line of ['ls', 'ls', 'x'.repeat(9000), 'x'.repeat(9000)]) counting(line)
  expect(read).toBe(3)
  for (let at = 0; at < 10; at++) counting(`echo ${at} ${'y'.repeat(4000)}`)
  counting('ls')
  expect(read).toBe(14)
})

function lines(): string[] {
  return ['shell-commands', 'shell-siblings']
    .flatMap((name) => readFileSync(new URL(`../../fixtures/cases/${name}.jsonl`, import.meta.url), 'utf8').split('\n'))
    .flatMap((row) => (row === '' ? [] : [(JSON.parse(row) as { command: string }).command]))
    .filter((line) => line.length < 131_000)
}
