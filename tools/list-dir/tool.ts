/** list_dir: shows what is in a folder. */
import { lstat, readdir, readlink } from 'node:fs/promises'
import { defineTool, ToolFailure } from '@sluice/engine/ports'
import { z } from 'zod/v3'
import { shownSize } from '../shared/file-version.ts'
import { errnoOf, fsFailure } from '../shared/fs-failure.ts'
import { zodInput } from '../shared/json-schema.ts'
import { missingPath } from '../shared/missing-path.ts'
import { expectSamePlace, type FilePath, pathNeed, resolvePath } from '../shared/paths.ts'
import { shownName } from '../shared/shown-name.ts'

const most = 500

const input = z.object({
  path: z
    .string()
    .default('.')
    .describe('The folder, relative to the workspace or absolute; the workspace without it.'),
})

type Plan = { at: FilePath }

export const listDirTool = defineTool<z.output<typeof input>, Plan>({
  name: 'list_dir',
  kind: 'read',
  description:
    `Lists a folder, sorted by name: folders end with a slash, files have their size, links show their target. At most ` +
    `${most} entries; use glob to find files in deeper folders.`,
  input: zodInput(input),
  timeoutMs: 30_000,
  maxResultTokens: 20_000,
  async prepare({ path }, context) {
    const at = await resolvePath(path, context.cwd)
    return {
      title: at.shown,
      needs: [pathNeed(at, 'read')],
      blocks: [{ type: 'files', paths: [at.shown] }],
      plan: { at },
      fingerprint: `list ${at.path}`,
    }
  },
  async run({ at }) {
    await expectSamePlace(at)
    const names = await namesIn(at)
    const lines = await Promise.all(names.slice(0, most).map((name) => entryLine(at, name)))
    const omitted = names.length - lines.length
    const count = `${names.length} ${names.length === 1 ? 'entry' : 'entries'}`
    const more = omitted > 0 ? [`… ${omitted} more of ${count}: use glob with a pattern to find what you need.`] : []
    const content = names.length === 0 ? '(the folder is empty)' : [...lines, ...more].join('\n')
    return {
      ok: true,
      summary: `${count} in ${at.shown}`,
      content,
      metadata: { path: at.name, entries: names.length, truncated: omitted > 0 },
      blocks: [{ type: 'text', text: content }],
    }
  },
})

/** Names as bytes: not every name is UTF-8. */
async function namesIn(at: FilePath): Promise<Buffer[]> {
  try {
    return (await readdir(Buffer.from(at.path), { encoding: 'buffer' })).sort(Buffer.compare)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') throw await missingPath(at)
    if (errnoOf(error) === 'ENOTDIR')
      throw new ToolFailure(`${at.shown} is a file, not a folder. Use read_file to see it.`)
    throw fsFailure(error, `Cannot list ${at.shown}`)
  }
}

async function entryLine(at: FilePath, name: Buffer): Promise<string> {
  const path = Buffer.concat([Buffer.from(`${at.path}/`), name])
  const shown = shownName(name)
  try {
    const found = await lstat(path)
    if (found.isDirectory()) return `${shown}/`
    if (found.isSymbolicLink()) return `${shown} -> ${shownName(await readlink(path, { encoding: 'buffer' }))}`
    if (found.isFile()) return `${shown}  ${shownSize(found.size)}`
    return `${shown}  (${found.isFIFO() ? 'named pipe' : found.isSocket() ? 'socket' : 'device'})`
  } catch (error) {
    return `${shown}  (${errnoOf(error) ?? 'not readable'})`
  }
}
