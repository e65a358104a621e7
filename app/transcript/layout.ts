/** Rows and heights of transcript entries, made when they come near the window and kept for a while. */
import type { StyledRow } from '@sluice/permissions-ui'
import { currentLexer } from '../markdown/lexer.ts'
import type { MarkdownRows } from '../markdown/markdown-rows.ts'
import type { Entries, Entry } from './entries.ts'
import { entryRows, needsSpace, type Openness, openness, type RowsContext } from './item-rows.ts'
import type { Rows } from './window.ts'

/** Rows that are kept ready around the window; older ones are made again when they are needed. */
const keptRows = 6_000

export type Layout = {
  /** Rows for the window functions. Valid until the next `use`. */
  use(entries: Entries, context: RowsContext): Rows & { rowsAt(index: number): readonly StyledRow[] }
}

type Made = { rows: readonly StyledRow[]; open: Openness; spaced: boolean }
type LayoutKey = { width: number; theme: RowsContext['theme']; lexed: boolean }
type Height = { height: number; open: Openness; spaced: boolean; key: LayoutKey }

/** One per transcript on screen. */
export function createLayout(): Layout {
  /** Least recently used first. */
  const made = new Map<object, Made>()
  const heights = new WeakMap<object, Height>()
  /** What is alive changes with every chunk: only its last version is kept, by entry id. */
  const alive = new Map<string, Made & { identity: object }>()
  let held = 0
  let streaming: MarkdownRows | undefined
  let key: LayoutKey | null = null

  function keyFor(context: RowsContext): LayoutKey {
    const lexed = currentLexer() !== null
    if (key && key.width === context.width && key.theme === context.theme && key.lexed === lexed) return key
    key = { width: context.width, theme: context.theme, lexed }
    made.clear()
    alive.clear()
    held = 0
    streaming = undefined
    return key
  }

  return {
    use(entries, context) {
      const now = keyFor(context)

      function look(index: number): { entry: Entry; identity: object; open: Openness; spaced: boolean } | null {
        const entry = entries.entryAt(index)
        if (entry === undefined) return null
        return {
          entry,
          identity: entry.kind === 'live-call' ? entry.call : entry,
          open: openness(entry, context.opened),
          spaced: needsSpace(entries.entryAt(index - 1), entry),
        }
      }

      function rowsAt(index: number): readonly StyledRow[] {
        const one = look(index)
        if (one === null) return none
        const { entry, identity, open, spaced } = one
        const living = alive.get(entry.id)
        const known = living?.identity === identity ? living : made.get(identity)
        if (known && known.open === open && known.spaced === spaced) {
          if (made.delete(identity)) made.set(identity, known)
          return known.rows
        }
        // The words that just settled were drawn while they streamed: their finished blocks need no second reading.
        const words = entry.kind === 'live-text' || entry.kind === 'assistant'
        const { rows, markdown } = entryRows(entry, spaced, context, words ? streaming : undefined)
        if (entry.kind === 'live-text') streaming = markdown
        if (entry.kind === 'live-text' || entry.kind === 'live-call') {
          if (alive.size > 64) alive.clear()
          alive.set(entry.id, { identity, rows, open, spaced })
        } else keep(identity, { rows, open, spaced })
        heights.set(identity, { height: rows.length, open, spaced, key: now })
        return rows
      }

      function heightOf(index: number): number {
        const one = look(index)
        if (one === null) return 0
        const known = heights.get(one.identity)
        if (known && known.key === now && known.open === one.open && known.spaced === one.spaced) return known.height
        return rowsAt(index).length
      }

      return { count: entries.count, heightOf, rowsAt }
    },
  }

  function keep(identity: object, one: Made): void {
    held += one.rows.length - (made.get(identity)?.rows.length ?? 0)
    made.delete(identity)
    made.set(identity, one)
    for (const [oldest, old] of made) {
      if (held <= keptRows || oldest === identity) break
      made.delete(oldest)
      held -= old.rows.length
    }
  }
}

const none: readonly StyledRow[] = []
