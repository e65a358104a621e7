/** The last rows of the rules view: what was said, the field that is written in, and the keys; pure. */
import {
  asciiGlyphs,
  fieldRow,
  fitSpans,
  keyLabel,
  type StyledRow,
  type StyledSpan,
  styledRow,
  visibleLine,
} from '@sluice/permissions-ui'
import { type Hint, hintSpans } from '../hint-spans.ts'
import { effectColor } from './rules-details.ts'
import { cursorRow, type RulesState, ruleEffects, ruleScopes } from './rules-state.ts'
import type { RulesViewInput } from './rules-view.ts'

/** `more`: there is more of a verdict than fits. */
export function footRows(input: RulesViewInput, more: boolean): StyledRow[] {
  const { state, width, theme, table } = input
  const rule = styledRow({ text: theme.glyphs.horizontal.repeat(width), color: theme.muted })
  const field = fieldOf(input)
  const said = state.said
  const note =
    said === null
      ? null
      : styledRow(
          ...fitSpans(
            [{ text: ` ${visibleLine(said.text)}`, color: said.level === 'warn' ? theme.warn : theme.accent2 }],
            width,
            theme.glyphs.ellipsis,
          ),
        )
  const of = (action: string) => keyLabel(table, 'rules', action)
  const arrows = theme.glyphs === asciiGlyphs ? 'up/down' : '↑↓'
  const sideways = theme.glyphs === asciiGlyphs ? 'left/right' : '←→'
  const enter = theme.glyphs === asciiGlyphs ? 'enter' : '⏎'
  const hints: Record<RulesState['mode'], Hint[]> = {
    list: [
      [of('test'), 'test a call'],
      [of('add'), 'add'],
      [of('revoke'), 'revoke'],
      [of('search'), 'filter'],
      [arrows, 'move'],
      ...(more ? [[of('pageDown'), 'read on'] as Hint] : []),
      [of('close'), state.tested !== null || state.filter.text !== '' ? 'back' : 'close'],
    ],
    filter: [
      [enter, 'done'],
      [arrows, 'move'],
      ['esc', 'all rules'],
    ],
    test: [[enter, 'test it'], ...(more ? [['pagedown', 'read on'] as Hint] : []), ['esc', 'back']],
    add: [
      [enter, 'where to'],
      ['tab', 'allow, ask or deny'],
      ['esc', 'back'],
    ],
    scope: [
      [enter, 'write it'],
      [sideways, 'where'],
      ['esc', 'back'],
    ],
    revoke: [
      ['y', 'take it away'],
      ['esc', 'keep it'],
    ],
  }
  return [
    rule,
    ...(note === null ? [] : [note]),
    ...(field === null ? [] : [field]),
    styledRow(...hintSpans(hints[state.mode], width, theme)),
  ]
}

function fieldOf({ state, rows, width, theme }: RulesViewInput): StyledRow | null {
  if (state.mode === 'test') {
    return fieldRow({ text: ' test: ', color: theme.accent }, state.call, width, theme, {
      active: true,
      placeholder: 'bash(git push)',
    })
  }
  if (state.mode === 'scope') {
    const scopes = ruleScopes.flatMap((scope, i): StyledSpan[] => [
      i === state.scope
        ? { text: `[${scopeWords[scope]}]`, inverse: true, bold: true }
        : { text: ` ${scopeWords[scope]} ` },
      { text: ' ' },
    ])
    return styledRow(...fitSpans([{ text: ' for  ', color: theme.muted }, ...scopes], width))
  }
  if (state.mode === 'add') {
    const effect = ruleEffects[state.effect] ?? 'allow'
    return fieldRow({ text: ` ${effect}: `, color: effectColor(effect, theme) }, state.rule, width, theme, {
      active: true,
      placeholder: 'bash(npm test *)',
    })
  }
  if (state.mode !== 'revoke') return null
  const row = cursorRow(state, rows)
  if (row === undefined) return null
  const from = row.source === '' ? 'this session' : row.source
  return styledRow(
    ...fitSpans(
      [
        {
          text: ` Take away ${row.effect} ${visibleLine(row.text)} from ${visibleLine(from)}?`,
          color: theme.warn,
          bold: true,
        },
      ],
      width,
      theme.glyphs.ellipsis,
    ),
  )
}

const scopeWords = { session: 'this session', project: 'this folder', user: 'all folders' }
