import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callTool, prepareTool, type ToolTestContext, toolContext } from '../../fixtures/tool-context.ts'
import { asOrdinaryUser } from '../../fixtures/unprivileged.ts'
import { windowAround } from './matches.ts'
import { grepTool } from './tool.ts'

let world: ToolTestContext
beforeEach(async () => {
  world = await toolContext({
    files: {
      'src/a.ts': 'import x\nconst total = 1\n\nexport { total }\n',
      'src/deep/b.ts': '\tconst total = 2 // 你好\n',
      'src/c.md': 'total\n',
      '.hidden/d.ts': 'total\n',
      '.git/config': 'total\n',
      '.gitignore': '*.log\nbuild/\n',
      'x.log': 'total\n',
      'build/e.ts': 'total\n',
    },
  })
})
afterEach(() => world.cleanup())

const grep = (input: object) => callTool(grepTool, input, world.context)

describe('grep', () => {
  it('lists matching lines below their files, in order, without ignored files and .git', async () => {
    expect(await grep({ pattern: 'total' })).toMatchObject({
      ok: true,
      summary: '5 matches in 4 files',
      content: [
        '.hidden/d.ts',
        '    1: total',
        '',
        'src/a.ts',
        '    2: const total = 1',
        '    4: export { total }',
        '',
        'src/c.md',
        '    1: total',
        '',
        'src/deep/b.ts',
        '    1: \tconst total = 2 // 你好',
      ].join('\n'),
      metadata: { path: '.', matches: 5, files: 4, truncated: false, engine: 'default' },
    })
  })

  it.each<[object, string[]]>([
    [{ glob: '*.md' }, ['src/c.md']],
    [{ glob: '**/*.ts' }, ['.hidden/d.ts', 'src/a.ts', 'src/deep/b.ts']],
    [{ glob: 'src/*.ts' }, ['src/a.ts']],
    [{ glob: '!src/**' }, ['.hidden/d.ts']],
    [{ glob: 'src/**' }, ['src/a.ts', 'src/c.md', 'src/deep/b.ts']],
    [{ glob: '*.{md,log}' }, ['src/c.md']],
    [{ glob: '*.log' }, []],
    [{ path: 'src/deep' }, ['src/deep/b.ts']],
    [{ path: 'src', glob: '*.ts' }, ['src/a.ts', 'src/deep/b.ts']],
    [{ path: 'src', glob: 'deep/*' }, ['src/deep/b.ts']],
    [{ path: 'src/c.md' }, ['src/c.md']],
    [{ path: 'x.log' }, ['x.log']],
    [{ path: 'build' }, ['build/e.ts']],
  ])('searches %j only', async (more, files) => {
    const { content } = await grep({ pattern: 'total', ...more })
    expect(content.split('\n').filter((line) => /^[\w.]+\/?[\w./]*$/.test(line))).toEqual(files)
  })

  it('says where it found nothing', async () => {
    expect(await grep({ pattern: 'absent', path: 'src', glob: '*.ts' })).toMatchObject({
      ok: true,
      summary: 'no match in src (*.ts)',
      content: 'No match in src (*.ts). Files that .gitignore excludes were not searched.',
    })
  })

  it('stops at 200 lines and says that there are more; exactly 200 are all', async () => {
    await writeFile(join(world.cwd, 'many'), 'needle\n'.repeat(201))
    expect(await grep({ pattern: 'needle' })).toMatchObject({
      summary: '200 matches in 1 file, and more',
      metadata: { truncated: true },
    })
    await writeFile(join(world.cwd, 'many'), 'needle\n'.repeat(200))
    expect(await grep({ pattern: 'needle' })).toMatchObject({
      summary: '200 matches in 1 file',
      metadata: { truncated: false },
    })
  })

  it('counts the matches of a long line that are out of sight', async () => {
    await writeFile(join(world.cwd, 'long'), `needle${'x'.repeat(1000)}needle needle\n`)
    expect((await grep({ pattern: 'needle' })).content).toMatch(/^long\n {4}1: needlex+… \[2 more in this line\]$/)
  })

  it('shows a file with NUL bytes that it was pointed at, and marks it', async () => {
    await writeFile(join(world.cwd, 'bin'), 'a\0needle\n')
    expect((await grep({ pattern: 'needle', path: 'bin' })).content).toBe(
      'bin (binary: matches may be missing)\n    1: a␀needle',
    )
  })

  it('asks for a pattern line by line', async () => {
    const result = await grep({ pattern: 'a\nb' })
    expect(result).toMatchObject({ ok: false, content: expect.stringContaining('A search is line by line') })
  })

  it('knows similar names of a folder that does not exist', async () => {
    expect((await grep({ pattern: 'x', path: 'scr/deep' })).content).toBe(
      'scr/deep does not exist. There is no scr in the workspace root. Similar in the workspace root: src/.',
    )
  })

  it('asks to read the place that it searches, and nothing before that', async () => {
    const outside = join(world.cwd, '..', 'outside')
    await mkdir(outside)
    const prepared = await prepareTool(grepTool, { pattern: 'x', path: '../outside' }, world.context)
    expect(prepared).toMatchObject({
      title: `"x" in ${outside}`,
      needs: [{ type: 'path', access: 'read', path: outside, shown: outside, inside: false }],
    })
  })

  it('ends at once when it is interrupted', async () => {
    const controller = new AbortController()
    const context = { ...world.context, signal: controller.signal }
    const running = callTool(grepTool, { pattern: 'total' }, context)
    controller.abort()
    expect(await running).toMatchObject({ ok: false, error: 'USER_ABORTED' })
  })

  it('takes no settings from a ripgrep configuration of the user', async () => {
    await writeFile(join(world.cwd, 'rc'), '--max-count=0\n')
    process.env.RIPGREP_CONFIG_PATH = join(world.cwd, 'rc')
    try {
      expect((await grep({ pattern: 'total', path: 'src/c.md' })).metadata).toMatchObject({ matches: 1 })
    } finally {
      delete process.env.RIPGREP_CONFIG_PATH
    }
  })

  it('tells of folders that it may not enter', async () => {
    await chmod(join(world.cwd, 'src/deep'), 0o000)
    const result = await asOrdinaryUser(dirname(world.cwd), () => grep({ pattern: 'total' }))
    await chmod(join(world.cwd, 'src/deep'), 0o755)
    expect(result).toMatchObject({ ok: true, metadata: { matches: 4 } })
    expect(result.content).toMatch(/Some places could not be searched:\n.*src\/deep.*Permission denied/)
  })
})

describe('the window of a long line', () => {
  it.each<[string, number, number, string]>([
    ['at its start', 0, 6, 'a'.repeat(250)],
    ['at its end', 994, 1000, 'a'.repeat(250)],
    ['longer than the window', 100, 900, 'a'.repeat(250)],
  ])('has its full width for a match %s', (_, start, end, shown) => {
    const line = 'a'.repeat(1000)
    const window = windowAround(line, start, end)
    expect(line.slice(window.start, window.end)).toBe(shown)
    expect(window.start).toBeLessThanOrEqual(start)
  })

  it('never cuts a character in half', () => {
    const line = '😀'.repeat(500)
    for (let start = 0; start < 1000; start += 2) {
      const window = windowAround(line, start, start + 2)
      expect(line.slice(window.start, window.end).isWellFormed()).toBe(true)
    }
  })
})

describe('what must not be read', () => {
  it('is not shown by a search of the folder around it, and the search says so', async () => {
    const world = await toolContext({ files: { 'a.txt': 'key one\n', '.env': 'key two\n' }, unreadable: ['.env'] })
    const outcome = await callTool(grepTool, { pattern: 'key' }, world.context)
    expect(outcome.content).toContain('key one')
    expect(outcome.content).not.toContain('key two')
    expect(outcome.content).toContain('Matches in 1 file are not shown')
    await world.cleanup()
  })
})
