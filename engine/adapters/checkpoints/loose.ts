/** What lies in the folder and is in no snapshot: known by name, size and time only, so that its change can at least be told. */
import { isUtf8 } from 'node:buffer'
import type { Stats } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Why it is in none. */
export type LooseKind = 'ignored' | 'large' | 'nested' | 'odd-name'
export type LooseChange = { path: string; kind: LooseKind; how: 'made' | 'changed' | 'deleted' }

/** `bytes`: where it lies, when its path cannot be written as text. */
type Mark = { kind: LooseKind; size: number; time: number; inode: string | null; bytes?: Buffer }

/** Paths are relative, with `/`; those of folders that are not looked into end with it. */
export type Loose = {
  files: ReadonlyMap<string, Mark>
  folders: ReadonlySet<string>
  /** Of these, those with no file below. */
  empty: ReadonlySet<string>
  /** False when there was more than could be looked at. */
  whole: boolean
}

export type LoosePlace = {
  workspace: string
  large: ReadonlySet<string>
  nested: ReadonlySet<string>
  /** Relative; not looked at. */
  own: readonly string[]
  /** Names of folders that are made by tools: one entry each. */
  heavy: readonly string[]
  signal: AbortSignal
}

export const mostLoose = 5_000
/** A few at a time: thousands at once would only wait for each other. */
const portion = 128

type Item = { path: string; kind: LooseKind; folder: boolean; bytes?: Buffer }

/** `names` as git lists what is in no index; those of whole folders end with `/`. What is nearer to the top is looked at first. */
export async function lookAround(names: readonly Buffer[], place: LoosePlace): Promise<Loose> {
  const files = new Map<string, Mark>()
  const folders = new Set<string>()
  let queue = (await spelledOut(names, place.workspace)).flatMap((name) => itemOf(name, place))
  let seen = 0
  while (queue.length > 0 && seen < mostLoose && !place.signal.aborted) {
    const now = queue.slice(0, Math.min(portion, mostLoose - seen))
    const found = await Promise.all(now.map((item) => look(item, place, files, folders)))
    seen += now.length
    queue = [...queue.slice(now.length), ...found.flat()]
  }
  const empty = new Set(folders)
  for (const path of [...files.keys(), ...queue.map((item) => item.path)]) {
    for (const above of [path, ...foldersAbove(path)]) empty.delete(above)
  }
  return { files, folders, empty, whole: queue.length === 0 }
}

/** From the nearest on. */
export function foldersAbove(path: string): string[] {
  const parts = path.replace(/\/$/, '').split('/')
  return parts.slice(1).map((_, i) => parts.slice(0, parts.length - 1 - i).join('/'))
}

/** What was there before is looked for once more: it may be in the snapshot by now. */
export async function looseChanges(workspace: string, before: Loose, after: Loose): Promise<LooseChange[]> {
  const changes: LooseChange[] = []
  for (const [path, mark] of before.files) {
    const now =
      after.files.get(path) ??
      (await markOf(mark.bytes ?? join(workspace, path.replace(/\/$/, '')), mark.kind, path.endsWith('/')))
    if (now === null) changes.push({ path, kind: mark.kind, how: 'deleted' })
    else if (now.size !== mark.size || now.time !== mark.time) changes.push({ path, kind: mark.kind, how: 'changed' })
  }
  if (!before.whole) return changes
  for (const [path, { kind }] of after.files) {
    if (!before.files.has(path)) changes.push({ path, kind, how: 'made' })
  }
  return changes
}

/** Git says `./` where it has nothing of a part of a repository. */
async function spelledOut(names: readonly Buffer[], workspace: string): Promise<readonly Buffer[]> {
  if (!names.some((name) => name.toString() === './')) return names
  const inside = await readdir(workspace, { withFileTypes: true, encoding: 'buffer' }).catch(() => [])
  return inside.map((one) => (one.isDirectory() ? Buffer.concat([one.name, Buffer.from('/')]) : one.name))
}

function itemOf(bytes: Buffer, { workspace, large, nested, own }: LoosePlace): Item[] {
  const name = textOf(bytes)
  if (name === '' || own.some((one) => name === `${one}/` || name.startsWith(`${one}/`))) return []
  const folder = name.endsWith('/')
  const path = folder ? name.slice(0, -1) : name
  if (!isUtf8(bytes))
    return [{ path, folder, kind: 'odd-name', bytes: Buffer.concat([Buffer.from(`${workspace}/`), bytes]) }]
  return [{ path, folder, kind: large.has(path) ? 'large' : nested.has(path) ? 'nested' : 'ignored' }]
}

/** What is in it, when it is a folder. */
async function look(
  { path, kind, folder, bytes }: Item,
  { workspace, own, heavy, nested }: LoosePlace,
  files: Map<string, Mark>,
  folders: Set<string>,
): Promise<Item[]> {
  const full = bytes ?? Buffer.from(join(workspace, path))
  const closed = folder && heavy.includes(path.slice(path.lastIndexOf('/') + 1))
  if (!folder || closed) {
    const mark = await markOf(full, kind, closed)
    if (mark !== null) files.set(closed ? `${path}/` : path, bytes === undefined ? mark : { ...mark, bytes })
    return []
  }
  if (bytes === undefined) folders.add(path)
  const inside = await readdir(full, { withFileTypes: true, encoding: 'buffer' }).catch(() => [])
  const repository = inside.some(({ name }) => name.toString() === '.git')
  return inside.flatMap((one) => {
    const below = `${path}/${textOf(one.name)}`
    if (own.includes(below)) return []
    const odd = bytes !== undefined || !isUtf8(one.name)
    const at = odd ? { bytes: Buffer.concat([full, Buffer.from('/'), one.name]) } : {}
    const its = odd ? 'odd-name' : repository || nested.has(below) ? 'nested' : kind
    return [{ path: below, kind: its, folder: one.isDirectory(), ...at }]
  })
}

/** Bytes that are no text are shown by their numbers. */
function textOf(name: Buffer): string {
  if (isUtf8(name)) return name.toString('utf8')
  return [...name].map((byte) => (byte < 128 ? String.fromCharCode(byte) : `\\x${byte.toString(16)}`)).join('')
}

/** A folder that is not looked into is the same as long as it is the same folder. */
async function markOf(full: string | Buffer, kind: LooseKind, closed: boolean): Promise<Mark | null> {
  try {
    const stat = await lstat(full)
    const inode = inodeText(stat)
    // The number of a folder that was removed may be that of the next one.
    return closed
      ? { kind, size: stat.ino, time: stat.birthtimeMs, inode }
      : { kind, size: stat.size, time: stat.mtimeMs, inode }
  } catch {
    return null
  }
}

/** What a file keeps when it is moved; null where the number is none, or too large to be told from its neighbours. */
export function inodeText({ dev, ino }: Stats): string | null {
  return ino > 0 && Number.isSafeInteger(ino) ? `${dev}:${ino}` : null
}
