/** The rows of the key help, made from the table, and the search in them. */
import type { KeyTable } from '@sluice/permissions-ui'
import { contextTitles } from '../keymap.ts'

export type HelpRow = { kind: 'title'; text: string } | { kind: 'key'; keys: string; help: string }

/** Everything that is bound, by context; `query` words must all occur in a row (or in its title). Contexts without rows are left out. */
export function keyRows(
  table: KeyTable,
  commands: readonly { name: string; description: string; argumentHint?: string }[],
  query: string,
): HelpRow[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const sections: { title: string; rows: { keys: string; help: string }[] }[] = []
  for (const context of orderOf(table)) {
    const rows = Object.values(table[context] ?? {})
      .filter(({ keys }) => keys.length > 0)
      .map(({ keys, help }) => ({ keys: shownKeys(keys), help }))
    sections.push({ title: contextTitles[context] ?? context, rows })
  }
  sections.push({
    title: 'Commands',
    rows: commands.map(({ name, description, argumentHint }) => ({
      keys: `/${name}${argumentHint === undefined ? '' : ` ${argumentHint}`}`,
      help: description,
    })),
  })
  const out: HelpRow[] = []
  for (const { title, rows } of sections) {
    const left = rows.filter(({ keys, help }) => {
      const text = `${title} ${keys} ${help}`.toLowerCase()
      return words.every((word) => text.includes(word))
    })
    if (left.length === 0) continue
    out.push({ kind: 'title', text: title })
    for (const row of left) out.push({ kind: 'key', ...row })
  }
  return out
}

/** `ctrl+x 1 … 9` for a run of digits, `⏎` for return. */
export function shownKeys(keys: readonly string[]): string {
  const digits = keys.filter((key) => /\b[1-9]$/.test(key))
  if (digits.length > 2 && digits.length === keys.length)
    return `${shownKey(keys[0] ?? '')} … ${keys.at(-1)?.slice(-1)}`
  return keys.map(shownKey).join('  ')
}

function shownKey(key: string): string {
  return key
    .replaceAll('return', '⏎')
    .replaceAll('escape', 'esc')
    .replace(/\bup$/, '↑')
    .replace(/\bdown$/, '↓')
    .replace(/\bleft$/, '←')
    .replace(/\bright$/, '→')
}

function orderOf(table: KeyTable): string[] {
  const known = Object.keys(contextTitles).filter((context) => table[context] !== undefined)
  return [...known, ...Object.keys(table).filter((context) => !known.includes(context))]
}
