/** Files that changed just before a snapshot: git's index knows times by the second, so that it takes one more change for none. */
import type { Stats } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'

/** Longer than the second that an index can tell apart. */
const recently = 2_000
/** A few at a time: thousands at once would only wait for each other. */
const portion = 256

export interface Recent {
  /** As it is when a snapshot takes it in. */
  note(name: string, stat: Stats): void
  /** Those noted that changed since; one that is no longer recent is forgotten. */
  changed(): Promise<string[]>
}

export function recentFiles(workspace: string): Recent {
  let times = new Map<string, number>()
  return {
    note(name, { ctimeMs }) {
      if (ctimeMs > Date.now() - recently) times.set(name, ctimeMs)
    },
    async changed() {
      const noted = [...times]
      times = new Map(noted.filter(([, time]) => time > Date.now() - recently))
      const found: string[] = []
      const look = async ([name, time]: [string, number]) => {
        const stat = await lstat(join(workspace, name)).catch(() => null)
        if (stat !== null && stat.ctimeMs !== time) found.push(name)
      }
      for (let at = 0; at < noted.length; at += portion) await Promise.all(noted.slice(at, at + portion).map(look))
      return found
    },
  }
}
