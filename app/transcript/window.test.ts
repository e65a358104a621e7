import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { following, moveBy, type Rows, reveal, type Scroll, toRow, toTop, windowAt } from './window.ts'

/** Items with given heights that count how often one of them is measured. */
function list(heights: readonly number[]): Rows & { measured(): number } {
  let measured = 0
  return {
    count: heights.length,
    heightOf(index) {
      measured++
      return heights[index] ?? 0
    },
    measured: () => measured,
  }
}

/** The visible rows as `item.row` names. */
function visible(scroll: Scroll, rows: Rows, height: number): string[] {
  return windowAt(scroll, rows, height).slices.flatMap(({ index, from, to }) =>
    Array.from({ length: to - from }, (_, i) => `${index}.${from + i}`),
  )
}

function all(heights: readonly number[]): string[] {
  return heights.flatMap((height, index) => Array.from({ length: height }, (_, row) => `${index}.${row}`))
}

const heights = fc.array(fc.nat(7), { maxLength: 30 })
const height = fc.integer({ min: 1, max: 12 })
const moves = fc.array(fc.integer({ min: -9, max: 9 }), { maxLength: 12 })

describe('the window', () => {
  test('is always one run of rows, as full as the list allows', () => {
    fc.assert(
      fc.property(heights, height, moves, (list0, rowsHigh, steps) => {
        const rows = list(list0)
        const scroll = steps.reduce<Scroll>((now, by) => moveBy(now, by, rows, rowsHigh), following)
        const shown = visible(scroll, rows, rowsHigh)
        const whole = all(list0)
        expect(shown).toHaveLength(Math.min(rowsHigh, whole.length))
        const from = whole.indexOf(shown[0] ?? '')
        expect(whole.slice(from, from + shown.length)).toEqual(shown.length === 0 ? [] : shown)
        expect(windowAt(scroll, rows, rowsHigh).atEnd).toBe(shown.at(-1) === whole.at(-1))
        expect(windowAt(scroll, rows, rowsHigh).rows).toBe(shown.length)
      }),
    )
  })

  test('moves exactly as many rows as asked, up to the ends', () => {
    fc.assert(
      fc.property(heights, height, moves, (list0, rowsHigh, steps) => {
        const rows = list(list0)
        const whole = all(list0)
        const last = Math.max(0, whole.length - rowsHigh)
        let scroll: Scroll = following
        let place = last
        for (const by of steps) {
          scroll = moveBy(scroll, by, rows, rowsHigh)
          place = Math.min(last, Math.max(0, place + by))
          expect(visible(scroll, rows, rowsHigh)[0]).toBe(whole[place])
        }
      }),
    )
  })

  test('follows the end, and follows again once it is reached by moving down', () => {
    fc.assert(
      fc.property(heights, height, fc.nat(40), (list0, rowsHigh, by) => {
        const rows = list(list0)
        expect(visible(following, rows, rowsHigh).at(-1)).toBe(all(list0).at(-1))
        const up = moveBy(following, -by, rows, rowsHigh)
        expect(moveBy(up, 10_000, rows, rowsHigh)).toEqual(following)
      }),
    )
  })

  test('does not move a reader when items come, grow or fold anywhere below or above', () => {
    fc.assert(
      fc.property(
        heights,
        height,
        fc.integer({ min: 1, max: 40 }),
        heights,
        fc.nat(9),
        (list0, rowsHigh, by, more, grown) => {
          const rows = list(list0)
          const scroll = moveBy(following, -by, rows, rowsHigh)
          if (scroll.follow) return
          const { top, slices } = windowAt(scroll, rows, rowsHigh)
          const lastShown = slices.at(-1)?.index ?? 0
          const changed = list0.map((own, index) => (index < top.index || index > lastShown ? grown : own))
          const after = list([...changed, ...more])
          // Folding may leave too few rows below; then there is no such window to keep.
          const below = all([...changed, ...more]).length - all(changed.slice(0, top.index)).length - top.offset
          if (below < rowsHigh) return
          expect(visible(scroll, after, rowsHigh)).toEqual(visible(scroll, rows, rowsHigh))
          expect(windowAt(scroll, after, rowsHigh).fresh).toBe(more.length)
        },
      ),
    )
  })

  test('puts a row at the top edge, below a margin, or just into sight', () => {
    const rows = list([3, 3, 3, 3, 3])
    expect(visible(toRow(following, 1, 1, rows, 4), rows, 4)).toEqual(['1.1', '1.2', '2.0', '2.1'])
    expect(visible(toRow(following, 2, 0, rows, 4, 2), rows, 4)).toEqual(['1.1', '1.2', '2.0', '2.1'])
    expect(visible(toRow(following, 4, 2, rows, 4), rows, 4)).toEqual(['3.2', '4.0', '4.1', '4.2'])
    const top = toTop(following, rows, 4)
    expect(visible(top, rows, 4)[0]).toBe('0.0')
    expect(reveal(top, 1, 0, rows, 4)).toBe(top)
    expect(visible(reveal(top, 3, 0, rows, 4), rows, 4)).toContain('3.0')
  })

  test('keeps its place when the item at the edge shrinks or the list does', () => {
    const scroll = toRow(following, 2, 5, list([4, 4, 8, 9, 9]), 4)
    expect(visible(scroll, list([4, 4, 2, 9, 9]), 4)).toEqual(['2.1', '3.0', '3.1', '3.2'])
    expect(visible(scroll, list([4]), 4)).toEqual(['0.0', '0.1', '0.2', '0.3'])
    expect(visible(scroll, list([]), 4)).toEqual([])
  })

  test('measures only what is near, in a list of 100,000', () => {
    const rows = list(Array.from({ length: 100_000 }, (_, i) => i % 5))
    const scroll = moveBy(moveBy(following, -500, rows, 40), 100, rows, 40)
    windowAt(scroll, rows, 40)
    expect(rows.measured()).toBeLessThan(2_500)
    const before = rows.measured()
    windowAt(toTop(scroll, rows, 40), rows, 40)
    expect(rows.measured() - before).toBeLessThan(150)
  })
})
