/** Commands that somebody may have meant. */
import type { Command } from './context.ts'

/** Names within two typing errors of `name`, or that share its beginning; nearest first, at most three. */
export function nearest(name: string, commands: readonly Command[]): string[] {
  const ranked: { name: string; distance: number }[] = []
  for (const command of commands) {
    const all = [command.name, ...(command.aliases ?? [])]
    const distance = Math.min(
      ...all.map((one) => (one.startsWith(name) || name.startsWith(one) ? 1 : edits(name, one))),
    )
    if (distance <= Math.min(2, Math.max(1, name.length - 2))) ranked.push({ name: command.name, distance })
  }
  ranked.sort((a, b) => a.distance - b.distance)
  return ranked.slice(0, 3).map((one) => one.name)
}

/** Insertions, deletions, replacements and swaps of neighbours between two words. */
function edits(one: string, other: string): number {
  let before: number[] = []
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i++) {
    const row = [i]
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1] ? 0 : 1
      let best = Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + same)
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) {
        best = Math.min(best, (before[j - 2] ?? 0) + 1)
      }
      row.push(best)
    }
    before = previous
    previous = row
  }
  return previous[other.length] ?? 0
}
