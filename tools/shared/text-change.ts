/** A change of one text file from plan to disk: shared by every tool that writes text. */
import {
  applySelection,
  type DecidedChange,
  diffHunks,
  editHunks,
  fileDiff,
  hunkKey,
  unifiedDiff,
} from '@sluice/engine/change'
import {
  inSpan,
  type PrepareContext,
  type Prepared,
  type RunContext,
  type SeenFile,
  ToolFailure,
  type ToolOutcome,
} from '@sluice/engine/ports'
import type { Amendment, FileDiff, Hunk } from '@sluice/engine/protocol'
import { atomicWrite, staleFile } from './atomic-write.ts'
import { binaryKind } from './binary-kind.ts'
import { readVersion, sha256 } from './file-version.ts'
import { expectSamePlace, type FilePath, pathNeed } from './paths.ts'
import { decodeText, encodeText, encodingNote, type TextEncoding } from './text-encoding.ts'

/** A text file as it will be when the call runs: on disk, or after the earlier edits of the same reply. */
export type CurrentText = { text: string; encoding: TextEncoding; hash: string; whole: boolean }

/** What will be written; a person may still change it. `old` is null for a file that does not exist. */
export type TextChange = {
  at: FilePath
  old: CurrentText | null
  encoding: TextEncoding
  newText: string
  bytes: Uint8Array
  newHash: string
  diff: FileDiff
  /** For the model, one sentence each. */
  notes: string[]
  /** The model sent the whole content, so that it knows all of the file afterwards. */
  wholeText: boolean
  /** What the person changed: their own text, and what of the proposal they left out. */
  amended?: { personDiff?: string; leftOut?: string; kept?: string; parts?: string; decided?: DecidedChange }
}

/** Whether the model must have seen all of the file, or only its current version. */
export type SeenRequired = 'whole' | 'any'

/**
 * The text at `at`, or null when there is no file. Throws ToolFailure for binary files and when the model has not read
 * this very version in this session; an earlier edit of the same reply counts as read.
 */
export async function currentText(
  at: FilePath,
  context: PrepareContext,
  required: SeenRequired,
): Promise<CurrentText | null> {
  const planned = context.planned.get(at.path)
  const version = planned ? plannedVersion(planned) : await readVersion(at.path, at.shown)
  const seen = context.files.get(at.path)
  if (version === null) return null
  if (!planned) requireSeen(at, version.hash, seen)
  if (required === 'whole') requireWhole(at, seen)
  const decoded = await decodeText(version.bytes)
  if (decoded === null) {
    throw new ToolFailure(
      `${at.shown} is ${binaryKind(version.bytes) ?? 'binary data'}, which cannot be edited as text. Change it with a command instead.`,
    )
  }
  return { ...decoded, hash: version.hash, whole: seen?.whole ?? planned !== undefined }
}

export type ChangeInput = {
  at: FilePath
  old: CurrentText | null
  newText: string
  encoding: TextEncoding
  notes?: string[]
  /** For the person, above the diff. */
  remark?: string
  wholeText: boolean
  amended?: TextChange['amended']
}

/** The prepared call for a new text. Throws ToolFailure when nothing would change or a character cannot be encoded. */
export async function prepareChange(input: ChangeInput): Promise<Prepared<TextChange>> {
  const { at, old, newText, encoding } = input
  const bytes = await encodeText(newText, encoding, at.shown)
  const newHash = sha256(bytes)
  if (old?.hash === newHash) {
    throw new ToolFailure(`No change: ${at.shown} has exactly this content already. Nothing was written.`)
  }
  const stored = encodingNote(encoding)
  const remarks = [...(input.remark === undefined ? [] : [input.remark]), ...(stored ? [`stored as ${stored}`] : [])]
  const diff = fileDiff({
    path: at.name,
    oldText: old?.text ?? null,
    newText,
    oldHash: old?.hash ?? null,
    newHash,
    ...(remarks.length === 0 ? {} : { note: remarks.join(' · ') }),
  })
  const plan: TextChange = {
    at,
    old,
    encoding,
    newText,
    bytes,
    newHash,
    diff,
    notes: input.notes ?? [],
    wholeText: input.wholeText,
  }
  if (input.amended) plan.amended = input.amended
  return {
    title: at.shown,
    needs: [pathNeed(at, 'write')],
    blocks: [{ type: 'diff', diff }],
    plan,
    fingerprint: fingerprint(plan, newHash),
    writes: [{ path: at.path, bytes, hash: newHash }],
  }
}

/**
 * The plan with the person's own text in place of the proposed one, as a whole or for single hunks (`hunkKey`), and with
 * the kept hunks and lines only.
 */
export async function amendChange(plan: TextChange, amendment: Amendment): Promise<Prepared<TextChange>> {
  const edited = forFile(amendment.editedText, plan.at)
  const selection = forFile(amendment.selection, plan.at)
  const oldText = plan.old?.text ?? ''
  const editedByHunk = editedHunks(plan, amendment.editedText)
  const { hunks, text: offered } = offeredChange(plan, edited, editedByHunk)
  if (Object.keys(selection ?? {}).some((index) => hunks[Number(index)] === undefined)) {
    throw new ToolFailure(
      `The selection names a part that the change of ${plan.at.shown} does not have; nothing was written.`,
    )
  }
  const final = selection === undefined ? offered : applySelection(oldText, hunks, selection)
  if (final === oldText) {
    throw new ToolFailure(
      `The person kept none of the changes to ${plan.at.shown}; nothing was written.`,
      'TOOL_PERMISSION_DENIED',
    )
  }
  const between = (from: string, to: string) => unifiedDiff(diffOf(plan.at, from, to))
  const everything = () => Object.fromEntries(hunks.map((_, i) => [i, true as const]))
  const amended: NonNullable<TextChange['amended']> = {
    decided: {
      hunks: plan.diff.hunks,
      selection: selection ?? everything(),
      edited: edited === undefined ? Object.keys(editedByHunk).map(Number) : [...plan.diff.hunks.keys()],
    },
  }
  if (offered !== plan.newText) amended.personDiff = between(plan.newText, offered)
  if (final !== offered) {
    amended.kept = between(oldText, final)
    amended.leftOut = between(final, offered)
    if (hunks.length > 1) amended.parts = partsOf(hunks, selection ?? {})
  }
  return prepareChange({ ...plan, newText: final, amended })
}

/** What is offered to be kept: the hunks as they were shown, and the text that all of them give. */
function offeredChange(
  plan: TextChange,
  edited: string | undefined,
  byHunk: Readonly<Record<number, string>>,
): { hunks: readonly Hunk[]; text: string } {
  const oldText = plan.old?.text ?? ''
  if (edited !== undefined) {
    const text = inStyleOf(plan.old, edited)
    return { hunks: diffHunks(oldText, text), text }
  }
  // The hunks that were shown: made anew, a diff that met its time limit could come out otherwise.
  if (Object.keys(byHunk).length === 0) return { hunks: plan.diff.hunks, text: plan.newText }
  const hunks = editHunks(plan.diff.hunks, byHunk)
  return { hunks, text: applySelection(oldText, hunks, Object.fromEntries(hunks.map((_, i) => [i, true]))) }
}

/** The person's texts for single hunks of the plan's file. */
function editedHunks(plan: TextChange, byPath: Amendment['editedText']): Record<number, string> {
  const out: Record<number, string> = {}
  if (byPath === undefined) return out
  for (const index of plan.diff.hunks.keys()) {
    const text = byPath[hunkKey(plan.diff.path, index)]
    if (text !== undefined) out[index] = text
  }
  return out
}

/** Which hunks were applied and which were not, by number and place. */
function partsOf(hunks: readonly Hunk[], selection: Record<number, true | number[]>): string {
  const rows = hunks.map((hunk, index) => {
    const kept = selection[index] ?? []
    const changed = hunk.lines.flatMap((line, i) => (line.kind === 'context' ? [] : [i]))
    const count = kept === true ? changed.length : changed.filter((i) => kept.includes(i)).length
    const word = count === 0 ? 'NOT applied' : count === changed.length ? 'applied' : 'applied in part'
    return `hunk ${index + 1} (@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@): ${word}`
  })
  const most = 60
  if (rows.length > most) rows.splice(most, rows.length - most, `… ${rows.length - most} more`)
  return rows.join('\n')
}

/**
 * Writes the plan to disk, reads it back and reports as an EditResult. Rejects with a stale ToolFailure when the file
 * is no longer the version that the plan was made for; nothing is written then.
 */
export async function runChange(plan: TextChange, context: RunContext): Promise<ToolOutcome> {
  const { at } = plan
  if (context.signal.aborted) throw new ToolFailure(`Interrupted; ${at.shown} was not written.`, 'USER_ABORTED')
  await expectSamePlace(at)
  const known = context.files.get(at.path)
  const attributes = { path: at.name, bytes: plan.bytes.length, oldHash: plan.old?.hash ?? null }
  await inSpan(context.span, 'fs.atomic_write', attributes, async (span) => {
    const expectedHash = plan.old?.hash ?? null
    const written = await atomicWrite(at.path, plan.bytes, { expectedHash, shown: at.shown })
    span.set({ how: written.how, newHash: plan.newHash })
  })
  return writtenOutcome(plan, known, context)
}

/** Reads a file back that was written, and reports; `known` is what the session knew of it before. */
export async function writtenOutcome(
  plan: TextChange,
  known: SeenFile | undefined,
  context: RunContext,
): Promise<ToolOutcome> {
  const { at } = plan
  const back = await readVersion(at.path, at.shown)
  const found = back !== null && back.hash === plan.newHash
  const diff = unifiedDiff(plan.diff)
  const metadata = {
    path: at.name,
    diff,
    oldHash: plan.old?.hash ?? null,
    newHash: back?.hash ?? null,
    changedLines: plan.diff.additions + plan.diff.deletions,
    verification: { readBack: true, expectedTextFound: found },
  }
  const applied = fingerprint(plan, back?.hash ?? null)
  if (!found) {
    context.files.forget(at.path)
    const message = `${at.shown} was written, but read back it holds something else: another program changed it at once. Read it again.`
    return { ok: false, summary: message, content: message, metadata, applied, error: 'TOOL_EXECUTION_FAILED' }
  }
  const whole = plan.wholeText || plan.old === null || (known?.hash === plan.old.hash ? known.whole : plan.old.whole)
  context.files.note(at.path, { hash: plan.newHash, whole })
  return { ok: true, summary: summaryOf(plan), content: contentOf(plan, diff), metadata, applied }
}

/**
 * A whole new text with what nobody sees of the old file: LF-only text takes the line endings of a file that has CRLF
 * throughout, and a byte order mark, which the encoding keeps, is not doubled. Everything else is taken as it is.
 */
export function inStyleOf(old: CurrentText | null, fresh: string): string {
  if (old === null) return fresh
  const text = old.encoding.bom ? fresh.replace(/^\ufeff/, '') : fresh
  return onlyCrlf(old.text) && !text.includes('\r') ? text.replace(/\n/g, '\r\n') : text
}

function onlyCrlf(text: string): boolean {
  return text.includes('\r\n') && !/(?<!\r)\n/.test(text) && !/\r(?!\n)/.test(text)
}

function requireSeen(at: FilePath, hash: string, seen: SeenFile | undefined): void {
  if (!seen) {
    throw new ToolFailure(
      `${at.shown} has not been read in this session. Read it with read_file first, then repeat the call.`,
      'TOOL_EXECUTION_FAILED',
      { unread: true },
    )
  }
  if (seen.hash !== hash) throw staleFile(at.shown, 'changed', { path: at.path, hash })
}

/** A file that only this reply creates has not been noted yet; the model knows all of it. */
function requireWhole(at: FilePath, seen: SeenFile | undefined): void {
  if (seen?.whole !== false) return
  throw new ToolFailure(
    `Only a part of ${at.shown} has been read, so replacing all of it could delete lines that you have not seen. ` +
      'Read the whole file first, or change the part you know with edit_file.',
    'TOOL_EXECUTION_FAILED',
    { partial: true },
  )
}

function plannedVersion(planned: { bytes: Uint8Array | null }): { bytes: Uint8Array; hash: string } | null {
  return planned.bytes === null ? null : { bytes: planned.bytes, hash: sha256(planned.bytes) }
}

export function fingerprint(plan: Pick<TextChange, 'at' | 'old'>, newHash: string | null): string {
  return `write ${plan.at.path} ${plan.old?.hash ?? 'absent'} -> ${newHash ?? 'absent'}`
}

function forFile<T>(byPath: Record<string, T> | undefined, at: FilePath): T | undefined {
  return byPath?.[at.name] ?? byPath?.[at.shown] ?? byPath?.[at.path]
}

function diffOf(at: FilePath, from: string, to: string): FileDiff {
  return fileDiff({ path: at.name, oldText: from, newText: to, oldHash: null, newHash: null })
}

function summaryOf(plan: TextChange): string {
  const verb = plan.old === null ? 'created' : plan.wholeText ? 'wrote' : 'edited'
  const amended = plan.amended ? ', as changed by the person' : ''
  return `${verb} ${plan.at.shown} (+${plan.diff.additions} −${plan.diff.deletions}${amended})`
}

function contentOf(plan: TextChange, diff: string): string {
  const { amended } = plan
  const parts = [`${summaryOf(plan)}.`, ...plan.notes]
  if (amended?.personDiff !== undefined) {
    parts.push(
      'The person edited your proposal before it was applied. Their changes to it:',
      clipped(amended.personDiff),
    )
  }
  if (amended?.leftOut !== undefined) {
    if (amended.parts !== undefined) parts.push('The person decided hunk by hunk:', amended.parts)
    parts.push('The person accepted only a part. This was applied:', clipped(amended.kept ?? diff))
    parts.push('This was NOT applied; do not assume it is in the file:', clipped(amended.leftOut))
  }
  if (!amended && !plan.wholeText) parts.push(clipped(diff))
  return parts.join('\n')
}

/** The model wrote the text itself: a long diff is cut, the whole one is in the metadata. */
function clipped(diff: string, limit = 200): string {
  const lines = diff.trimEnd().split('\n')
  if (lines.length <= limit) return lines.join('\n')
  return `${lines.slice(0, limit).join('\n')}\n… ${lines.length - limit} more lines of this diff`
}
