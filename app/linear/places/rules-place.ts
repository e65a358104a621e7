/** The permission rules as labelled lines; the keys are those of the view on a screen. */
import type { KeyTable } from '@sluice/permissions-ui'
import type { RuleHistory, RuleRow, RulesPort } from '../../overlays/rules/rules-port.ts'
import {
  cursorRow,
  filtered,
  openRules,
  type RulesState,
  type RulesStep,
  ruleEffects,
  ruleScopes,
  rulesKey,
  rulesPaste,
} from '../../overlays/rules/rules-state.ts'
import { plural } from '../../transcript/format.ts'
import { spokenLine } from '../speech.ts'
import { type LinearPlace, type PlaceVoice, pressLine } from './place.ts'

export type RulesPlaceOptions = PlaceVoice & { port: RulesPort; table: KeyTable }

export function createRulesPlace({ port, table, say, left }: RulesPlaceOptions): LinearPlace {
  let state: RulesState = openRules('')
  let all = port.list()
  let history: RuleHistory | null = null
  const rows = () => filtered(all, state.filter.text)
  const read = () =>
    void port.history().then((found) => {
      history = found
    })
  read()

  const here = (): string => {
    const shown = rows()
    const row = cursorRow(state, shown)
    if (row === undefined) return 'No rule has these words.'
    return `Rule ${shown.indexOf(row) + 1} of ${shown.length}: ${ruleLine(row, history)}`
  }

  function take(step: RulesStep): void {
    const before = state
    state = step.state
    const { test } = step
    if (step.close) left()
    else if (test !== undefined) void tested(test)
    else if (!step.add && !step.revoke) say(changes(before))
    const { add, revoke } = step
    if (add)
      void change(port.add(add.text, add.effect, add.scope), `Added: ${add.effect} ${spokenLine(add.text, 'decide')}.`)
    if (revoke) void change(port.revoke(revoke), `Taken away: ${revoke.effect} ${spokenLine(revoke.text, 'decide')}.`)
  }

  async function tested(call: string): Promise<void> {
    try {
      const lines = await port.test(call)
      say(lines.filter((line) => line.trim() !== '').map((line) => spokenLine(line, 'decide')))
    } catch (error) {
      say([`Note: ${messageOf(error)}`])
    }
  }

  async function change(work: Promise<void>, done: string): Promise<void> {
    try {
      await work
      all = port.list()
      read()
      say([done, here()])
    } catch (error) {
      say([`Note: ${messageOf(error)}`])
    }
  }

  function changes(before: RulesState): string[] {
    if (state.said !== null) return [`Note: ${state.said.text}`]
    if (state.mode !== before.mode) return modeLines(before)
    if (state.effect !== before.effect) return [`${ruleEffects[state.effect]}.`]
    if (state.mode === 'scope' && state.scope !== before.scope) return [scopeLine()]
    if (state.mode === 'list' && (state.cursor !== before.cursor || state.filter !== before.filter)) return [here()]
    return []
  }

  function modeLines(before: RulesState): string[] {
    switch (state.mode) {
      case 'list':
        return before.mode === 'filter' ? [`${plural(rows().length, 'rule')} left.`, here()] : [here()]
      case 'filter':
        return ['Type words of a rule, then Enter. Escape brings all back.']
      case 'test':
        return ['Type a call such as bash(git push), then Enter. Escape goes back.']
      case 'add':
        return ['Type a rule such as bash(npm test *), then Enter. Tab changes allow, ask and deny. Escape goes back.']
      case 'scope':
        return newRuleLines()
      case 'revoke': {
        const row = cursorRow(state, rows())
        return row === undefined ? [] : [`Take away ${ruleLine(row, null)} Press y to take it away, Escape to keep it.`]
      }
    }
  }

  function newRuleLines(): string[] {
    const check = port.check(state.rule.text.trim())
    if (!check.ok) return [`Note: ${check.problem}`]
    const past = history?.covers(check.text)
    const fits =
      past === undefined || past.of === 0
        ? []
        : [`It fits ${past.count} of the last ${plural(past.of, 'call')} that you were asked about.`]
    return [
      `It would ${ruleEffects[state.effect]} ${spokenLine(check.text, 'decide')}: ${spokenLine(check.meaning, 'decide')}.`,
      ...fits,
      `${scopeLine()} Left and right choose where, Enter writes it, Escape goes back.`,
    ]
  }

  function scopeLine(): string {
    return `For ${scopeWords[ruleScopes[state.scope] ?? 'session']}.`
  }

  return {
    begin() {
      const { mode, trusted } = port.place()
      return [
        `Rules: ${plural(all.length, 'rule')}, ${mode} mode${trusted ? '' : ', the folder is not trusted and its own rules are not read'}.`,
        ...all.map((row, i) => `${i + 1}: ${ruleLine(row, history)}`),
        ...port.problems().map((text) => `Warning: ${spokenLine(text, 'decide')}`),
        pressLine(table, 'rules', [
          ['down', 'for the next'],
          ['test', 'to test a call'],
          ['add', 'to add a rule'],
          ['revoke', 'to take one away'],
          ['search', 'to filter'],
          ['close', 'to close'],
        ]),
        here(),
      ]
    },
    press(press) {
      const usable = state.mode === 'add' && port.check(state.rule.text.trim()).ok
      take(rulesKey(state, press, { rows: rows(), table, listed: 10, page: 0, usable }))
    },
    paste(text) {
      state = rulesPaste(state, text)
    },
    field() {
      if (state.mode === 'filter') return { label: 'Filter: ', text: state.filter.text }
      if (state.mode === 'test') return { label: 'Call: ', text: state.call.text }
      return state.mode === 'add' ? { label: `${ruleEffects[state.effect]} rule: `, text: state.rule.text } : null
    },
    close() {},
  }
}

const scopeWords = { session: 'this session', project: 'this folder', user: 'all folders' }

function ruleLine(row: RuleRow, history: RuleHistory | null): string {
  const where =
    row.scope === 'builtin'
      ? 'built in'
      : row.scope === 'cli'
        ? 'from the command line'
        : row.source === ''
          ? 'for this run'
          : `from ${spokenLine(row.source, 'decide')}`
  const hits = row.scope === 'builtin' ? 0 : (history?.hits(row.text).lately ?? 0)
  const state = row.state === 'in force' ? '' : `, ${row.state}`
  const until = row.expires === null || row.state === 'expired' ? '' : `, until ${row.expires.slice(0, 10)}`
  const used = hits === 0 ? '' : `, decided ${plural(hits, 'call')} lately`
  return `${row.effect} ${spokenLine(row.text, 'decide')}, ${where}${state}${until}${used}: ${spokenLine(row.meaning, 'decide')}.`
}

function messageOf(error: unknown): string {
  return spokenLine(error instanceof Error ? error.message : String(error))
}
