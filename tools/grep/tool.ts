/** grep: finds lines by a regular expression. */
import { join } from 'node:path'
import { defineTool } from '@sluice/engine/ports'
import { z } from 'zod/v3'
import { zodInput } from '../shared/json-schema.ts'
import { type FilePath, pathNeed, resolvePath } from '../shared/paths.ts'
import { searchRoot } from '../shared/search-root.ts'
import { shownName } from '../shared/shown-name.ts'
import { widestLine } from './matches.ts'
import { type FileMatches, type Found, search } from './search.ts'

const mostLines = 200
const mostBytes = 24_000

const input = z.object({
  pattern: z.string().min(1).describe('A regular expression in the syntax of ripgrep; (?i) at its start ignores case.'),
  path: z.string().optional().describe('The folder or file to search; the workspace without it.'),
  glob: z.string().min(1).optional().describe('Only files that match this pattern, for example `*.ts` or `src/**`.'),
})

type Plan = { at: FilePath; pattern: string; glob?: string }

export const grepTool = defineTool<z.output<typeof input>, Plan>({
  name: 'grep',
  kind: 'read',
  description:
    `Searches the lines of files for a regular expression: at most ${mostLines} lines, each with its number and ` +
    `clipped to ${widestLine} characters around the match. Escape characters that are special in regular expressions ` +
    'when you look for literal text. Hidden files are searched; files that .gitignore excludes, .git and linked ' +
    'folders are not.',
  input: zodInput(input),
  timeoutMs: 60_000,
  maxResultTokens: 25_000,
  async prepare({ pattern, path, glob }, context) {
    const at = await resolvePath(path ?? '.', context.cwd)
    const where = [at.name === '.' ? '' : ` in ${at.shown}`, glob === undefined ? '' : ` (${glob})`].join('')
    return {
      title: `${JSON.stringify(pattern)}${where}`,
      needs: [pathNeed(at, 'read')],
      blocks: [{ type: 'files', paths: [at.shown] }],
      plan: glob === undefined ? { at, pattern } : { at, pattern, glob },
      fingerprint: `grep ${at.path} ${JSON.stringify([pattern, glob ?? null])}`,
    }
  },
  async run({ at, pattern, glob }, context) {
    const root = await searchRoot(at)
    // The folder was judged, not what is in it: a secret below it is not to be read by way of a search.
    const mayShow = (path: string) => root.file !== undefined || context.mayRead(join(root.cwd, path), at.inside)
    const wanted = { pattern, root, mostLines, signal: context.signal, mayShow }
    const found = await search(glob === undefined ? wanted : { ...wanted, glob })
    const listed = listMatches(found, (path) => shownIn(at, root.file, path))
    const truncated = found.truncated || listed.lines < found.lines
    const where = `${at.shown}${glob === undefined ? '' : ` (${glob})`}`
    const counted = `${listed.lines} ${listed.lines === 1 ? 'match' : 'matches'} in ${listed.files} ${listed.files === 1 ? 'file' : 'files'}`
    const notes = [
      found.lines === 0 ? `No match in ${where}. Files that .gitignore excludes were not searched.` : '',
      truncated
        ? `These are the first ${listed.lines} matching lines; there are more. Narrow the pattern, path or glob.`
        : '',
      found.engine === 'pcre2' ? 'The pattern needs look-around or backreferences and was matched with PCRE2.' : '',
      found.withheld > 0
        ? `Matches in ${found.withheld} ${found.withheld === 1 ? 'file' : 'files'} are not shown: reading them needs permission.`
        : '',
      found.problems === '' ? '' : `Some places could not be searched:\n${found.problems}`,
    ].filter((note) => note !== '')
    const content = [listed.text, notes.join('\n')].filter((part) => part !== '').join('\n\n')
    return {
      ok: true,
      summary: found.lines === 0 ? `no match in ${where}` : `${counted}${truncated ? ', and more' : ''}`,
      content,
      metadata: { path: at.name, matches: listed.lines, files: listed.files, truncated, engine: found.engine },
      blocks: [{ type: 'output', text: content }],
    }
  },
})

/** Files with their matching lines below them, as far as the bytes go. */
function listMatches(found: Found, shown: (path: Buffer) => string): { text: string; lines: number; files: number } {
  const out: string[] = []
  let bytes = 0
  let lines = 0
  let files = 0
  const put = (text: string): boolean => {
    bytes += Buffer.byteLength(text) + 1
    if (bytes > mostBytes) return false
    out.push(text)
    return true
  }
  for (const file of found.files) {
    if (!put(heading(file, shown, files === 0))) break
    files++
    for (const match of file.lines) {
      const unseen = match.unseen > 0 ? ` [${match.unseen} more in this line]` : ''
      if (!put(`${String(match.line ?? '').padStart(5)}: ${match.text}${unseen}`))
        return { text: out.join('\n'), lines, files }
      lines++
    }
  }
  return { text: out.join('\n'), lines, files }
}

function heading(file: FileMatches, shown: (path: Buffer) => string, first: boolean): string {
  return `${first ? '' : '\n'}${shown(file.path)}${file.binary ? ' (binary: matches may be missing)' : ''}`
}

function shownIn(at: FilePath, file: string | undefined, relative: Buffer): string {
  if (file !== undefined) return shownName(at.name)
  const name = shownName(relative)
  return name.startsWith('"') ? name : join(at.name, name)
}
