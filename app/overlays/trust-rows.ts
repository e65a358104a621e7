/** The question whether a folder is trusted, as rows: what it would configure, and the answers; pure. */
import {
  cellWidth,
  fitSpans,
  type KeyTable,
  keyLabel,
  padCells,
  revealBlanks,
  rowText,
  type StyledRow,
  type StyledSpan,
  sanitizeForTerminal,
  styledRow,
  type Theme,
  truncateCells,
  wrapCells,
} from '@sluice/permissions-ui'
import type { TrustView } from '../state/index.ts'

/** The focused answer; at first it is never the yes. */
export type TrustControl = 'later' | 'trust' | 'details'
export const trustControls: readonly TrustControl[] = ['later', 'trust', 'details']

export type TrustRowsInput = {
  question: TrustView
  width: number
  height: number
  theme: Theme
  table: KeyTable
  focused: boolean
  draftPending: boolean
  details: boolean
  control: TrustControl
  /** First body row that is shown. */
  scroll: number
  focusKey: string
}

/** Rows that the question would like to have. */
export function trustHeight(question: TrustView, width: number, theme: Theme): number {
  return headRows(question, width, theme).length + bodyRows(question, width, theme, false).length + footHeight
}

/** Exactly what fits; `last` is the greatest `scroll` that makes sense. */
export function trustRows(input: TrustRowsInput): { rows: StyledRow[]; page: number; last: number } {
  const { question, width, height, theme, details } = input
  const body = bodyRows(question, width, theme, details)
  const foot = footRows(input)
  const head = headRows(question, width, theme).slice(0, Math.max(1, height - foot.length - Math.min(3, body.length)))
  const page = Math.max(0, height - head.length - foot.length)
  const last = Math.max(0, body.length - page)
  const from = Math.min(input.scroll, last)
  const shown = body.slice(from, from + page)
  const blank = Array.from({ length: page - shown.length }, () => styledRow())
  return { rows: [...head, ...shown, ...blank, ...foot].slice(0, height), page, last }
}

const footHeight = 3

function headRows({ why, folder }: TrustView, width: number, theme: Theme): StyledRow[] {
  const titles = {
    new: 'This folder wants to configure sluice',
    changed: 'What this folder runs has changed',
    rules: "This folder's local config allows something",
  }
  const title = titles[why]
  const words =
    why === 'new'
      ? 'Nothing of it is in force before you trust the folder. Trust only what you would run: instructions steer the model.'
      : why === 'rules'
        ? 'You have not approved the file as it is now. What it allows is ignored before you say yes to exactly this.'
        : 'You trusted this folder with something else here. It is not started before you say so again.'
  return [
    styledRow({ text: theme.glyphs.horizontal.repeat(width), color: theme.muted }),
    styledRow(
      ...fitSpans(
        [
          { text: ` ${title}`, bold: true, color: theme.accent },
          { text: `  ${visible(folder)}`, color: theme.muted },
        ],
        width,
        theme.glyphs.ellipsis,
      ),
    ),
    ...wrapCells(words, Math.max(1, width - 2)).map((text) => styledRow({ text: ` ${text}`, color: theme.muted })),
  ]
}

function bodyRows({ parts, why }: TrustView, width: number, theme: Theme, details: boolean): StyledRow[] {
  const column = Math.min(Math.max(8, width >> 1), Math.max(0, ...parts.map((part) => cellWidth(visible(part.name)))))
  return parts.flatMap((part) => {
    const name = truncateCells(visible(part.name), column, theme.glyphs.ellipsis)
    const what = { text: `  ${visible(part.what)}`, color: part.runs ? theme.warn : undefined }
    const row = styledRow(...fitSpans([{ text: `   ${padCells(name, column)}` }, what], width, theme.glyphs.ellipsis))
    // A yes to what would run without asking is a yes to what was read.
    if (!details && why !== 'rules' && part.allows !== true) return [row]
    // Never cut: who looks closer sees all of it.
    const whole = [...(rowText(row).includes(visible(part.name)) ? [] : [part.name]), ...part.details]
    const lines = whole.flatMap((line) => wrapCells(visible(line), Math.max(1, width - 6)))
    return [row, ...lines.map((text) => styledRow({ text: `     ${text}`, color: theme.muted }))]
  })
}

function footRows(input: TrustRowsInput): StyledRow[] {
  const { width, theme, table } = input
  const rule = styledRow({ text: theme.glyphs.horizontal.repeat(width), color: theme.muted })
  if (!input.focused) return [rule, unfocusedRow(input), styledRow()]
  const words: Record<TrustControl, string> = {
    later: 'not now',
    trust: input.question.why === 'new' ? 'trust' : 'allow it',
    details: input.details ? 'less' : 'details',
  }
  const spans: StyledSpan[] = [{ text: ' Trust it?' }]
  for (const control of trustControls) {
    const label = `${keyLabel(table, 'trust', control)} ${words[control]}`
    spans.push({ text: '  ' })
    spans.push(control === input.control ? { text: `[${label}]`, inverse: true, bold: true } : { text: ` ${label} ` })
  }
  const hints = ` ${keyLabel(table, 'dialog', 'next')} buttons   ${keyLabel(table, 'dialog', 'leave')} later`
  return [
    rule,
    styledRow(...fitSpans(spans, width)),
    styledRow(...fitSpans([{ text: hints, color: theme.muted }], width)),
  ]
}

function unfocusedRow({ theme, width, draftPending, focusKey }: TrustRowsInput): StyledRow {
  const why = draftPending ? 'your draft has the keys' : 'not focused'
  return styledRow(
    ...fitSpans(
      [
        { text: ` ${theme.glyphs.warn} ${why}: `, color: theme.warn },
        { text: focusKey, bold: true },
        { text: ' answers this', color: theme.muted },
      ],
      width,
    ),
  )
}

/** Names of files and what stands in them are not ours. */
function visible(text: string): string {
  return revealBlanks(sanitizeForTerminal(text, 'visible')).replaceAll('\n', '⏎')
}
