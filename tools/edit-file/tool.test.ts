import { execFileSync } from 'node:child_process'
import { link, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callTool, prepareTool, type ToolTestContext, toolContext } from '../../fixtures/tool-context.ts'
import { readFileTool } from '../read-file/tool.ts'
import { sha256 } from '../shared/file-version.ts'
import { editFileTool } from './tool.ts'

let world: ToolTestContext
beforeEach(async () => {
  world = await toolContext()
})
afterEach(() => world.cleanup())

const at = (name: string) => join(world.cwd, name)
const text = (name: string) => readFile(at(name), 'utf8')
async function given(name: string, content: string | Uint8Array) {
  await writeFile(at(name), content)
  await callTool(readFileTool, { path: name }, world.context)
}
const input = (path: string, ...pairs: [string, string][]) => ({
  path,
  edits: pairs.map(([old_text, new_text]) => ({ old_text, new_text })),
})
const edit = (path: string, ...pairs: [string, string][]) =>
  callTool(editFileTool, input(path, ...pairs), world.context)

describe('an edit', () => {
  it('answers with an EditResult, the diff and what was really applied', async () => {
    await given('a.ts', 'one\ntwo\nthree\n')
    const result = await edit('a.ts', ['two', 'TWO\n2'])
    const [oldHash, newHash] = [sha256('one\ntwo\nthree\n'), sha256('one\nTWO\n2\nthree\n')]
    const diff = '--- a/a.ts\n+++ b/a.ts\n@@ -1,3 +1,4 @@\n one\n-two\n+TWO\n+2\n three\n'
    expect(result).toMatchObject({
      ok: true,
      summary: 'edited a.ts (+2 −1)',
      content: `edited a.ts (+2 −1).\n${diff.trimEnd()}`,
      applied: result.prepared?.fingerprint,
    })
    expect(result.metadata).toEqual({
      path: 'a.ts',
      diff,
      oldHash,
      newHash,
      changedLines: 3,
      verification: { readBack: true, expectedTextFound: true },
    })
    expect(result.prepared).toMatchObject({
      title: 'a.ts',
      needs: [{ type: 'path', access: 'write', path: at('a.ts'), shown: 'a.ts', inside: true }],
      fingerprint: `write ${at('a.ts')} ${oldHash} -> ${newHash}`,
      blocks: [{ type: 'diff', diff: { path: 'a.ts', change: 'edit', additions: 2, deletions: 1, oldHash, newHash } }],
      writes: [{ path: at('a.ts'), bytes: Buffer.from('one\nTWO\n2\nthree\n'), hash: newHash }],
    })
    expect(world.context.files.get(at('a.ts'))).toEqual({ hash: newHash, whole: true })
    expect(await text('a.ts')).toBe('one\nTWO\n2\nthree\n')
  })

  it('writes inside a span of its own', async () => {
    await given('a.ts', 'one\n')
    await edit('a.ts', ['one', 'two'])
    expect(world.spans).toMatchObject([
      { name: 'fs.atomic_write', status: 'ok', attributes: { path: 'a.ts', bytes: 4, how: 'replace' } },
    ])
  })

  it('prepares without touching anything', async () => {
    await given('a.ts', 'one\n')
    const { mtimeMs, ino } = await stat(at('a.ts'))
    await prepareTool(editFileTool, input('a.ts', ['one', 'two']), world.context)
    expect(await stat(at('a.ts'))).toMatchObject({ mtimeMs, ino })
    expect(await readdir(world.cwd)).toEqual(['a.ts'])
    expect(await text('a.ts')).toBe('one\n')
  })

  it('of several passages is one change, or none', async () => {
    await given('a.ts', 'one\ntwo\nthree\n')
    expect((await edit('a.ts', ['one', '1'], ['1\ntwo', '1\n2'])).metadata).toMatchObject({ changedLines: 4 })
    expect(await text('a.ts')).toBe('1\n2\nthree\n')
    const failed = await edit('a.ts', ['1', 'x'], ['absent', 'y'])
    expect(failed).toMatchObject({ ok: false, content: expect.stringMatching(/^edits\[1\]: old_text was not found/) })
    expect(await text('a.ts')).toBe('1\n2\nthree\n')
  })

  it('creates a file when old_text is empty, with folders and further edits', async () => {
    const result = await edit('new/b.ts', ['', 'one\ntwo\n'], ['two', 'three'])
    expect(result).toMatchObject({ ok: true, summary: 'created new/b.ts (+2 −0)', metadata: { oldHash: null } })
    expect(result.prepared).toMatchObject({
      fingerprint: `write ${at('new/b.ts')} absent -> ${sha256('one\nthree\n')}`,
      blocks: [{ diff: { change: 'create' } }],
    })
    expect(await text('new/b.ts')).toBe('one\nthree\n')
    expect(world.context.files.get(at('new/b.ts'))?.whole).toBe(true)
  })

  it('keeps hard links, a missing final newline and a stored encoding', async () => {
    await given('f', Buffer.from('\ufeffgrün\r\nblau', 'utf16le'))
    await link(at('f'), at('g'))
    expect((await edit('f', ['blau', 'rot\n→'])).ok).toBe(true)
    expect(await readFile(at('g'))).toEqual(Buffer.from('\ufeffgrün\r\nrot\r\n→', 'utf16le'))
    expect((await stat(at('f'))).nlink).toBe(2)
  })

  it('says in the diff that a file is stored in another encoding', async () => {
    await given('f', Buffer.from('caf\xe9\n', 'latin1'))
    expect((await edit('f', ['caf', 'CAF'])).blocks).toMatchObject([
      { type: 'diff', diff: { note: 'stored as windows-1252 (guessed: the bytes are not UTF-8)' } },
    ])
  })

  it('keeps what the model knows of the file: a part stays a part', async () => {
    await writeFile(at('f'), 'a\nb\nc\n')
    await callTool(readFileTool, { path: 'f', limit: 1 }, world.context)
    expect((await edit('f', ['b', 'B'])).ok).toBe(true)
    expect(world.context.files.get(at('f'))?.whole).toBe(false)
  })

  it('shows a long diff to the model in part, and whole in the metadata', async () => {
    await given('f', 'x\n'.repeat(400))
    const result = await callTool(
      editFileTool,
      { path: 'f', edits: [{ old_text: 'x', new_text: 'y', replace_all: true }] },
      world.context,
    )
    expect(result.content).toMatch(/… \d+ more lines of this diff$/)
    expect((result.metadata as { diff: string }).diff.match(/^\+y$/gm)).toHaveLength(400)
  })
})

describe('calls of one reply', () => {
  it('build on each other before the first has run', async () => {
    await given('a.ts', 'one\n')
    const first = await prepareTool(editFileTool, input('a.ts', ['one', 'two']), world.context)
    for (const file of first.writes ?? []) world.planned.set(file.path, file)
    const second = await prepareTool(editFileTool, input('a.ts', ['two', 'three']), world.context)
    expect(second.blocks).toMatchObject([{ diff: { hunks: [{ lines: [{ text: 'two' }, { text: 'three' }] }] } }])
    for (const step of [first, second]) {
      expect(await editFileTool.run(step.plan as never, world.context)).toMatchObject({ ok: true })
    }
    expect(await text('a.ts')).toBe('three\n')
  })

  it('do not write over what an earlier one failed to prepare', async () => {
    await given('a.ts', 'one\n')
    const first = await prepareTool(editFileTool, input('a.ts', ['one', 'two']), world.context)
    for (const file of first.writes ?? []) world.planned.set(file.path, file)
    const second = await prepareTool(editFileTool, input('a.ts', ['two', 'three']), world.context)
    await expect(editFileTool.run(second.plan as never, world.context)).rejects.toMatchObject({
      metadata: { stale: true },
    })
    expect(await text('a.ts')).toBe('one\n')
  })

  it('see a file as missing that an earlier one deletes', async () => {
    await given('a.ts', 'one\n')
    world.planned.set(at('a.ts'), { path: at('a.ts'), bytes: null, hash: null })
    await expect(prepareTool(editFileTool, input('a.ts', ['one', 'two']), world.context)).rejects.toThrow(
      'a.ts has been deleted since it was read',
    )
  })
})

describe('an edit is refused', () => {
  it('for a file that was not read', async () => {
    await writeFile(at('a.ts'), 'one\n')
    expect(await edit('a.ts', ['one', 'two'])).toMatchObject({
      ok: false,
      content: 'a.ts has not been read in this session. Read it with read_file first, then repeat the call.',
      metadata: { unread: true },
    })
  })

  it('for a missing file, with similar names, and for one that was deleted', async () => {
    await given('cart.ts', 'one\n')
    expect((await edit('card.ts', ['one', 'two'])).content).toContain('Similar in the workspace root: cart.ts.')
    await rm(at('cart.ts'))
    expect((await edit('cart.ts', ['one', 'two'])).content).toContain('cart.ts has been deleted since it was read')
  })

  it.each<[string, [string, string][], string]>([
    ['an empty old_text', [['', 'x']], 'old_text is empty, but a.ts exists'],
    ['the same text', [['one', 'one']], 'no change: old_text and new_text are the same'],
    [
      'edits that undo each other',
      [
        ['one', 'two'],
        ['two', 'one'],
      ],
      'No change: a.ts has exactly this content already',
    ],
  ])('for %s', async (_, pairs, message) => {
    await given('a.ts', 'one\n')
    expect(await edit('a.ts', ...pairs)).toMatchObject({ ok: false, content: expect.stringContaining(message) })
  })

  it('for folders, binary files and paths below files', async () => {
    await mkdir(at('d'))
    await writeFile(at('b'), Buffer.from([0, 1, 2]))
    world.context.files.note(at('b'), { hash: sha256(Buffer.from([0, 1, 2])), whole: true })
    expect((await edit('d', ['a', 'b'])).content).toContain('d is a folder, not a file.')
    expect((await edit('b', ['a', 'b'])).content).toContain('b is binary data, which cannot be edited as text.')
    expect((await edit('b/c', ['', 'b'])).content).toContain('a part of the path is a file')
  })

  it('when a folder became a link to somewhere else in the meantime', async () => {
    await mkdir(at('d'))
    await mkdir(at('e'))
    await given('d/f', 'one\n')
    await writeFile(at('e/f'), 'one\n')
    const whileAsked = async () => {
      await rename(at('d'), at('moved'))
      await symlink('e', at('d'))
    }
    const result = await callTool(editFileTool, input('d/f', ['one', 'two']), world.context, { whileAsked })
    expect(result).toMatchObject({ ok: false, metadata: { stale: true } })
    expect([await text('e/f'), await text('moved/f')]).toEqual(['one\n', 'one\n'])
  })
})

describe('a person changes the proposal', () => {
  const old = 'a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n'
  const proposed = input('f', ['a', 'A'], ['j', 'J\nK'])
  const amended = (amendment: object) => callTool(editFileTool, proposed, world.context, { amendment })

  it('by keeping one hunk, and the model hears which', async () => {
    await given('f', old)
    const result = await amended({ selection: { f: { 1: true } } })
    expect(await text('f')).toBe(old.replace('j\n', 'J\nK\n'))
    expect(result).toMatchObject({
      ok: true,
      summary: 'edited f (+2 −1, as changed by the person)',
      metadata: { newHash: sha256(old.replace('j\n', 'J\nK\n')), changedLines: 3 },
      applied: `write ${at('f')} ${sha256(old)} -> ${sha256(old.replace('j\n', 'J\nK\n'))}`,
    })
    expect(result.content).toMatch(
      /accepted only a part\. This was applied:\n[\s\S]*\+J\n\+K\nThis was NOT applied[\s\S]*-a\n\+A\n/,
    )
    expect(result.blocks).toMatchObject([{ diff: { additions: 2, deletions: 1 } }])
  })

  it('by keeping single lines', async () => {
    await given('f', old)
    await amended({ selection: { f: { 1: [3, 4] } } })
    expect(await text('f')).toBe(old.replace('j\n', 'J\n'))
  })

  it('by writing something else, and the model gets their change as a diff', async () => {
    await given('f', old)
    const result = await amended({ editedText: { f: 'mine\n' } })
    expect(await text('f')).toBe('mine\n')
    expect(result.content).toContain('The person edited your proposal before it was applied. Their changes to it:')
    expect(result.content).toContain('-A\n')
    expect(result.content).toContain('+mine')
  })

  it('by writing something else and keeping a part of it', async () => {
    await given('f', old)
    const mine = old.replace('a\n', '1\n').replace('j\n', '10\n')
    const result = await amended({ editedText: { f: mine }, selection: { f: { 0: true } } })
    expect(await text('f')).toBe(old.replace('a\n', '1\n'))
    expect(result.content).toContain('Their changes to it:')
    expect(result.content).toContain('This was NOT applied')
  })

  it('in a CRLF file, whose endings stay whatever the editor of the person does', async () => {
    await given('f', old.replaceAll('\n', '\r\n'))
    await amended({ editedText: { f: 'A\nb\n' } })
    expect(await text('f')).toBe('A\r\nb\r\n')
  })

  it('by writing one hunk anew and leaving another out, and the model hears both', async () => {
    await given('f', old)
    const result = await amended({ editedText: { 'f@@0': '1\nb\nc\nd' }, selection: { f: { 0: true } } })
    expect(await text('f')).toBe(old.replace('a\n', '1\n'))
    expect(result.content).toMatch(/Their changes to it:\n[\s\S]*-A\n\+1\n/)
    expect(result.content).toContain('hunk 1 (@@ -1,4 +1,4 @@): applied\nhunk 2 (@@ -7,4 +7,5 @@): NOT applied')
  })

  it('by keeping nothing, which is a no', async () => {
    await given('f', old)
    const result = await amended({ selection: { f: {} } })
    expect(result).toMatchObject({ ok: false, error: 'TOOL_PERMISSION_DENIED' })
    expect(await text('f')).toBe(old)
  })

  it('but not by choosing parts that were never shown', async () => {
    await given('f', old)
    const result = await amended({ selection: { f: { 0: true, 7: true } } })
    expect(result).toMatchObject({
      ok: false,
      content: expect.stringContaining('names a part that the change of f does not have'),
    })
    expect(await text('f')).toBe(old)
  })

  it('and is still held to the version that they saw', async () => {
    await given('f', old)
    const result = await callTool(editFileTool, proposed, world.context, {
      amendment: { selection: { f: { 0: true } } },
      whileAsked: () => writeFile(at('f'), `${old}more\n`),
    })
    expect(result).toMatchObject({ ok: false, metadata: { stale: true } })
    expect(await text('f')).toBe(`${old}more\n`)
  })
})

it('gives diffs that git applies', async () => {
  const git = (args: string[], stdin?: string) =>
    execFileSync('git', args, { cwd: world.cwd, encoding: 'utf8', input: stdin ?? '' })
  git(['init', '-q'])
  await given('f', 'one\r\ntwo\r\nthree')
  const result = await edit('f', ['two\nthree', 'TWO\nthree\nfour'])
  const after = await text('f')
  await writeFile(at('f'), 'one\r\ntwo\r\nthree')
  git(['apply', '-'], (result.metadata as { diff: string }).diff)
  expect(await text('f')).toBe(after)
})
