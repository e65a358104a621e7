import { execFileSync } from 'node:child_process'
import { chmod, mkdir, open, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callTool, prepareTool, type ToolTestContext, toolContext } from '../../fixtures/tool-context.ts'
import { asOrdinaryUser } from '../../fixtures/unprivileged.ts'
import { sha256 } from '../shared/file-version.ts'
import { readFileTool } from './tool.ts'

let world: ToolTestContext
beforeEach(async () => {
  world = await toolContext()
})
afterEach(() => world.cleanup())

const at = (name: string) => join(world.cwd, name)
const put = (name: string, content: string | Uint8Array) => writeFile(at(name), content)
const read = (input: object) => callTool(readFileTool, input, world.context)
const seen = (name: string) => world.context.files.get(at(name))

describe('a file is shown', () => {
  it('with line numbers, and noted as wholly read', async () => {
    await put('a.ts', 'one\n\ttwo\n\nfour')
    expect(await read({ path: 'a.ts' })).toMatchObject({
      ok: true,
      summary: 'read 4 lines of a.ts',
      content: '    1\tone\n    2\t\ttwo\n    3\t\n    4\tfour',
      metadata: {
        path: 'a.ts',
        hash: sha256('one\n\ttwo\n\nfour'),
        startLine: 1,
        endLine: 4,
        totalLines: 4,
        truncated: false,
      },
      blocks: [{ type: 'code', text: 'one\n\ttwo\n\nfour', path: 'a.ts', startLine: 1 }],
    })
    expect(seen('a.ts')).toEqual({ hash: sha256('one\n\ttwo\n\nfour'), whole: true })
  })

  it.each<[object, string, boolean]>([
    [{ offset: 2, limit: 2 }, '    2\tl2\n    3\tl3\n\n(lines 2–3 of 5; continue with offset 4)', false],
    [{ offset: 4 }, '    4\tl4\n    5\tl5\n\n(lines 4–5 of 5)', false],
    [{ limit: 1 }, '    1\tl1\n\n(lines 1–1 of 5; continue with offset 2)', false],
    [{ offset: 0, limit: 100 }, '    1\tl1\n    2\tl2\n    3\tl3\n    4\tl4\n    5\tl5', true],
  ])('in the range %j', async (range, content, whole) => {
    await put('f', 'l1\nl2\nl3\nl4\nl5\n')
    expect((await read({ path: 'f', ...range })).content).toBe(content)
    expect(seen('f')?.whole).toBe(whole)
  })

  it('up to 2000 lines at first', async () => {
    await put('f', Array.from({ length: 2500 }, (_, i) => `${i}\n`).join(''))
    const { content, metadata } = await read({ path: 'f' })
    expect(content).toMatch(/ 2000\t1999\n\n\(lines 1–2000 of 2500; continue with offset 2001\)$/)
    expect(metadata).toMatchObject({ startLine: 1, endLine: 2000, totalLines: 2500, truncated: true })
    expect(seen('f')?.whole).toBe(false)
  })

  it('up to what a result may cost, and never more than its tokens', async () => {
    await put('f', `${'字'.repeat(100)}\n`.repeat(1000))
    const { content, metadata } = await read({ path: 'f' })
    expect(content.length).toBeLessThanOrEqual(readFileTool.maxResultTokens)
    expect(metadata).toMatchObject({ totalLines: 1000, truncated: true })
    const { endLine } = metadata as { endLine: number }
    expect(endLine).toBeGreaterThan(200)
    expect(content).toContain(`continue with offset ${endLine + 1}`)
  })

  it('with over-long lines clipped, which is said', async () => {
    await put('f', `short\n${'x'.repeat(1999)}😀${'y'.repeat(3000)}\n`)
    const { content, metadata } = await read({ path: 'f' })
    expect(content).toContain(`${'x'.repeat(1999)}… [3001 more characters]`)
    expect(content).toContain('(clipped: line 2)')
    expect(content.isWellFormed()).toBe(true)
    expect(metadata).toMatchObject({ truncated: true })
    expect(seen('f')?.whole).toBe(false)
  })

  it.each<[string, string | Uint8Array, string]>([
    ['empty', '', '(the file is empty)'],
    ['only a newline', '\n', '    1\t'],
    ['CRLF', 'a\r\nb\r\n', '    1\ta\n    2\tb\n\n(line endings CRLF)'],
    ['Latin-1', Buffer.from('caf\xe9\n', 'latin1'), '    1\tcafé\n\n(windows-1252 (guessed: the bytes are not UTF-8))'],
    ['with byte order mark', '\ufeffa\n', '    1\ta\n\n(UTF-8 with byte order mark)'],
    ['UTF-16', Buffer.from('\ufeffgrün\n', 'utf16le'), '    1\tgrün\n\n(UTF-16LE with byte order mark)'],
  ])('%s', async (_, bytes, content) => {
    await put('f', bytes)
    expect(await read({ path: 'f' })).toMatchObject({ ok: true, content })
    expect(seen('f')).toEqual({ hash: sha256(bytes), whole: true })
  })

  it('whose size the system does not know', async () => {
    const { content } = await read({ path: '/proc/self/status' }).catch(() => ({ content: '' }))
    // There is no /proc on macOS.
    expect(content).toMatch(process.platform === 'linux' ? /^ {4}1\tName:/ : /does not exist/)
  })

  it('as the earlier edits of the reply left it: it is read when it is its turn', async () => {
    const prepared = await prepareTool(readFileTool, { path: 'new' }, world.context)
    await put('new', 'now\n')
    expect(await readFileTool.run(prepared.plan as never, world.context)).toMatchObject({ content: '    1\tnow' })
  })
})

describe('a large file', () => {
  const large = async (fill: (write: (text: string) => Promise<unknown>) => Promise<void>) => {
    const handle = await open(at('big'), 'w')
    await fill((text) => handle.write(text))
    await handle.close()
  }
  const numbered = async () =>
    large(async (write) => {
      for (let from = 1; from <= 700_000; from += 10_000) {
        await write(Array.from({ length: 10_000 }, (_, i) => `line ${from + i} größer\n`).join(''))
      }
    })

  it('is not read as a whole, but in ranges', async () => {
    await numbered()
    expect(await read({ path: 'big' })).toMatchObject({
      ok: false,
      content:
        'big is 15 MB, more than the 10 MB that are read at once. Read a part of it with read_file offset and limit, search it with grep, or process it with a command.',
    })
    const part = await read({ path: 'big', offset: 650_000, limit: 2 })
    expect(part.content).toBe(
      '650000\tline 650000 größer\n650001\tline 650001 größer\n\n(lines 650000–650001; continue with offset 650002; part of a file of 15 MB, which is too large for edit_file)',
    )
    expect(part.metadata).toEqual({
      path: 'big',
      hash: null,
      startLine: 650_000,
      endLine: 650_001,
      totalLines: null,
      truncated: true,
    })
    expect(seen('big')).toBeUndefined()
    expect((await read({ path: 'big', offset: 699_999, limit: 50 })).content).toContain(
      '(lines 699999–700000 of 700000;',
    )
    expect((await read({ path: 'big', offset: 700_001 })).content).toBe(
      'big has 700000 lines; offset 700001 is past its end.',
    )
  })

  it('may be a single line', async () => {
    await large(async (write) => {
      for (let i = 0; i < 12; i++) await write('x'.repeat(1_000_000))
    })
    expect((await read({ path: 'big', limit: 1 })).content).toContain(`${'x'.repeat(2000)}… [11998000 more characters]`)
  })

  it('of binary data is refused', async () => {
    await put('big', Buffer.alloc(11_000_000))
    expect((await read({ path: 'big', limit: 1 })).content).toContain(
      'big is binary data (11 MB), which cannot be shown as text.',
    )
  })

  it('is left when the call is interrupted', async () => {
    await numbered()
    const controller = new AbortController()
    const running = callTool(
      readFileTool,
      { path: 'big', offset: 699_000 },
      { ...world.context, signal: controller.signal },
    )
    controller.abort()
    expect(await running).toMatchObject({ ok: false, error: 'USER_ABORTED' })
  })
})

describe('a read is refused', () => {
  it.each<[string, Uint8Array, string]>([
    [
      'an image',
      Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1'),
      'f is PNG image (10 bytes), which cannot be shown as text.',
    ],
    ['bytes', Buffer.from([1, 0, 2]), 'f is binary data (3 bytes), which cannot be shown as text.'],
    ['UTF-16 without mark', Buffer.from('hello', 'utf16le'), 'f is UTF-16 text without a byte order mark (10 bytes)'],
  ])('for %s', async (_, bytes, message) => {
    await put('f', bytes)
    const result = await read({ path: 'f' })
    expect(result).toMatchObject({ ok: false, content: expect.stringContaining(message) })
    expect(result.content).toContain('xxd')
    expect(seen('f')).toBeUndefined()
  })

  it('for a folder, a pipe and a device, without waiting', async () => {
    await mkdir(at('d'))
    execFileSync('mkfifo', [at('p')])
    expect((await read({ path: 'd' })).content).toBe('d is a folder, not a file. Use list_dir to see what is in it.')
    expect((await read({ path: 'p' })).content).toContain('p is a named pipe, not a file.')
    expect((await read({ path: '/dev/zero' })).content).toContain('/dev/zero is a device, not a file.')
  })

  it('for a missing file, with the names that are like it', async () => {
    await mkdir(at('src'))
    await put('src/cart.ts', '')
    await put('src/card.ts', '')
    await put('src/zebra.md', '')
    expect((await read({ path: 'src/cart.js' })).content).toBe(
      'src/cart.js does not exist. Similar in src: cart.ts, card.ts.',
    )
    expect((await read({ path: 'src/CART.TS' })).content).toMatch(/Similar in src: cart\.ts|^ {4}1|empty/)
    expect((await read({ path: 'scr/lib/x.ts' })).content).toBe(
      'scr/lib/x.ts does not exist. There is no scr in the workspace root. Similar in the workspace root: src/.',
    )
    expect((await read({ path: 'src/q' })).content).toBe(
      'src/q does not exist. Use glob or list_dir to find the right path.',
    )
  })

  it('past the end', async () => {
    await put('f', 'a\n')
    expect(await read({ path: 'f', offset: 2 })).toMatchObject({
      ok: false,
      error: 'TOOL_INPUT_INVALID',
      content: 'f has 1 line; offset 2 is past its end.',
    })
  })

  it('where the file system forbids it', async () => {
    await put('f', 'a\n')
    await chmod(at('f'), 0o000)
    const result = await asOrdinaryUser(dirname(world.cwd), () => read({ path: 'f' }))
    expect(result.content).toContain('Cannot read f: permission denied by the file system.')
  })

  it('when the path leads elsewhere since it was permitted', async () => {
    await mkdir(at('d'))
    await put('d/f', 'a\n')
    const result = await callTool(readFileTool, { path: 'e/f' }, world.context, {
      whileAsked: () => symlink('d', at('e')),
    })
    expect(result).toMatchObject({ ok: false, metadata: { stale: true } })
  })
})

it('asks to read the file behind a link', async () => {
  await put('f', 'a\n')
  await symlink('f', at('link'))
  expect(await prepareTool(readFileTool, { path: 'link', offset: 3, limit: 4 }, world.context)).toMatchObject({
    title: 'f:3-6',
    needs: [{ type: 'path', access: 'read', path: at('f'), shown: 'f', inside: true }],
    fingerprint: `read ${at('f')} 3 4`,
  })
})
