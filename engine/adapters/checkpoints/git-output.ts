/** Reads what git prints for programs: lists of paths, changes between two trees, contents. */
import { isUtf8 } from 'node:buffer'
import { GitFailure } from './git.ts'

export type TreeChange = {
  /** Relative, with `/`. */
  path: string
  before: TreeSide
  after: TreeSide
}
/** `mode` are permission bits as far as known; null where there was nothing. */
export type TreeSide = { blob: string; link: boolean; mode: number } | null

/** `path\0`, as bytes: a name need not be text. */
export function namesIn(listed: Buffer): Buffer[] {
  const names: Buffer[] = []
  for (let at = 0; at < listed.length; ) {
    const end = listed.indexOf(0, at)
    const stop = end < 0 ? listed.length : end
    if (stop > at) names.push(listed.subarray(at, stop))
    at = stop + 1
  }
  return names
}

/** Each path once. Names that are no UTF-8 cannot be told by us; git keeps them out of the way of the others. */
export function pathsIn(listed: Buffer): Set<string> {
  const text = listed.toString('utf8')
  // The mark for what is no text may also be what the name holds.
  const names = text.includes('\ufffd')
    ? namesIn(listed).flatMap((name) => (isUtf8(name) ? [name.toString('utf8')] : []))
    : text.split('\0')
  return new Set(names.filter((name) => name !== ''))
}

/** `mode type blob\tpath\0`: the files that are in both, with two permissions for each where these differ. */
export function modesChanged(
  listed: Buffer,
  oldModes: ReadonlyMap<string, number>,
  newModes: ReadonlyMap<string, number>,
): TreeChange[] {
  return listed
    .toString('utf8')
    .split('\0')
    .flatMap((entry) => {
      const [, mode = '', blob = '', path = ''] = /^(100\d{3}) blob ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? []
      if (path === '' || oldModes.get(path) === newModes.get(path)) return []
      const side = (modes: ReadonlyMap<string, number>) => ({ blob, link: false, mode: modeOf(mode, modes.get(path)) })
      const [before, after] = [side(oldModes), side(newModes)]
      return before.mode === after.mode ? [] : [{ path, before, after }]
    })
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
      return { blob, link: mode === '120000', mode: modeOf(mode, modes.get(path)) }
    }
    out.push({ path, before: side(oldMode, oldBlob, oldModes), after: side(newMode, newBlob, newModes) })
  }
  return out
}

/** Git knows only whether it may be run; the rest is as it was seen last. */
function modeOf(inTree: string, known: number | undefined): number {
  const bits = Number.parseInt(inTree.slice(-3), 8)
  return known !== undefined && (known & 0o100) === (bits & 0o100) ? known : bits
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
