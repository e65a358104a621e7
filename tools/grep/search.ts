/** One search over files: runs ripgrep, again with its second engine where the pattern needs that. */
import { ToolFailure } from '@sluice/engine/ports'
import { globMatcher } from '../shared/glob-match.ts'
import { runRipgrep, searchArgs } from '../shared/ripgrep.ts'
import type { SearchRoot } from '../shared/search-root.ts'
import { type MatchLine, matchLine, parseRecord } from './matches.ts'

export type FileMatches = { path: Buffer; lines: MatchLine[]; binary: boolean }

export type Found = {
  files: FileMatches[]
  lines: number
  /** There are more matching lines than were collected. */
  truncated: boolean
  /** Files with matches that must not be shown. */
  withheld: number
  engine: 'default' | 'pcre2'
  /** Places that could not be searched, in the words of the search program; empty when there were none. */
  problems: string
}

export type Search = {
  pattern: string
  glob?: string
  root: SearchRoot
  mostLines: number
  signal: AbortSignal
  /** False for a file whose lines must not be shown; `path` is relative to the root. */
  mayShow(path: string): boolean
}

/** Throws ToolFailure with the engine's words for a pattern that is no regular expression. */
export async function search(wanted: Search): Promise<Found> {
  try {
    return await searchWith(wanted, 'default')
  } catch (error) {
    if (!(error instanceof PatternError) || !error.needsPcre2) throw failureOf(error, wanted.pattern)
  }
  try {
    return await searchWith(wanted, 'pcre2')
  } catch (error) {
    throw failureOf(error, wanted.pattern)
  }
}

async function searchWith(wanted: Search, engine: Found['engine']): Promise<Found> {
  const { root } = wanted
  const found: Found = { files: [], lines: 0, truncated: false, withheld: 0, engine, problems: '' }
  const inGlob = wanted.glob === undefined ? () => true : globMatcher(wanted.glob)
  let current: FileMatches | undefined
  let complete = false
  const end = await runRipgrep({
    args: [
      ...searchArgs,
      ...engineArgs(engine),
      ...narrowing(wanted.glob),
      '--json',
      '--crlf',
      `--regexp=${wanted.pattern}`,
      '--',
      root.target,
    ],
    cwd: root.cwd,
    separator: 0x0a,
    signal: wanted.signal,
    onRecord(bytes) {
      const record = parseRecord(bytes)
      if (record?.type === 'begin') {
        const path = record.path.subarray(2)
        current = inGlob(path.toString()) ? { path, lines: [], binary: false } : undefined
      } else if (record?.type === 'match' && current) {
        if (found.lines === wanted.mostLines) {
          found.truncated = true
          return false
        }
        if (current.lines.length === 0) {
          if (!wanted.mayShow(current.path.toString())) {
            found.withheld++
            current = undefined
            return true
          }
          found.files.push(current)
        }
        current.lines.push(matchLine(record))
        found.lines++
      } else if (record?.type === 'end' && current) current.binary = record.binary
      else if (record?.type === 'summary') complete = true
      return true
    },
  })
  // A search that never began has no summary: the pattern was refused.
  if (end.code === 2 && !complete) throw new PatternError(end.stderr)
  if (end.tooLong > 0) found.truncated = true
  if (end.code !== null) found.problems = end.stderr.trim()
  return found
}

function engineArgs(engine: Found['engine']): string[] {
  return engine === 'pcre2' ? ['--pcre2'] : []
}

/**
 * Spares ripgrep the files whose names cannot match. A file type honours ignore files, which `--glob` does not; only
 * plain patterns are handed on, the matcher has the last word anyway.
 */
function narrowing(glob: string | undefined): string[] {
  const name = glob?.split('/').pop() ?? ''
  const plain =
    /^[\w.*-]*(\{[\w.*,-]+\})?$/.test(name) &&
    !glob?.startsWith('!') &&
    !/[{}]/.test(glob?.slice(0, -name.length) ?? '')
  if (name === '' || name.includes('**') || !plain) return []
  return ['--type-add', `wanted:${name}`, '--type', 'wanted']
}

class PatternError extends Error {
  readonly needsPcre2: boolean
  constructor(stderr: string) {
    super(stderr)
    this.needsPcre2 = /look-around|backreferences/.test(stderr) && /PCRE2/.test(stderr)
  }
}

function failureOf(error: unknown, pattern: string): unknown {
  if (!(error instanceof PatternError)) return error
  const words = error.message
    .replace(/^rg: /gm, '')
    .replace(/\n+Consider enabling[\s\S]*$/, '')
    .trim()
  const escaped = pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const hint =
    pattern.includes('\n') || /\\n/.test(pattern)
      ? 'A search is line by line: look for one line of it.'
      : `To find the text itself, escape it: ${escaped}`
  return new ToolFailure(`The pattern is not accepted by the search engine:\n${words}\n${hint}`, 'TOOL_INPUT_INVALID', {
    pattern,
  })
}
