/** Where a folder does not tell `a` from `A`, or one form of `ä` from another, one file answers to several names. */
import { lstat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** The same for all names that may mean one file. */
export function spelledAlike(path: string): string {
  return path.normalize('NFC').toLowerCase()
}

/** Tells whether a file answers to its name in another spelling too; each folder is asked once for each kind of name. */
export function otherSpellings(): (path: string) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>()
  return async (path) => {
    const name = basename(path)
    const forms = new Set([name.toLowerCase(), name.toUpperCase(), name.normalize('NFC'), name.normalize('NFD')])
    forms.delete(name)
    if (forms.size === 0) return false
    const key = `${name === name.normalize('NFD') ? '' : 'ä'}${dirname(path)}`
    const answer = known.get(key) ?? answersTo(path, [...forms])
    known.set(key, answer)
    return answer
  }
}

async function answersTo(path: string, forms: readonly string[]): Promise<boolean> {
  const stats = [basename(path), ...forms].map((form) => lstat(join(dirname(path), form)).catch(() => null))
  const [own, ...others] = await Promise.all(stats)
  return others.some((other) => other !== null && other.ino === own?.ino && other.dev === own.dev)
}
