import { execFileSync } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { callTool, type ToolTestContext, toolContext } from '../../fixtures/tool-context.ts'
import { listDirTool } from './tool.ts'

let world: ToolTestContext
beforeEach(async () => {
  world = await toolContext()
})
afterEach(() => world.cleanup())

const at = (name: string) => join(world.cwd, name)
const list = (input: object) => callTool(listDirTool, input, world.context)

it('lists names in order with folders, sizes, links and pipes', async () => {
  await mkdir(at('src'))
  await writeFile(at('b.txt'), 'x'.repeat(12_345))
  await writeFile(at('.env'), '')
  await writeFile(at('one'), '1')
  await writeFile(at('line\nbreak'), '')
  await symlink('../gone', at('link'))
  execFileSync('mkfifo', [at('pipe')])
  expect(await list({})).toMatchObject({
    ok: true,
    summary: '7 entries in .',
    content: [
      '.env  0 bytes',
      'b.txt  12 kB',
      '"line\\nbreak"  0 bytes',
      'link -> ../gone',
      'one  1 byte',
      'pipe  (named pipe)',
      'src/',
    ].join('\n'),
    metadata: { path: '.', entries: 7, truncated: false },
  })
})

it('shows 500 entries and counts the others', async () => {
  await Promise.all(Array.from({ length: 503 }, (_, i) => writeFile(at(`f${String(i).padStart(3, '0')}`), '')))
  const result = await list({ path: '.' })
  expect(result).toMatchObject({ summary: '503 entries in .', metadata: { entries: 503, truncated: true } })
  expect(result.content.split('\n').slice(-2)).toEqual([
    'f499  0 bytes',
    '… 3 more of 503 entries: use glob with a pattern to find what you need.',
  ])
})

it('says what is not a folder', async () => {
  await mkdir(at('empty'))
  await writeFile(at('f'), '')
  expect((await list({ path: 'empty' })).content).toBe('(the folder is empty)')
  expect((await list({ path: 'f' })).content).toBe('f is a file, not a folder. Use read_file to see it.')
  expect((await list({ path: 'emty' })).content).toBe('emty does not exist. Similar in the workspace root: empty/.')
})

it('asks to read the folder', async () => {
  expect((await list({ path: '..' })).prepared?.needs).toMatchObject([{ access: 'read', inside: false }])
})
