/** What stands below the list of rules: what one means, what a test came to, what a new one covers; pure rows. */
import type { Verdict } from '@sluice/engine/protocol'
import { type StyledRow, styledRow, type Theme, visibleLine, visibleText, wrapCells } from '@sluice/permissions-ui'
import { localTime } from '../../local-time.ts'
import { ago, plural } from '../../transcript/format.ts'
import type { RuleRow } from './rules-port.ts'
import { cursorRow, ruleEffects } from './rules-state.ts'
import type { RulesViewInput } from './rules-view.ts'

export function detailRows(input: RulesViewInput): StyledRow[] {
  const { state, rows, problems, width, theme } = input
  if (state.tested !== null) return testRows(state.tested, width, theme)
  if (state.mode === 'add' || state.mode === 'scope') return newRuleRows(input)
  const row = cursorRow(state, rows)
  const facts = row === undefined ? [] : factsOf(row, input)
  const words = facts.flatMap(({ text, color }) =>
    wrapCells(visibleText(text), Math.max(8, width - 2)).map((part) => styledRow({ text: ` ${part}`, color })),
  )
  const wrong = problems
    .slice(0, 2)
    .flatMap((text) =>
      wrapCells(visibleLine(text), Math.max(8, width - 4)).map((part, i) =>
        styledRow({ text: i === 0 ? ` ${theme.glyphs.warn} ${part}` : `   ${part}`, color: theme.warn }),
      ),
    )
  return [...words, ...wrong]
}

function factsOf(row: RuleRow, { history, theme, now }: RulesViewInput): { text: string; color: string | undefined }[] {
  const covers =
    row.state === 'in force'
      ? `${row.text}: ${row.meaning}`
      : `${row.text} counts for nothing: ${row.state === 'expired' ? 'it has expired' : row.meaning}`
  const hits = history?.hits(row.text)
  const parts = [
    ...(row.scope === 'builtin' || hits === undefined
      ? []
      : [
          hits.lately === 0
            ? 'decided nothing in the last 30 days'
            : `decided ${plural(hits.session, 'call')} in this session, ${hits.lately} in the last 30 days${hits.last === null ? '' : `, last ${ago(now - hits.last)}`}`,
        ]),
    ...(hits?.added == null ? [] : [`added ${ago(now - hits.added)}`]),
    ...(row.expires === null ? [] : [`${row.state === 'expired' ? 'expired' : 'expires'} ${localTime(row.expires)}`]),
    ...(row.source === '' ? [] : [row.source]),
  ]
  return [
    { text: covers, color: row.state === 'in force' ? undefined : theme.warn },
    ...(parts.length === 0 ? [] : [{ text: parts.join(' · '), color: theme.muted }]),
  ]
}

function newRuleRows({ state, check, history, width, theme }: RulesViewInput): StyledRow[] {
  const wrap = (text: string, color: string | undefined) =>
    wrapCells(visibleText(text), Math.max(8, width - 2)).map((part) => styledRow({ text: ` ${part}`, color }))
  if (check === null)
    return wrap(
      'A tool, with what it is about in brackets: bash(npm test *), edit_file(src/**), read_file(~/notes/**).',
      theme.muted,
    )
  if (!check.ok) return wrap(check.problem, theme.warn)
  const past = history?.covers(check.text)
  const count =
    past === undefined || past.of === 0
      ? null
      : `It fits ${past.count} of the last ${plural(past.of, 'call')} that you were asked about${past.examples.length === 0 ? '' : `: ${past.examples.join(', ')}`}.`
  return [
    ...wrap(`${ruleEffects[state.effect]} ${check.text}: ${check.meaning}`, undefined),
    ...(count === null ? [] : wrap(count, theme.muted)),
  ]
}

function testRows(lines: readonly string[], width: number, theme: Theme): StyledRow[] {
  return lines.flatMap((line) => {
    const [, indent = '', rest = ''] = /^( *)(.*)$/s.exec(line) ?? []
    const lead = ' '.repeat(1 + Math.min(indent.length, Math.floor(width / 4)))
    const effect = /^(allow|ask|deny)\b/.exec(rest)?.[1] as Verdict | undefined
    const rows = wrapCells(visibleLine(rest), Math.max(8, width - lead.length - 1))
    return (rows.length === 0 ? [''] : rows).map((text, i) => {
      if (effect === undefined || i > 0)
        return styledRow({ text: `${lead}${text}`, color: indent.length > 4 ? theme.muted : undefined })
      return styledRow(
        { text: lead },
        { text: text.slice(0, effect.length), color: effectColor(effect, theme), bold: true },
        { text: text.slice(effect.length) },
      )
    })
  })
}

export function effectColor(effect: Verdict, theme: Theme): string | undefined {
  return effect === 'allow' ? theme.ok : effect === 'deny' ? theme.bad : theme.warn
}
