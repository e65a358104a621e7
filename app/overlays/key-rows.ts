/** The rows of the key help, made from the table, and the search in them. */
import { cellWidth, type KeyTable, padCells, truncateCells, wrapCells } from '@sluice/permissions-ui'
import { isAbsent } from '../keymap/absent.ts'
import { contextTitles } from '../keymap.ts'

/** One line of the screen: `right` is dim. */
export type HelpLine = { kind: 'title' | 'key'; left: string; right: string }

export type HelpRow = { kind: 'title'; text: string } | { kind: 'key'; keys: string; help: string }

/** Everything that is bound, by context; `query` words must all occur in a row (or in its title). Contexts without rows are left out. */
export function keyRows(
  table: KeyTable,
  commands: readonly { name: string; description: string; argumentHint?: string }[],
  query: string,
  ascii = false,
): HelpRow[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const sections: { title: string; rows: { keys: string; help: string }[] }[] = []
  for (const context of orderOf(table)) {
    const rows = Object.entries(table[context] ?? {})
      .filter(([action, { keys }]) => keys.length > 0 && !isAbsent(context, action))
      .map(([, { keys, help }]) => ({ keys: shownKeys(keys, ascii), help }))
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

/** The rows in `width` cells: keys in a column of their own, what they do wrapped beside them. Nothing is cut but what is wider than the screen. */
export function helpLines(rows: readonly HelpRow[], width: number): HelpLine[] {
  const most = width < 60 ? 13 : Math.floor(width * 0.4)
  const keys = Math.min(most, Math.max(0, ...rows.map((row) => (row.kind === 'key' ? cellWidth(row.keys) : 0))))
  const out: HelpLine[] = []
  for (const row of rows) {
    if (row.kind === 'title') {
      out.push({ kind: 'title', left: truncateCells(` ${row.text}`, width), right: '' })
      continue
    }
    const left = wrapCells(row.keys, keys)
    const right = wrapCells(row.help, Math.max(8, width - keys - 4))
    for (let line = 0; line < Math.max(left.length, right.length); line++) {
      out.push({ kind: 'key', left: `  ${padCells(left[line] ?? '', keys)}  `, right: right[line] ?? '' })
    }
  }
  return out
}

/** `ctrl+x 1 … 9` for a run of digits, signs for return and the arrows; words alone with `ascii`. */
export function shownKeys(keys: readonly string[], ascii = false): string {
  const digits = keys.filter((key) => /\b[1-9]$/.test(key))
  if (digits.length > 2 && digits.length === keys.length)
    return `${keys[0]} ${ascii ? 'to' : '…'} ${keys.at(-1)?.slice(-1)}`
  return keys.map((key) => shownKey(key, ascii)).join('  ')
}

function shownKey(key: string, ascii: boolean): string {
  if (ascii) return key.replaceAll('return', 'enter').replaceAll('escape', 'esc')
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
