/** read_file: shows a text file, or a range of its lines, with line numbers. */
import { defineTool, type RunContext, ToolFailure, type ToolOutcome } from '@sluice/engine/ports'
import { z } from 'zod/v3'
import { binaryKind } from '../shared/binary-kind.ts'
import { maxWholeFile, openRegular, readVersion, shownSize, tooLarge } from '../shared/file-version.ts'
import { fsFailure } from '../shared/fs-failure.ts'
import { zodInput } from '../shared/json-schema.ts'
import { missingPath } from '../shared/missing-path.ts'
import { expectSamePlace, type FilePath, pathNeed, resolvePath } from '../shared/paths.ts'
import { decodeText, encodingNote } from '../shared/text-encoding.ts'
import { readRange } from './large.ts'
import { longestLine, type NumberedLines, numberedLines } from './numbered.ts'

const defaultLimit = 2000

const input = z.object({
  path: z.string().describe('The file, relative to the workspace or absolute.'),
  offset: z.number().int().min(0).optional().describe('Number of the first line to show, counted from 1.'),
  limit: z.number().int().min(1).optional().describe(`How many lines to show at most; ${defaultLimit} without it.`),
})

type Plan = { at: FilePath; first: number; limit: number; ranged: boolean }

export const readFileTool = defineTool<z.output<typeof input>, Plan>({
  name: 'read_file',
  kind: 'read',
  description:
    'Reads a text file and shows its lines as `number<tab>text`. Without offset and limit it shows the first ' +
    `${defaultLimit} lines. Lines longer than ${longestLine} characters are clipped. A file must be read before ` +
    'edit_file may change it, and completely before write_file may replace it.',
  input: zodInput(input),
  timeoutMs: 60_000,
  // Never cut by the loop: a file counts as wholly read only if the model really got all of it.
  maxResultTokens: 65_000,
  async prepare({ path, offset, limit }, context) {
    const at = await resolvePath(path, context.cwd)
    const first = Math.max(1, offset ?? 1)
    const ranged = offset !== undefined || limit !== undefined
    const lines = ranged ? `:${first}${limit === undefined ? '' : `-${first + limit - 1}`}` : ''
    return {
      title: at.shown + lines,
      needs: [pathNeed(at, 'read')],
      blocks: [{ type: 'files', paths: [at.shown] }],
      plan: { at, first, limit: limit ?? defaultLimit, ranged },
      fingerprint: `read ${at.path} ${first} ${limit ?? defaultLimit}`,
    }
  },
  async run(plan, context) {
    await expectSamePlace(plan.at)
    const handle = await openRegular(plan.at.path, plan.at.shown)
    if (handle === null) throw await missingPath(plan.at)
    try {
      const { size } = await handle.stat()
      if (size <= maxWholeFile) return await readWhole(plan, context)
      if (!plan.ranged) throw tooLarge(plan.at.shown, size)
      const range = await readRange(handle, plan.first, plan.limit, context.signal)
      if (range === null) throw binary(plan.at, size, null)
      if (range.ended && range.numbered.lines.length === 0) throw pastEnd(plan, range.lastLine)
      const note = `part of a file of ${shownSize(size)}, which is too large for edit_file`
      const total = range.ended ? range.lastLine : null
      return outcome(plan, range.numbered, { hash: null, total, notes: [note] })
    } catch (error) {
      throw fsFailure(error, `Cannot read ${plan.at.shown}`)
    } finally {
      await handle.close()
    }
  },
})

async function readWhole(plan: Plan, context: RunContext): Promise<ToolOutcome> {
  const { at, first } = plan
  const version = await readVersion(at.path, at.shown)
  if (version === null) throw await missingPath(at)
  const decoded = await decodeText(version.bytes)
  if (decoded === null) throw binary(at, version.bytes.length, binaryKind(version.bytes))
  const lines = decoded.text.split(/\r?\n/)
  if (lines[lines.length - 1] === '') lines.pop()
  if (lines.length > 0 && first > lines.length) throw pastEnd(plan, lines.length)
  const numbered = numberedLines(first)
  for (const line of lines.slice(first - 1, first - 1 + plan.limit)) if (!numbered.add(line)) break
  const complete = numbered.lines.length === lines.length && numbered.clipped.length === 0
  context.files.note(at.path, { hash: version.hash, whole: complete })
  const notes = [encodingNote(decoded.encoding), decoded.text.includes('\r\n') ? 'line endings CRLF' : undefined]
  return outcome(plan, numbered, {
    hash: version.hash,
    total: lines.length,
    notes: notes.filter((note) => note !== undefined),
  })
}

/** `total` is null when the end of the file was not reached. */
type Facts = { hash: string | null; total: number | null; notes: string[] }

function outcome(plan: Plan, numbered: NumberedLines, facts: Facts): ToolOutcome {
  const { at, first } = plan
  const { lines, clipped } = numbered
  const { total, hash } = facts
  const last = first + lines.length - 1
  const more = total === null || last < total
  const whole = first === 1 && !more
  const range = `lines ${first}–${last}${total === null ? '' : ` of ${total}`}`
  const notes = [
    lines.length === 0 ? 'the file is empty' : whole ? undefined : range,
    more ? `continue with offset ${last + 1}` : undefined,
    clipped.length > 0
      ? `clipped: line ${clipped.slice(0, 20).join(', ')}${clipped.length > 20 ? ' …' : ''}`
      : undefined,
    ...facts.notes,
  ].filter((note) => note !== undefined)
  const body = numbered.content()
  return {
    ok: true,
    summary: `read ${whole ? `${lines.length} ${lines.length === 1 ? 'line' : 'lines'}` : range} of ${at.shown}`,
    content: [body, notes.length > 0 ? `(${notes.join('; ')})` : ''].filter((part) => part !== '').join('\n\n'),
    metadata: {
      path: at.name,
      hash,
      startLine: lines.length === 0 ? 0 : first,
      endLine: lines.length === 0 ? 0 : last,
      totalLines: total,
      truncated: more || clipped.length > 0,
    },
    blocks: [{ type: 'code', text: lines.join('\n'), path: at.name, startLine: first }],
  }
}

function binary(at: FilePath, size: number, kind: string | null): ToolFailure {
  return new ToolFailure(
    `${at.shown} is ${kind ?? 'binary data'} (${shownSize(size)}), which cannot be shown as text. Look at it with a command that knows ` +
      'its format, for example `file`, `strings` or `xxd | head`.',
    'TOOL_EXECUTION_FAILED',
    { size, kind: kind ?? 'binary data' },
  )
}

function pastEnd(plan: Plan, total: number): ToolFailure {
  return new ToolFailure(
    `${plan.at.shown} has ${total} ${total === 1 ? 'line' : 'lines'}; offset ${plan.first} is past its end.`,
    'TOOL_INPUT_INVALID',
    { totalLines: total },
  )
}
