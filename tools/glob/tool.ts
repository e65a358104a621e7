/** glob: finds files by the pattern of their path. */
import { join } from 'node:path'
import { defineTool, ToolFailure } from '@sluice/engine/ports'
import { z } from 'zod/v3'
import { globMatcher } from '../shared/glob-match.ts'
import { zodInput } from '../shared/json-schema.ts'
import { type FilePath, pathNeed, resolvePath } from '../shared/paths.ts'
import { runRipgrep, searchArgs } from '../shared/ripgrep.ts'
import { searchRoot } from '../shared/search-root.ts'
import { shownName } from '../shared/shown-name.ts'

const most = 500

const input = z.object({
  pattern: z
    .string()
    .min(1)
    .describe('For example `**/*.test.ts`, `src/*.{ts,tsx}`, or `*.md`, which matches at any depth.'),
  path: z.string().optional().describe('The folder to look in; the workspace without it.'),
})

type Plan = { at: FilePath; pattern: string }

export const globTool = defineTool<z.output<typeof input>, Plan>({
  name: 'glob',
  kind: 'read',
  description:
    'Lists the files whose path matches a pattern, sorted by path. `*` stays within one folder, `**` spans folders, ' +
    '`{a,b}` is a choice, a leading `!` inverts. Hidden files are found; files that .gitignore excludes, .git and ' +
    'linked folders are not.',
  input: zodInput(input),
  timeoutMs: 60_000,
  maxResultTokens: 20_000,
  async prepare({ pattern, path }, context) {
    const at = await resolvePath(path ?? '.', context.cwd)
    return {
      title: at.name === '.' ? pattern : `${pattern} in ${at.shown}`,
      needs: [pathNeed(at, 'read')],
      blocks: [{ type: 'files', paths: [at.shown] }],
      plan: { at, pattern: relativeTo(at.path, pattern) },
      fingerprint: `glob ${at.path} ${pattern}`,
    }
  },
  async run({ at, pattern }, context) {
    const root = await searchRoot(at)
    if (root.file !== undefined) {
      throw new ToolFailure(`${at.shown} is a file, not a folder. Leave out \`path\`, or give the folder to look in.`)
    }
    const matches = globMatcher(pattern)
    const found: string[] = []
    let searched = 0
    let matched = 0
    const args = [...searchArgs, '--files', '--null', '--', root.target]
    const end = await runRipgrep({
      args,
      cwd: root.cwd,
      separator: 0,
      signal: context.signal,
      onRecord(record) {
        searched++
        const relative = record[0] === 0x2e && record[1] === 0x2f ? record.subarray(2) : record
        if (!matches(relative.toString())) return true
        matched++
        if (found.length < most) found.push(shownIn(at, relative))
        return true
      },
    })
    const problems = end.stderr.trim()
    const omitted = matched - found.length
    const notes = [
      matched === 0 ? `No file matches ${pattern} (${searched} ${plural(searched)} in ${at.shown} looked at).` : '',
      omitted > 0 ? `… ${omitted} more of ${matched} files: use a narrower pattern or a path.` : '',
      problems === '' ? '' : `Some places could not be read:\n${problems}`,
    ]
    return {
      ok: true,
      summary: `${matched} ${plural(matched)} ${matched === 1 ? 'matches' : 'match'} ${pattern}`,
      content: [...found, ...notes.filter((note) => note !== '')].join('\n'),
      metadata: { path: at.name, matches: matched, truncated: omitted > 0 },
      blocks: [omitted > 0 ? { type: 'files', paths: found, omitted } : { type: 'files', paths: found }],
    }
  },
})

/** A pattern that spells out the searched folder means what is below it. */
function relativeTo(root: string, pattern: string): string {
  return pattern.startsWith(`${root}/`) ? pattern.slice(root.length + 1) : pattern
}

function shownIn(at: FilePath, relative: Buffer): string {
  const shown = shownName(relative)
  return shown.startsWith('"') ? shown : join(at.name, shown)
}

function plural(count: number): string {
  return count === 1 ? 'file' : 'files'
}
