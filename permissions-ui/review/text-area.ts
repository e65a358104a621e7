/** A small editor of several lines: a pure function from a key press to the next state; bytes it does not touch stay. */
import type { KeyPress } from '../keys.ts'
import { graphemes } from '../text/cells.ts'

/** `column` counts UTF-16 units before the caret, always between two graphemes. */
export type TextArea = { lines: readonly string[]; row: number; column: number }

export function openArea(text: string, row = 0): TextArea {
  const lines = text.split('\n')
  return { lines, row: Math.max(0, Math.min(row, lines.length - 1)), column: 0 }
}

export function areaText(area: TextArea): string {
  return area.lines.join('\n')
}

/** The text after `press`, or null when the key means nothing to an editor. `page` is how many lines a page has. */
export function editArea(area: TextArea, press: KeyPress, page = 10): TextArea | null {
  const { lines, row, column } = area
  const line = lines[row] ?? ''
  const before = line.slice(0, column)
  const after = line.slice(column)
  const to = (nextRow: number, nextColumn: number): TextArea => {
    const at = Math.max(0, Math.min(lines.length - 1, nextRow))
    return { lines, row: at, column: boundary(lines[at] ?? '', nextColumn) }
  }
  const put = (...fresh: string[]): TextArea => ({
    ...area,
    lines: [...lines.slice(0, row), ...fresh, ...lines.slice(row + 1)],
  })
  switch (press.name) {
    case 'left':
    case 'ctrl+b':
      if (column > 0) return to(row, column - (graphemes(before).at(-1)?.length ?? 1))
      return row > 0 ? to(row - 1, Number.POSITIVE_INFINITY) : area
    case 'right':
    case 'ctrl+f':
      if (after !== '') return to(row, column + (graphemes(after)[0]?.length ?? 1))
      return row + 1 < lines.length ? to(row + 1, 0) : area
    case 'up':
    case 'ctrl+p':
      return row > 0 ? to(row - 1, column) : to(row, 0)
    case 'down':
    case 'ctrl+n':
      return row + 1 < lines.length ? to(row + 1, column) : to(row, Number.POSITIVE_INFINITY)
    case 'pageup':
      return to(row - page, column)
    case 'pagedown':
      return to(row + page, column)
    case 'home':
    case 'ctrl+a':
      return to(row, 0)
    case 'end':
    case 'ctrl+e':
      return to(row, Number.POSITIVE_INFINITY)
    case 'backspace': {
      if (column > 0) {
        const cut = graphemes(before).at(-1)?.length ?? 1
        return { ...put(before.slice(0, -cut) + after), column: column - cut }
      }
      const above = lines[row - 1]
      if (above === undefined) return area
      return {
        lines: [...lines.slice(0, row - 1), above + line, ...lines.slice(row + 1)],
        row: row - 1,
        column: above.length,
      }
    }
    case 'delete':
    case 'ctrl+d': {
      if (after !== '') return put(before + after.slice(graphemes(after)[0]?.length ?? 1))
      const below = lines[row + 1]
      return below === undefined
        ? area
        : { ...area, lines: [...lines.slice(0, row), line + below, ...lines.slice(row + 2)] }
    }
    case 'ctrl+u':
      return { ...put(after), column: 0 }
    case 'ctrl+k':
      return after === '' ? editArea(area, { ...press, name: 'delete' }, page) : put(before)
    case 'ctrl+w':
    case 'alt+backspace': {
      const kept = before.replace(/[^\s]+\s*$|\s+$/, '')
      return { ...put(kept + after), column: kept.length }
    }
    case 'return': {
      const indent = /^[ \t]*/.exec(before)?.[0] ?? ''
      return { ...put(before, indent + after), row: row + 1, column: indent.length }
    }
    case 'tab':
      return insertArea(area, lines.some((text) => text.startsWith('\t')) ? '\t' : '  ')
    default:
      return press.text === '' ? null : insertArea(area, press.text)
  }
}

/** Inserts at the caret as it is; only line ends are made one kind, and what a terminal acts on is left out. */
export function insertArea(area: TextArea, text: string): TextArea {
  const { lines, row, column } = area
  const line = lines[row] ?? ''
  const clean = text.replace(/\r\n?/g, '\n').replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '')
  const fresh = (line.slice(0, column) + clean).split('\n')
  const end = fresh.at(-1) ?? ''
  const at = row + fresh.length - 1
  return {
    lines: [...lines.slice(0, row), ...fresh.slice(0, -1), end + line.slice(column), ...lines.slice(row + 1)],
    row: at,
    column: end.length,
  }
}

/** The nearest place at or before `column` that is between two graphemes. */
function boundary(line: string, column: number): number {
  if (column >= line.length) return line.length
  let at = 0
  for (const grapheme of graphemes(line)) {
    if (at + grapheme.length > column) break
    at += grapheme.length
  }
  return Math.max(0, at)
}
