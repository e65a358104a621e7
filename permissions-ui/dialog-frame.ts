/** The frame of a dialog as rows: what stands above and below the body, and how many rows that leaves for it. */
import { fitSpans, rowWidth, type StyledRow, type StyledSpan, styledRow } from './blocks/styled-row.ts'
import { type FrameInput, footRows, moreBelow } from './dialog-foot.ts'
import { requestHasHidden, visibleLine, visibleText } from './dialogs/body.ts'
import { summaryOf } from './review/state.ts'
import { cellWidth, truncateCells, wrapCells } from './text/cells.ts'
import type { Theme } from './theme.ts'

export type Frame = { header: StyledRow[]; footer: StyledRow[]; bodyHeight: number }

/** Least share of the height that a body gets before the frame around it shrinks. */
const leastBody = 0.42

/** Rows for any size: what does not fit is left out by weight, and the body keeps its share. */
export function dialogFrame(input: FrameInput): Frame {
  const { width, height, theme } = input
  const rule = styledRow({ text: theme.glyphs.horizontal.repeat(width), color: theme.muted })
  const head = headRows(input)
  const warning = warningRows(input)
  const model = modelRows(input)
  // What a short body leaves is the foot's: answers to choose from are the heart of a question.
  const most = Math.max(2, Math.floor(height / 2), height - input.rows - head.length - warning.length)
  const foot = footRows(input, most)
  // What must stand stands; the rest comes in this order while the body keeps its least.
  const least = Math.min(Math.max(1, input.rows), Math.max(3, Math.floor(height * leastBody)))
  let spare = height - 1 - warning.length - foot.length - least
  const take = (count: number): number => {
    const taken = Math.max(0, Math.min(count, spare))
    spare -= taken
    return taken
  }
  const heads = 1 + take(head.length - 1)
  const firstModel = take(Math.min(1, model.length))
  const rules = take(2)
  const models = firstModel + (firstModel > 0 ? take(model.length - 1) : 0)
  const header = [
    ...(heads < head.length && heads > 1 ? cutLast(head, heads, width, theme) : head.slice(0, heads)),
    ...(rules > 0 ? [input.within === undefined ? rule : titledRule(input.within, input)] : []),
    ...warning,
    ...(models < model.length && models > 0 ? cutLast(model, models, width, theme) : model.slice(0, models)),
  ]
  const footHeight = foot.length + (rules > 1 ? 1 : 0)
  const bodyHeight = Math.max(0, height - header.length - footHeight)
  // Only now it is known whether there is anything to scroll: the foot says so in as many rows.
  const below = Math.max(0, input.rows - input.state.scroll - bodyHeight)
  const told = { ...input, overflows: true, ...(rules > 1 ? {} : { below }) }
  const hints = bodyHeight < input.rows ? footRows(told, most) : foot
  const footer = [...(rules > 1 ? [below > 0 ? moreRule(below, input) : rule] : []), ...hints]
  const fit = (row: StyledRow): StyledRow =>
    rowWidth(row) <= width ? row : { spans: fitSpans(row.spans, width, theme.glyphs.ellipsis) }
  return {
    header: header.slice(0, height).map(fit),
    footer: footer.slice(0, Math.max(0, height - header.length)).map(fit),
    bodyHeight,
  }
}

/** A rule that says how much of the body lies below it. */
function moreRule(below: number, { width, theme }: FrameInput): StyledRow {
  const line = theme.glyphs.horizontal
  const text = moreBelow(below, theme)
  const rest = Math.max(0, width - cellWidth(text) - 3)
  return styledRow(
    { text: `${line.repeat(rest)} `, color: theme.muted },
    { text, color: theme.warn },
    { text: ` ${line}`, color: theme.muted },
  )
}

/** A rule that says what stands above the first row below it. */
function titledRule(title: string, { width, theme }: FrameInput): StyledRow {
  const line = theme.glyphs.horizontal
  const text = truncateCells(visibleLine(title), Math.max(0, width - 8), theme.glyphs.ellipsis)
  const rest = Math.max(0, width - cellWidth(text) - 4)
  return styledRow(
    { text: `${line} `, color: theme.muted },
    { text, color: theme.accent },
    { text: ` ${line.repeat(rest + 1)}`, color: theme.muted },
  )
}

function cutLast(rows: readonly StyledRow[], count: number, width: number, theme: Theme): StyledRow[] {
  const last = rows[count - 1]?.spans ?? []
  const style = last.at(-1) ?? { text: '' }
  const more = { ...style, text: ` ${theme.glyphs.ellipsis}` }
  return [...rows.slice(0, count - 1), { spans: fitSpans([...last, more], width, theme.glyphs.ellipsis) }]
}

function headRows({ request, theme, width, position, state }: FrameInput): StyledRow[] {
  const name: StyledSpan = {
    text: ` ${truncateCells(visibleLine(request.tool), Math.max(8, width >> 1))}`,
    bold: true,
    color: theme.accent,
  }
  const facts: StyledSpan[] = []
  const fact = (...spans: StyledSpan[]) => {
    if (facts.length > 0) facts.push({ text: ' · ', color: theme.muted })
    facts.push(...spans)
  }
  const diffs = state.review?.diffs ?? request.blocks.flatMap((block) => (block.type === 'diff' ? [block.diff] : []))
  if (diffs.length > 1 && state.review === null) fact({ text: `${diffs.length} files`, color: theme.muted })
  if (diffs.length > 0) {
    const sum = (pick: 'additions' | 'deletions') => diffs.reduce((total, diff) => total + diff[pick], 0)
    fact(
      { text: `+${sum('additions')}`, color: theme.ok },
      { text: ' ' },
      { text: `${theme.glyphs.minus}${sum('deletions')}`, color: theme.bad },
    )
  }
  if (state.review !== null) {
    const { file, files, hunk, hunks, all, kept } = summaryOf(state.review)
    const place = [
      ...(files > 1 ? [`file ${file} of ${files}`] : []),
      ...(hunks > 1 ? [`hunk ${hunk} of ${hunks}`] : []),
    ]
    if (place.length > 0) fact({ text: place.join(' · '), color: theme.muted })
    if (kept < all) fact({ text: files > 1 ? `${kept} of ${all} selected` : `${kept} selected`, color: theme.warn })
  }
  if (position.count > 1) fact({ text: `${position.index + 1} of ${position.count}`, color: theme.accent2 })
  const factCells = rowWidth({ spans: facts })
  const gap = facts.length > 0 ? 3 : 0
  const asks = request.kind === 'ask'
  // Of several files the one that the cursor is in.
  const here = diffs.length > 1 && state.review !== null ? diffs[state.review.cursor.file]?.path : undefined
  const title = asks ? 'a question for you' : visibleLine(here ?? request.title)
  const titleRoom = Math.max(0, width - cellWidth(name.text) - 2 - factCells - gap)
  const left: StyledSpan[] = [name, { text: '  ' }, { text: truncateCells(title, titleRoom, theme.glyphs.ellipsis) }]
  if (facts.length > 0) left.push({ text: '   ' }, ...facts)
  const reason = `asked because: ${visibleLine(request.reason)}`
  const room = width - rowWidth({ spans: left }) - 1
  const reasonCells = cellWidth(reason)
  if (request.reason === '' || asks) return [styledRow(...fitSpans(left, width))]
  if (reasonCells + 3 <= room) {
    return [styledRow(...left, { text: ' '.repeat(room - reasonCells) }, { text: reason, color: theme.muted })]
  }
  const wrapped = wrapCells(reason, Math.max(1, width - 2)).slice(0, 3)
  return [
    styledRow(...fitSpans(left, width)),
    ...wrapped.map((text) => styledRow({ text: ` ${text}`, color: theme.muted })),
  ]
}

function warningRows({ request, theme, width }: FrameInput): StyledRow[] {
  if (!requestHasHidden(request)) return []
  const text = `${theme.glyphs.warn} contains hidden characters: they are shown as \\x1b, ␍ or <U+202E>`
  return [styledRow({ text: ' ' }, { text: truncateCells(text, width - 1), color: theme.bad, bold: true })]
}

function modelRows({ request, width }: FrameInput): StyledRow[] {
  const words = visibleText(request.modelReason ?? '')
    .replace(/\s+/g, ' ')
    .trim()
  if (words === '') return []
  const lines = wrapCells(`the model: “${words}”`, Math.max(1, width - 2))
  const kept = lines.length > 3 ? [...lines.slice(0, 2), truncateCells(`${lines[2]} …`, Math.max(1, width - 2))] : lines
  return kept.map((text) => styledRow({ text: ` ${text}`, italic: true }))
}
