import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callTool, prepareTool, type ToolTestContext, toolContext } from '../../fixtures/tool-context.ts'
import { editFileTool } from '../edit-file/tool.ts'
import { readFileTool } from '../read-file/tool.ts'
import { sha256 } from '../shared/file-version.ts'
import { writeFileTool } from './tool.ts'

let world: ToolTestContext
beforeEach(async () => {
  world = await toolContext()
})
afterEach(() => world.cleanup())

const at = (name: string) => join(world.cwd, name)
const text = (name: string) => readFile(at(name), 'utf8')
const write = (path: string, content: string) => callTool(writeFileTool, { path, content }, world.context)
const read = (path: string) => callTool(readFileTool, { path }, world.context)

describe('write_file', () => {
  it('creates a file exactly as it was sent', async () => {
    const content = 'a\r\nb\nc\t$& \\n\n\n'
    const result = await write('x/y.txt', content)
    expect(result).toMatchObject({ ok: true, summary: 'created x/y.txt (+4 −0)', content: 'created x/y.txt (+4 −0).' })
    expect(result.metadata).toMatchObject({
      path: 'x/y.txt',
      oldHash: null,
      newHash: sha256(content),
      changedLines: 4,
      verification: { readBack: true, expectedTextFound: true },
    })
    expect(await text('x/y.txt')).toBe(content)
  })

  it('creates an empty file', async () => {
    expect(await write('empty', '')).toMatchObject({ ok: true, metadata: { changedLines: 0, diff: '' } })
    expect(await text('empty')).toBe('')
  })

  it('replaces a file that was wholly read, again and again', async () => {
    await writeFile(at('f'), 'old\n')
    await read('f')
    expect(await write('f', 'new\n')).toMatchObject({ ok: true, summary: 'wrote f (+1 −1)' })
    expect((await write('f', 'newer\n')).ok).toBe(true)
    expect(await text('f')).toBe('newer\n')
  })

  it('writes LF, CRLF and mixtures as sent, unless the old file had CRLF throughout and the new text has none', async () => {
    const cases: [string, string, string][] = [
      ['a\r\nb\r\n', 'x\ny\n', 'x\r\ny\r\n'],
      ['a\r\nb\r\n', 'x\r\ny\n', 'x\r\ny\n'],
      ['a\r\nb\n', 'x\ny\n', 'x\ny\n'],
      ['a\nb\n', 'x\r\ny\r\n', 'x\r\ny\r\n'],
      ['a\n', 'x\ny\n', 'x\ny\n'],
    ]
    for (const [old, sent, written] of cases) {
      await writeFile(at('f'), old)
      await read('f')
      expect((await write('f', sent)).ok).toBe(true)
      expect(await text('f')).toBe(written)
    }
  })

  it.each<[string, (() => Promise<unknown>) | null, string]>([
    ['a file that was not read', null, 'f has not been read in this session.'],
    ['the same content', () => read('f'), 'No change: f has exactly this content already.'],
  ])('refuses %s', async (_, before, message) => {
    await writeFile(at('f'), 'old\n')
    await before?.()
    expect(await write('f', 'old\n')).toMatchObject({ ok: false, content: expect.stringContaining(message) })
  })

  it('refuses a folder', async () => {
    await mkdir(at('d'))
    expect((await write('d', 'x')).content).toContain('d is a folder, not a file.')
    expect((await write('new/', 'x')).content).toBe('new/ names a folder. Give the path of the file in it.')
  })

  it('writes nothing after an interruption', async () => {
    const controller = new AbortController()
    const context = { ...world.context, signal: controller.signal }
    const whileAsked = () => controller.abort()
    const result = await callTool(writeFileTool, { path: 'n', content: 'x' }, context, { whileAsked })
    expect(result).toMatchObject({ ok: false, error: 'USER_ABORTED' })
    expect(await readdir(world.cwd)).toEqual([])
  })

  it('creates a file again that was deleted by hand', async () => {
    await writeFile(at('f'), 'old\n')
    await read('f')
    await rm(at('f'))
    expect(await write('f', 'old\n')).toMatchObject({ ok: true, summary: 'created f (+1 −0)' })
  })

  it('may replace in one reply what the reply creates, but not what was read in part only', async () => {
    const first = await prepareTool(writeFileTool, { path: 'n', content: 'one\n' }, world.context)
    for (const file of first.writes ?? []) world.planned.set(file.path, file)
    expect((await prepareTool(writeFileTool, { path: 'n', content: 'two\n' }, world.context)).blocks).toMatchObject([
      { diff: { change: 'edit' } },
    ])
    await writeFile(at('f'), 'a\nb\n')
    await callTool(readFileTool, { path: 'f', limit: 1 }, world.context)
    const edits = [{ old_text: 'a', new_text: 'A' }]
    const edited = await prepareTool(editFileTool, { path: 'f', edits }, world.context)
    for (const file of edited.writes ?? []) world.planned.set(file.path, file)
    await expect(prepareTool(writeFileTool, { path: 'f', content: 'x\n' }, world.context)).rejects.toThrow(
      'Only a part of f has been read',
    )
  })

  it('lets a person keep a part of a new file', async () => {
    const result = await callTool(writeFileTool, { path: 'n', content: 'a\nb\n' }, world.context, {
      amendment: { selection: { n: { 0: [0] } } },
    })
    expect(result.ok).toBe(true)
    expect(await text('n')).toBe('a\n')
    expect(result.content).toContain('This was NOT applied')
  })

  it('wants both of its parts', async () => {
    expect(await callTool(writeFileTool, { file_path: 'f', content: 'x' }, world.context)).toMatchObject({
      ok: false,
      error: 'TOOL_INPUT_INVALID',
      content: '`path` is missing: it must be a string; `file_path` was sent, did you mean `path`?',
    })
  })
})
