/** What a rewind would do to a file, as a diff that can be shown. */
import { fileDiff } from '../change/index.ts'
import type { Checkpoints, FileState } from '../ports/index.ts'
import type { FileDiff } from '../protocol/index.ts'
import type { FilePlan } from './rewind-plan.ts'

/** Texts beyond this are not shown as a diff. */
const mostText = 200_000

/** From what is there now to what would be there. Without `checkpoints` the texts are not compared, which is said. */
export async function diffOf(
  path: string,
  now: FileState,
  plan: Pick<FilePlan, 'path' | 'to'>,
  checkpoints?: Checkpoints,
): Promise<FileDiff> {
  const { to } = plan
  const hashes = { oldHash: hashOf(now), newHash: hashOf(to) }
  const notes: string[] = []
  if (now.kind === 'file' && to.kind === 'file' && now.mode !== to.mode) {
    notes.push(`permissions ${octal(now.mode)} → ${octal(to.mode)}`)
  }
  if (now.kind === 'link') notes.push(`now a link to ${now.target}`)
  if (now.kind === 'other') notes.push(`now ${now.what}`)
  if (to.kind === 'link') notes.push(`then a link to ${to.target}`)
  if (to.kind === 'other') notes.push(`then ${to.what}`)
  const old = await textFor(now, () => checkpoints?.bytes(plan.path))
  const fresh = await textFor(to, () => (to.kind === 'file' ? checkpoints?.content(to.hash) : undefined))
  const whole = old !== undefined && fresh !== undefined
  if (checkpoints === undefined) notes.push('not compared: there are too many files')
  else if (!whole) notes.push(`not text, or too long to show: ${sizeOf(now)} → ${sizeOf(to)}`)
  const diff = fileDiff({ path, oldText: whole ? old : '', newText: whole ? fresh : '', ...hashes })
  const change = now.kind === 'absent' ? 'create' : to.kind === 'absent' ? 'delete' : 'edit'
  return { ...diff, change, ...(notes.length > 0 ? { note: notes.join('; ') } : {}) }
}

/** Null for no text; undefined for what cannot be shown as text. */
async function textFor(
  state: FileState,
  read: () => Promise<Uint8Array | null> | undefined,
): Promise<string | null | undefined> {
  if (state.kind !== 'file') return state.kind === 'absent' ? null : ''
  if (state.size > mostText) return undefined
  const bytes = await read()
  if (!bytes || bytes.includes(0)) return undefined
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}

function hashOf(state: FileState): string | null {
  return state.kind === 'file' ? state.hash : null
}

function sizeOf(state: FileState): string {
  return state.kind === 'file' ? `${state.size} bytes` : state.kind === 'absent' ? 'no file' : state.kind
}

function octal(mode: number): string {
  return mode.toString(8)
}
