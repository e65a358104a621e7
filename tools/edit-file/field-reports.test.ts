/** Ways in which editing tools have damaged people's files; none of them may happen here. */
import { execFileSync } from 'node:child_process'
import { chmod, lstat, mkdir, readFile, readlink, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { callTool, type ToolTestContext, toolContext } from '../../fixtures/tool-context.ts'
import { readFileTool } from '../read-file/tool.ts'
import { writeFileTool } from '../write-file/tool.ts'
import { editFileTool } from './tool.ts'

let world: ToolTestContext
beforeEach(async () => {
  world = await toolContext()
})
afterEach(() => world.cleanup())

const latin = (text: string) => Buffer.from(text, 'latin1')
const at = (name: string) => join(world.cwd, name)
const bytesOf = async (name: string) => (await readFile(at(name))).toString('latin1')

/** Puts a file there and reads it as the model would. */
async function given(name: string, bytes: string | Uint8Array, read: object = {}) {
  await writeFile(at(name), typeof bytes === 'string' ? latin(bytes) : bytes)
  await callTool(readFileTool, { path: name, ...read }, world.context)
}

const edit = (path: string, old_text: string, new_text: string, more: object = {}) =>
  callTool(editFileTool, { path, edits: [{ old_text, new_text, ...more }] }, world.context)
const write = (path: string, content: string) => callTool(writeFileTool, { path, content }, world.context)

it('C01: $& and its friends are inserted as they are, also for every place', async () => {
  await given('f', 'log("done");\nlog("done");\n')
  const result = await edit('f', 'log("done");', 'log("$& $$ $1 $` $\'");', { replace_all: true })
  expect(result.ok).toBe(true)
  expect(await bytesOf('f')).toBe('log("$& $$ $1 $` $\'");\nlog("$& $$ $1 $` $\'");\n')
})

it('C02: an edit of an ASCII line keeps a byte that is no UTF-8', async () => {
  await given('f', 'const x = 1;\n// caf\xe9\n')
  expect((await edit('f', 'x = 1', 'x = 2')).ok).toBe(true)
  expect(await bytesOf('f')).toBe('const x = 2;\n// caf\xe9\n')
})

it('C02: a character that the file cannot store is refused and the file stays', async () => {
  await given('f', 'const x = 1;\n// caf\xe9\n')
  const result = await edit('f', 'x = 1', 'x = "→"')
  expect(result).toMatchObject({ ok: false, content: expect.stringContaining('no character for → (U+2192)') })
  expect(await bytesOf('f')).toBe('const x = 1;\n// caf\xe9\n')
})

it('C03: the byte order mark survives an edit at the start and a whole overwrite', async () => {
  await given('f.cs', '\xef\xbb\xbfusing X;\n')
  expect((await edit('f.cs', 'using X;', 'using Y;')).ok).toBe(true)
  expect(await bytesOf('f.cs')).toBe('\xef\xbb\xbfusing Y;\n')
  expect((await write('f.cs', 'using Z;\n')).content).toContain('UTF-8 with byte order mark')
  expect(await bytesOf('f.cs')).toBe('\xef\xbb\xbfusing Z;\n')
  expect((await write('f.cs', '\ufeffusing Q;\n')).ok).toBe(true)
  expect(await bytesOf('f.cs')).toBe('\xef\xbb\xbfusing Q;\n')
})

it('C04: a CRLF file is matched by LF text and new lines get CRLF', async () => {
  await given('f', 'a\r\nb\r\nc\r\n')
  expect((await edit('f', 'a\nb', 'a\nX')).ok).toBe(true)
  expect(await bytesOf('f')).toBe('a\r\nX\r\nc\r\n')
  expect((await edit('f', 'X', 'X\nY\nZ')).ok).toBe(true)
  expect(await bytesOf('f')).toBe('a\r\nX\r\nY\r\nZ\r\nc\r\n')
})

it('C04: an overwrite with LF text keeps CRLF throughout, and says so', async () => {
  await given('f', 'a\r\nb\r\n')
  expect((await write('f', 'a\nB\n')).content).toContain("The file's CRLF line endings were kept.")
  expect(await bytesOf('f')).toBe('a\r\nB\r\n')
})

it('C05: an LF file stays LF, and git sees one changed line', async () => {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: world.cwd, encoding: 'utf8' })
  git('init', '-q')
  await given('f', 'one\ntwo\nthree\n')
  git('add', '.')
  git('commit', '-qm', 'x')
  expect((await edit('f', 'one\r\ntwo', 'one\r\nTWO')).ok).toBe(true)
  expect(await bytesOf('f')).toBe('one\nTWO\nthree\n')
  expect(git('diff', '--stat')).toMatch(/1 insertion\(\+\), 1 deletion\(-\)/)
})

it('C06: mixed line endings and lone carriage returns outside the change stay', async () => {
  await given('f', 'a\r\nb\nc\rd\n')
  expect((await edit('f', 'b', 'B')).ok).toBe(true)
  expect(await bytesOf('f')).toBe('a\r\nB\nc\rd\n')
})

it('C07: the executable bit survives', async () => {
  await given('s.sh', '#!/bin/sh\necho hi\n')
  await chmod(at('s.sh'), 0o755)
  expect((await edit('s.sh', 'hi', 'ho')).ok).toBe(true)
  expect((await write('s.sh', '#!/bin/sh\n')).ok).toBe(true)
  expect((await stat(at('s.sh'))).mode & 0o7777).toBe(0o755)
})

it('C08: a write through a symbolic link changes its target and keeps the link', async () => {
  await given('real', 'a\n')
  await symlink('real', at('link'))
  expect((await write('link', 'b\n')).ok).toBe(true)
  expect((await lstat(at('link'))).isSymbolicLink()).toBe(true)
  expect(await readlink(at('link'))).toBe('real')
  expect(await bytesOf('real')).toBe('b\n')
})

it('C08: permission is asked for the place a link leads to', async () => {
  const elsewhere = join(world.cwd, '..', 'elsewhere')
  await mkdir(elsewhere)
  await symlink(elsewhere, at('linked'))
  const result = await write('linked/new.txt', 'x')
  const path = join(elsewhere, 'new.txt')
  expect(result.prepared?.needs).toEqual([{ type: 'path', access: 'write', path, shown: path, inside: false }])
})

it('C09: a new file gets 0666 without the umask, an existing one keeps its mode', async () => {
  const before = process.umask(0o002)
  try {
    expect((await write('new.txt', 'x')).ok).toBe(true)
    expect((await stat(at('new.txt'))).mode & 0o777).toBe(0o664)
    await given('private.txt', 'x')
    await chmod(at('private.txt'), 0o640)
    expect((await write('private.txt', 'y')).ok).toBe(true)
    expect((await stat(at('private.txt'))).mode & 0o777).toBe(0o640)
  } finally {
    process.umask(before)
  }
})

it('C14: a file that changed since it was read is refused before anything happens', async () => {
  await given('f', 'mine\n')
  await writeFile(at('f'), 'mine\nuser\n')
  for (const result of [await write('f', 'model\n'), await edit('f', 'mine', 'model')]) {
    expect(result).toMatchObject({ ok: false, metadata: { stale: true } })
    expect(result.content).toContain('has changed on disk since it was read')
    expect(result.content).toContain('Read it again')
    expect(result.prepared).toBeUndefined()
  }
  expect(await bytesOf('f')).toBe('mine\nuser\n')
})

it('C14: own writes are the new baseline, and a touched time alone is no change', async () => {
  await given('f', 'one\n')
  expect((await edit('f', 'one', 'two')).ok).toBe(true)
  await utimes(at('f'), new Date(), new Date(Date.now() + 60_000))
  expect((await edit('f', 'two', 'three')).ok).toBe(true)
  expect((await write('f', 'four\n')).ok).toBe(true)
  expect(await bytesOf('f')).toBe('four\n')
})

it('C15: a change made while the person decides is kept, and a new call offers a new diff', async () => {
  await given('f', 'one\n')
  const whileAsked = () => writeFile(at('f'), 'one\nuser\n')
  const edits = [{ old_text: 'one', new_text: 'two' }]
  const refused = await callTool(editFileTool, { path: 'f', edits }, world.context, { whileAsked })
  expect(refused).toMatchObject({ ok: false, metadata: { stale: true } })
  expect(await bytesOf('f')).toBe('one\nuser\n')
  await callTool(readFileTool, { path: 'f' }, world.context)
  const again = await callTool(editFileTool, { path: 'f', edits }, world.context)
  expect(again.ok).toBe(true)
  expect(await bytesOf('f')).toBe('two\nuser\n')
})

it('C15: a file that appears or goes while the person decides is not overwritten', async () => {
  const input = { path: 'n', content: 'model' }
  const appeared = await callTool(writeFileTool, input, world.context, {
    whileAsked: () => writeFile(at('n'), 'user'),
  })
  expect(appeared).toMatchObject({ ok: false, content: expect.stringContaining('created by someone else') })
  expect(await bytesOf('n')).toBe('user')
})

it('C17: a partial read does not permit a whole overwrite', async () => {
  const text = Array.from({ length: 500 }, (_, i) => `line ${i + 1}\n`).join('')
  await given('f', text, { offset: 1, limit: 10 })
  const result = await write('f', 'short\n')
  expect(result).toMatchObject({ ok: false, metadata: { partial: true } })
  expect(await bytesOf('f')).toBe(text)
  expect((await edit('f', 'line 3\n', 'LINE 3\n')).ok).toBe(true)
  expect((await write('f', 'short\n')).ok).toBe(false)
  await callTool(readFileTool, { path: 'f' }, world.context)
  expect((await write('f', 'short\n')).ok).toBe(true)
})

it('C17: a clipped line does not count as read', async () => {
  await given('f', `${'x'.repeat(5000)}\nshort\n`)
  expect(await write('f', 'all new\n')).toMatchObject({ ok: false, metadata: { partial: true } })
})

it('C18: a block with another interior is no match', async () => {
  const text = 'func f() int {\n\tx := 1\n\ty := 2\n\treturn x + y\n}\n'
  await given('f.go', text)
  const result = await edit(
    'f.go',
    'func f() int {\n\tx := 1\n\ty := 99\n\treturn x + y\n}',
    'func f() int { return 3 }',
  )
  expect(result.ok).toBe(false)
  expect(result.content).toContain('Line 3 differs')
  expect(result.content).toContain('"\\ty := 2"')
  expect(await bytesOf('f.go')).toBe(text)
})

it('C19: an edit that matches through a typographic blank leaves the rest of the line alone', async () => {
  await given('f.ts', Buffer.from('A\u00a0B = 3; // （最大３回） — 設定\n'))
  expect((await edit('f.ts', 'A B = 3', 'A_B = 5')).ok).toBe(true)
  expect(await readFile(at('f.ts'), 'utf8')).toBe('A_B = 5; // （最大３回） — 設定\n')
})

it('C19: also inside the passage, what the edit does not change keeps its own characters', async () => {
  await given('f.ts', Buffer.from('// “stay” — here\nlet a = 1 // it’s\n// — end\n'))
  const result = await edit(
    'f.ts',
    '// "stay" - here\nlet a = 1 // it\'s\n// - end',
    '// "stay" - here\nlet b = 2 // it\'s\n// - end',
  )
  expect(result.ok).toBe(true)
  expect(await readFile(at('f.ts'), 'utf8')).toBe('// “stay” — here\nlet b = 2 // it’s\n// — end\n')
})

it('C21: backslash and n are written as two characters, with a warning', async () => {
  const written = await write('f', 'a\\nb')
  expect(await bytesOf('f')).toBe('a\\nb')
  expect(written.content).toContain('Warning: content has no line break but holds the two characters \\n')
  await given('g', 'x\n')
  expect((await edit('g', 'x', 'if (a) {\\n  b()\\n}')).content).toContain('Warning: edits[0].new_text')
  await given('h', 'x\n')
  expect((await edit('h', 'x', 'printf("a\\n")')).content).not.toContain('Warning')
})

it('C22: entities are neither decoded nor encoded', async () => {
  expect((await write('f', '&amp;&lt;')).ok).toBe(true)
  expect(await bytesOf('f')).toBe('&amp;&lt;')
  expect((await stat(at('f'))).size).toBe(9)
  expect((await edit('f', '&lt;', '<&quot;>')).ok).toBe(true)
  expect(await bytesOf('f')).toBe('&amp;<&quot;>')
})
