/** Fuzzy file completion over a list that is read once and kept for a while. */

export type ListFiles = (signal: AbortSignal) => Promise<readonly string[]>

/**
 * Completes by name and path, best first, at most `limit`. `list` gives paths relative to the workspace, ignored ones left
 * out; it is asked again when its answer is older than `maxAgeMs`, while the old one is still used. Folders are offered too.
 */
export function createFileCompleter(
  list: ListFiles,
  options: { limit?: number; maxAgeMs?: number; now?: () => number } = {},
): (query: string, signal: AbortSignal) => Promise<string[]> {
  const limit = options.limit ?? 50
  const maxAge = options.maxAgeMs ?? 5000
  const now = options.now ?? (() => performance.now())
  let known: { paths: string[]; time: number } | null = null
  let reading: Promise<void> | null = null

  function read(): Promise<void> {
    // Its own signal: the list is for all queries, whichever asked first.
    reading ??= list(new AbortController().signal)
      .then((files) => {
        known = { paths: withFolders(files), time: now() }
      })
      .finally(() => {
        reading = null
      })
    return reading
  }

  return async (query, signal) => {
    if (known === null) await read()
    else if (now() - known.time > maxAge) void read().catch(() => {})
    if (signal.aborted || known === null) return []
    const { paths } = known as { paths: string[] }
    if (query === '') return shallow(paths, limit)
    const { default: fuzzysort } = await import('fuzzysort')
    if (signal.aborted) return []
    return fuzzysort.go(query, paths, { limit }).map((result) => result.target)
  }
}

/** Without a query: what lies nearest to the root. */
function shallow(paths: readonly string[], limit: number): string[] {
  return paths
    .filter((path) => !path.slice(0, -1).includes('/'))
    .sort()
    .slice(0, limit)
}

function withFolders(files: readonly string[]): string[] {
  const folders = new Set<string>()
  for (const file of files) {
    for (let at = file.lastIndexOf('/'); at > 0; at = file.lastIndexOf('/', at - 1)) {
      const folder = file.slice(0, at + 1)
      if (folders.has(folder)) break
      folders.add(folder)
    }
  }
  return [...files, ...folders]
}
