/** The last rows of the inbox: what was said, the field that is written in, and the keys; pure. */
import { asciiGlyphs, fieldRow, fitSpans, keyLabel, type StyledRow, styledRow } from '@sluice/permissions-ui'
import { type Hint, hintSpans } from '../hint-spans.ts'
import { targets } from './inbox-state.ts'
import type { InboxViewInput } from './inbox-view.ts'

export function footRows(input: InboxViewInput): StyledRow[] {
  const { state, rows, width, theme, table } = input
  const rule = styledRow({ text: theme.glyphs.horizontal.repeat(width), color: theme.muted })
  const said = saidRow(input)
  const keys = firstFoot(input)
  // What was said takes the place of the keys only where there is none for both.
  const first = said !== null && (keys === null || input.height < 16) ? [said] : [said, keys]
  const of = (action: string) => keyLabel(table, 'inbox', action)
  const arrows = theme.glyphs === asciiGlyphs ? 'up/down' : '↑↓'
  const both = theme.glyphs === asciiGlyphs ? 'left/right' : '←→'
  const second: Hint[] =
    state.mode === 'reason'
      ? [
          [of('open'), 'deny'],
          [of('close'), 'back'],
        ]
      : state.mode === 'rule'
        ? [
            [of('open'), 'write the rule and allow these'],
            [arrows, 'rule'],
            [both, 'where'],
            [of('close'), 'back'],
          ]
        : rows.length === 0
          ? [[of('close'), 'close']]
          : [
              [of('open'), 'review'],
              [of('toggle'), 'select'],
              [of('selectAll'), 'all'],
              [arrows, 'move'],
              [of('pageDown'), 'read on'],
              [of('close'), 'close'],
            ]
  return [rule, ...first.filter((row) => row !== null), styledRow(...hintSpans(second, width, theme))]
}

function saidRow({ state, width, theme }: InboxViewInput): StyledRow | null {
  if (state.hint === null) return null
  const text = ` ${theme.glyphs.warn} ${state.hint}`
  return styledRow(...fitSpans([{ text, color: theme.warn }], width, theme.glyphs.ellipsis))
}

function firstFoot(input: InboxViewInput): StyledRow | null {
  const { state, rows, width, theme, table } = input
  if (rows.length === 0) return null
  const about = targets(state, rows)
  const many = about.length > 1 ? ` ${about.length}` : ''
  if (state.mode === 'reason')
    return fieldRow({ text: ` deny${many}, because: `, color: theme.accent }, state.reason, width, theme, {
      active: true,
      placeholder: 'empty: silently',
    })
  if (state.mode === 'rule') return null
  const of = (action: string) => keyLabel(table, 'inbox', action)
  const rule = rows.find((row) => row.key === state.cursor)?.request.suggestions.length ?? 0
  const hints: Hint[] = [
    [of('apply'), `allow${many}`],
    [of('deny'), `no${many}, because ${theme.glyphs.ellipsis}`],
    ...(rule > 0 ? [[of('always'), 'always, for all that a rule covers'] as Hint] : []),
  ]
  return styledRow(...hintSpans(hints, width, theme))
}
