/** Reads what git prints for programs: lists of paths, changes between two trees, contents. */
import { GitFailure } from './git.ts'

export type TreeChange = {
  /** Relative, with `/`. */
  path: string
  before: TreeSide
  after: TreeSide
}
/** `mode` are permission bits as far as known; null where there was nothing. */
export type TreeSide = { blob: string; link: boolean; mode: number } | null

/** `TAG path\0`: each path once. Names that are no UTF-8 cannot be told by us; git keeps them out of the way of the others. */
export function pathsIn(listed: Buffer): Set<string> {
  const names = new Set<string>()
  for (const entry of listed.toString('utf8').split('\0')) {
    const name = entry.slice(2)
    if (name !== '' && !name.includes('\ufffd')) names.add(name)
  }
  return names
}

/** `:oldmode newmode oldblob newblob STATUS\0path\0` */
export function changesIn(
  raw: Buffer,
  oldModes: ReadonlyMap<string, number>,
  newModes: ReadonlyMap<string, number>,
): TreeChange[] {
  const parts = raw.toString('utf8').split('\0')
  const out: TreeChange[] = []
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const [oldMode = '', newMode = '', oldBlob = '', newBlob = ''] = (parts[i] ?? '').slice(1).split(' ')
    const path = parts[i + 1] ?? ''
    const side = (mode: string, blob: string, modes: ReadonlyMap<string, number>): TreeSide => {
      if (/^0+$/.test(mode) || mode === '160000') return null
      const known = modes.get(path)
      const bits = Number.parseInt(mode.slice(-3), 8)
      // Git knows only whether it may be run; the rest is as it was seen last.
      const agrees = known !== undefined && (known & 0o100) === (bits & 0o100)
      return { blob, link: mode === '120000', mode: agrees ? known : bits }
    }
    out.push({ path, before: side(oldMode, oldBlob, oldModes), after: side(newMode, newBlob, newModes) })
  }
  return out
}

/** `blob type size\n…bytes…\n`, or `blob missing\n`. */
export function blobsIn(out: Buffer, count: number): (Buffer | null)[] {
  const all: (Buffer | null)[] = []
  let at = 0
  while (all.length < count) {
    const end = out.indexOf(10, at)
    if (end < 0) throw new GitFailure('git cat-file ended early', false)
    const [, type, size] = out.subarray(at, end).toString('latin1').split(' ')
    at = end + 1
    if (type === 'missing') all.push(null)
    else {
      const length = Number(size)
      all.push(out.subarray(at, at + length))
      at += length + 1
    }
  }
  return all
}
