/** What *always* would write from the inbox, where, and what it covers; pure rows. */
import {
  cellWidth,
  fitSpans,
  padCells,
  type StyledRow,
  styledRow,
  visibleLine,
  wrapCells,
} from '@sluice/permissions-ui'
import { plural } from '../../transcript/format.ts'
import type { InboxRow } from './inbox-rows.ts'
import { answerScopes, coveredRows, isReady } from './inbox-state.ts'
import type { InboxViewInput } from './inbox-view.ts'

export function ruleRows(input: InboxViewInput, row: InboxRow): StyledRow[] {
  const { state, theme, width, rows } = input
  const { suggestions } = row.request
  const widest = Math.min(
    Math.floor(width / 2),
    Math.max(0, ...suggestions.map(({ text }) => cellWidth(visibleLine(text)))),
  )
  const choices = suggestions.flatMap(({ text, label, covers }, i) => {
    const chosen = i === state.rule
    const name = visibleLine(text)
    const lead = { text: chosen ? ` ${theme.glyphs.closed} ` : '   ', color: theme.accent }
    // The chosen one is shown to its last character: it is what would be written.
    const lines = chosen && cellWidth(name) > widest ? wrapCells(name, Math.max(8, width - 4), { hard: true }) : [name]
    return lines.map((part, line) =>
      styledRow(
        ...fitSpans(
          [
            line === 0 ? lead : { text: '   ' },
            {
              text: padCells(part, widest),
              bold: chosen,
              color: chosen ? theme.accent : undefined,
            },
            ...(line === lines.length - 1
              ? [{ text: `  ${visibleLine(label)}${before(covers)}`, color: theme.muted }]
              : []),
          ],
          width,
          theme.glyphs.ellipsis,
        ),
      ),
    )
  })
  const covered = coveredRows(state, input)
  const unseen = covered.filter((one) => one !== row && !isReady(one, state.seen)).length
  const scopes = answerScopes.map((scope, i) => ({
    text: i === state.scope ? `[${scopeWords[scope]}]` : ` ${scopeWords[scope]} `,
    ...(i === state.scope ? { inverse: true, bold: true } : {}),
  }))
  const says = `covers ${covered.length} of ${rows.length} open ${rows.length === 1 ? 'question' : 'questions'}`
  const left =
    unseen === 0 ? '' : `; ${unseen} of them not seen whole, so ${unseen === 1 ? 'it stays' : 'they stay'} open`
  return [
    ...choices,
    styledRow({ text: ' for  ', color: theme.muted }, ...scopes.flatMap((span) => [span, { text: ' ' }])),
    styledRow(
      ...fitSpans(
        [{ text: ` ${theme.glyphs.ok} `, color: theme.ok }, { text: `${says}${left}` }],
        width,
        theme.glyphs.ellipsis,
      ),
    ),
  ]
}

/** How often it would have spared the question so far. */
function before(covers: number | undefined): string {
  return covers === undefined || covers === 0 ? '' : ` · ${plural(covers, 'earlier call')}`
}

const scopeWords = { session: 'these sessions', project: 'this project', user: 'everywhere' }
