/** What to say about a path that leads nowhere: which part of it is missing, and what has a similar name. */
import { readdir } from 'node:fs/promises'
import { basename, dirname, relative, sep } from 'node:path'
import { ToolFailure } from '@sluice/engine/ports'
import { editDistance } from './input-problems.ts'
import type { FilePath } from './paths.ts'

/** The failure for a file or folder that does not exist, with up to five similar names of the deepest existing folder. */
export async function missingPath(at: FilePath): Promise<ToolFailure> {
  let missing = at.path
  let names = await entries(dirname(missing))
  while (names === undefined && dirname(missing) !== missing) {
    missing = dirname(missing)
    names = await entries(dirname(missing))
  }
  const folder = shownFolder(dirname(missing), at)
  const near = nearNames(basename(missing), names ?? [])
  const what = missing === at.path ? '' : ` There is no ${basename(missing)} in ${folder}.`
  const hint =
    near.length > 0 ? `Similar in ${folder}: ${near.join(', ')}.` : 'Use glob or list_dir to find the right path.'
  return new ToolFailure(`${at.shown} does not exist.${what} ${hint}`, 'TOOL_EXECUTION_FAILED', {
    path: at.name,
    similar: near,
  })
}

/** Names that a person could have meant by `name`, best first, five at most. */
export function nearNames(name: string, names: string[]): string[] {
  const wanted = name.toLowerCase()
  const stem = (text: string) => text.replace(/\.[^.]*$/, '')
  const scored = names.map((candidate) => {
    const other = candidate.toLowerCase()
    if (other === wanted) return { candidate, score: 0 }
    if (stem(other) === stem(wanted)) return { candidate, score: 1 }
    const distance = editDistance(wanted, other)
    if (distance <= Math.max(2, Math.floor(wanted.length / 4))) return { candidate, score: 1 + distance }
    const contained = stem(wanted).length >= 3 && stem(other).length >= 3
    if (contained && (other.includes(stem(wanted)) || wanted.includes(stem(other)))) return { candidate, score: 50 }
    return { candidate, score: Number.POSITIVE_INFINITY }
  })
  return scored
    .filter((s) => Number.isFinite(s.score))
    .sort((a, b) => a.score - b.score || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, 5)
    .map((s) => s.candidate)
}

async function entries(folder: string): Promise<string[] | undefined> {
  try {
    const found = await readdir(folder, { withFileTypes: true })
    return found.map((entry) => (entry.isDirectory() ? `${entry.name}${sep}` : entry.name)).slice(0, 5000)
  } catch {
    return undefined
  }
}

/** A folder above `at`, written the way that `at` is shown. */
function shownFolder(folder: string, at: FilePath): string {
  const below = relative(folder, at.path)
  const shown = at.shown.endsWith(below) ? at.shown.slice(0, -below.length).replace(/[/\\]$/, '') : folder
  return shown === '' ? (at.inside ? 'the workspace root' : sep) : shown
}
