/**
 * Which rows of a long list are on screen. The reader's place is the item and row at the top edge, so nothing that is added
 * below, folded above or estimated anywhere can move it; only rows near the window are ever measured.
 */

/** `count` items; `heightOf` measures one in rows and is asked for visible or passed items only. */
export type Rows = { count: number; heightOf(index: number): number }

/** The item at the top edge and how many of its rows are above it. */
export type Anchor = { index: number; offset: number }

/** `seen` is the number of items there were when the reader left the end: what came since is new. */
export type Scroll = { follow: true } | { follow: false; anchor: Anchor; seen: number }

/** Rows `from` up to `to` (exclusive) of an item. */
export type Slice = { index: number; from: number; to: number }

export type Window = {
  slices: Slice[]
  /** The place of the first visible row. */
  top: Anchor
  /** Rows in all slices; less than the height only when there are no more. */
  rows: number
  atTop: boolean
  atEnd: boolean
  /** Items after the reader left the end. */
  fresh: number
}

export const following: Scroll = { follow: true }

/** The visible slices for a window of `height` rows. */
export function windowAt(scroll: Scroll, rows: Rows, height: number): Window {
  const end = endAnchor(rows, height)
  const wanted = scroll.follow ? end : clamp(scroll.anchor, rows)
  const top = before(end, wanted) ? end : wanted
  const slices: Slice[] = []
  let used = 0
  let { index, offset } = top
  while (index < rows.count && used < height) {
    const own = rows.heightOf(index)
    const to = Math.min(own, offset + height - used)
    if (to > offset) {
      slices.push({ index, from: offset, to })
      used += to - offset
    }
    if (to < own) break
    index++
    offset = 0
  }
  const last = slices[slices.length - 1]
  return {
    slices,
    top,
    rows: used,
    atTop: top.index === 0 && top.offset === 0,
    atEnd: !before(top, end),
    fresh: scroll.follow || last === undefined ? 0 : Math.max(0, rows.count - Math.max(scroll.seen, last.index + 1)),
  }
}

/** Moves by `delta` rows (down is positive). Reaching the end by moving down follows again. */
export function moveBy(scroll: Scroll, delta: number, rows: Rows, height: number): Scroll {
  const { top } = windowAt(scroll, rows, height)
  return at(delta < 0 ? up(top, -delta, rows) : down(top, delta, rows), delta > 0, scroll, rows, height)
}

export function toTop(scroll: Scroll, rows: Rows, height: number): Scroll {
  return at({ index: 0, offset: 0 }, false, scroll, rows, height)
}

/** Puts row `offset` of item `index` at the top edge, or `margin` rows below it. */
export function toRow(scroll: Scroll, index: number, offset: number, rows: Rows, height: number, margin = 0): Scroll {
  return at(up(clamp({ index, offset }, rows), margin, rows), false, scroll, rows, height)
}

/** Brings row `offset` of item `index` into the window, moving only when it is outside. */
export function reveal(scroll: Scroll, index: number, offset: number, rows: Rows, height: number): Scroll {
  const { slices } = windowAt(scroll, rows, height)
  if (slices.some((slice) => slice.index === index && offset >= slice.from && offset < slice.to)) return scroll
  return toRow(scroll, index, offset, rows, height, Math.floor(height / 3))
}

/** The place at which the last `height` rows begin. */
function endAnchor(rows: Rows, height: number): Anchor {
  let left = height
  for (let index = rows.count - 1; index >= 0; index--) {
    const own = rows.heightOf(index)
    if (own >= left) return { index, offset: own - left }
    left -= own
  }
  return { index: 0, offset: 0 }
}

function at(anchor: Anchor, downwards: boolean, scroll: Scroll, rows: Rows, height: number): Scroll {
  const end = endAnchor(rows, height)
  const short = end.index === 0 && end.offset === 0
  // A list that fits has one place only, and that one follows.
  if (short || (downwards && !before(anchor, end))) return following
  const seen = scroll.follow ? rows.count : scroll.seen
  return { follow: false, anchor: before(end, anchor) ? end : anchor, seen }
}

function up(from: Anchor, by: number, rows: Rows): Anchor {
  let { index, offset } = from
  let left = by
  while (left > offset && index > 0) {
    left -= offset
    index--
    offset = rows.heightOf(index)
  }
  return { index, offset: Math.max(0, offset - left) }
}

function down(from: Anchor, by: number, rows: Rows): Anchor {
  let { index, offset } = from
  let left = by
  while (index < rows.count - 1) {
    const below = rows.heightOf(index) - offset
    if (left < below) break
    left -= below
    index++
    offset = 0
  }
  return clamp({ index, offset: offset + left }, rows)
}

/** An item may have shrunk or gone since the place was noted. */
function clamp(anchor: Anchor, rows: Rows): Anchor {
  if (rows.count === 0) return { index: 0, offset: 0 }
  const index = Math.min(Math.max(anchor.index, 0), rows.count - 1)
  const own = rows.heightOf(index)
  return { index, offset: Math.min(Math.max(anchor.offset, 0), Math.max(0, own - 1)) }
}

function before(a: Anchor, b: Anchor): boolean {
  return a.index < b.index || (a.index === b.index && a.offset < b.offset)
}
