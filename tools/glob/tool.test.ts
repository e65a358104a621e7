import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callTool, type ToolTestContext, toolContext } from '../../fixtures/tool-context.ts'
import { globTool } from './tool.ts'

let world: ToolTestContext
beforeEach(async () => {
  world = await toolContext({
    files: {
      'src/a.ts': '',
      'src/deep/b.ts': '',
      'README.md': '',
      '.github/ci.yml': '',
      '.git/HEAD': '',
      '.gitignore': 'node_modules\n*.log\n',
      'node_modules/x/index.ts': '',
      'x.log': '',
    },
  })
})
afterEach(() => world.cleanup())

const glob = (input: object) => callTool(globTool, input, world.context)

describe('glob', () => {
  it.each<[object, string]>([
    [{ pattern: '**/*.ts' }, 'src/a.ts\nsrc/deep/b.ts'],
    [{ pattern: '**' }, '.github/ci.yml\n.gitignore\nREADME.md\nsrc/a.ts\nsrc/deep/b.ts'],
    [{ pattern: '*.ts', path: 'src/deep' }, 'src/deep/b.ts'],
    [{ pattern: 'deep/*', path: 'src' }, 'src/deep/b.ts'],
    [{ pattern: '*.log' }, 'No file matches *.log (5 files in . looked at).'],
    [{ pattern: '*.ts', path: 'node_modules' }, 'node_modules/x/index.ts'],
  ])('finds for %j', async (input, content) => {
    expect(await glob(input)).toMatchObject({ ok: true, content })
  })

  it('understands a pattern that spells out the workspace', async () => {
    expect((await glob({ pattern: `${world.cwd}/src/*.ts` })).content).toBe('src/a.ts')
  })

  it('counts all files, shows 500 and says how many are missing', async () => {
    await Promise.all(Array.from({ length: 510 }, (_, i) => writeFile(join(world.cwd, `n${i}.txt`), '')))
    const result = await glob({ pattern: '*.txt' })
    expect(result).toMatchObject({
      summary: '510 files match *.txt',
      metadata: { path: '.', matches: 510, truncated: true },
      blocks: [{ type: 'files', omitted: 10 }],
    })
    expect(result.content).toMatch(/\n… 10 more of 510 files: use a narrower pattern or a path\.$/)
  })

  it('shows a name that is no UTF-8 with its bytes', async (test) => {
    try {
      await writeFile(Buffer.concat([Buffer.from(`${world.cwd}/caf`), Buffer.from([0xe9]), Buffer.from('.txt')]), '')
    } catch {
      test.skip('this file system takes UTF-8 names only')
    }
    expect((await glob({ pattern: '*.txt' })).content).toBe('"caf\\xE9.txt"')
  })

  it('wants a folder that exists', async () => {
    expect((await glob({ pattern: '*', path: 'README.md' })).content).toBe(
      'README.md is a file, not a folder. Leave out `path`, or give the folder to look in.',
    )
    expect((await glob({ pattern: '*', path: 'srcs' })).content).toBe(
      'srcs does not exist. Similar in the workspace root: src/.',
    )
  })
})
