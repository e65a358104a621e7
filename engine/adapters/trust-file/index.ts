/** Which folders the person trusts, and what was in them when they said so. */
import { readFileSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { withLock } from '../file-lock.ts'
import { makeFolder } from '../make-folder.ts'
import { replaceFile } from '../replace-file.ts'

/** `since` is ISO 8601. `contents`: what was shown, by name, as sha256 in hex. */
export type TrustedFolder = { since: string; contents: Record<string, string> }

export interface TrustFile {
  /** By the canonical path of the very folder: neither folders in it nor a repository it claims to belong to count. */
  folder(path: string): TrustedFolder | null
  folders(): Record<string, TrustedFolder>
  /** Adds the folder or renews what is known of it; rejects with the system's error when that cannot be written. */
  trust(path: string, folder: TrustedFolder): Promise<void>
  /** What a folder's own rules file held when the person approved it, or when we wrote it: sha256 in hex. */
  approvedRules(path: string): string | null
  approveRules(path: string, sha256: string): Promise<void>
  /** True when the folder had been trusted; its rules are no longer approved either. */
  forget(path: string): Promise<boolean>
}

/**
 * `file` is read anew each time, since other processes write it too. A file that cannot be read trusts nothing; one that
 * is no JSON of ours is put aside as `FILE.corrupt-…` before it is written.
 */
export function createTrustFile(file: string, now: () => number = Date.now): TrustFile {
  async function change(
    edit: (folders: Record<string, TrustedFolder>, rules: Record<string, string>) => void,
  ): Promise<void> {
    makeFolder(dirname(file))
    await withLock(`${file}.lock`, async () => {
      const read = readFolders(file)
      if (read.corrupt) await rename(file, `${file}.corrupt-${now()}`)
      edit(read.folders, read.rules)
      const rules = Object.keys(read.rules).length === 0 ? {} : { rules: read.rules }
      await replaceFile(file, `${JSON.stringify({ v: 1, folders: read.folders, ...rules }, null, 2)}\n`)
    })
  }
  return {
    folder: (path) => ownField(readFolders(file).folders, path) ?? null,
    folders: () => readFolders(file).folders,
    trust: (path, folder) =>
      change((folders) => {
        folders[path] = folder
      }),
    approvedRules: (path) => ownField(readFolders(file).rules, path) ?? null,
    approveRules: (path, sha256) =>
      change((_folders, rules) => {
        rules[path] = sha256
      }),
    async forget(path) {
      if (!ownField(readFolders(file).folders, path)) return false
      await change((folders, rules) => {
        delete folders[path]
        delete rules[path]
      })
      return true
    },
  }
}

type Kept = { folders: Record<string, TrustedFolder>; rules: Record<string, string>; corrupt: boolean }

function readFolders(file: string): Kept {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return { folders: {}, rules: {}, corrupt: false }
  }
  const folders: Record<string, TrustedFolder> = {}
  const whole = parsed(text)
  const found = whole?.folders
  const rules = strings(whole?.rules)
  if (!isRecord(found)) return { folders, rules, corrupt: text.trim() !== '' }
  for (const [path, folder] of Object.entries(found)) {
    if (!isRecord(folder) || typeof folder.since !== 'string') continue
    folders[path] = { since: folder.since, contents: strings(folder.contents) }
  }
  return { folders, rules, corrupt: false }
}

function strings(value: unknown): Record<string, string> {
  const entries = Object.entries(isRecord(value) ? value : {})
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

function ownField<T>(record: Record<string, T>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
