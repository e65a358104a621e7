/** What keys do to the rules view: a pure step from state to state, and sometimes a wish. */
import type { Verdict } from '@sluice/engine/protocol'
import {
  actionOf,
  editLine,
  emptyLine,
  insertText,
  type KeyPress,
  type KeyTable,
  type LineState,
} from '@sluice/permissions-ui'
import type { NewRuleScope, RuleRow } from './rules-port.ts'

export const ruleScopes: readonly NewRuleScope[] = ['session', 'project', 'user']
export const ruleEffects: readonly Verdict[] = ['allow', 'ask', 'deny']

/** `filter`, `test` and `add` write in a field; `scope` chooses where a new rule goes; `revoke` asks once. */
export type RulesState = {
  mode: 'list' | 'filter' | 'test' | 'add' | 'scope' | 'revoke'
  /** Id of a row. */
  cursor: string | null
  filter: LineState
  call: LineState
  rule: LineState
  effect: number
  scope: number
  /** What a test came to; null before there was one. */
  tested: readonly string[] | null
  /** First line of it that is shown. */
  scroll: number
  said: { level: 'info' | 'warn'; text: string } | null
}

export function openRules(filter: string): RulesState {
  return {
    mode: 'list',
    cursor: null,
    filter: insertText(emptyLine, filter),
    call: emptyLine,
    rule: emptyLine,
    effect: 0,
    scope: 0,
    tested: null,
    scroll: 0,
    said: null,
  }
}

export type RulesScene = {
  /** The rows that the filter leaves. */
  rows: readonly RuleRow[]
  table: KeyTable
  listed: number
  /** Lines of a test that are shown at a time. */
  page: number
  /** The text in the field of a new rule can be used. */
  usable: boolean
}

export type RulesStep = {
  state: RulesState
  used: boolean
  close?: true
  test?: string
  add?: { text: string; effect: Verdict; scope: NewRuleScope }
  revoke?: RuleRow
}

/** Words of the filter that all stand somewhere in the row. */
export function filtered(rows: readonly RuleRow[], filter: string): readonly RuleRow[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return rows
  return rows.filter(({ effect, text, scope, source, state, meaning }) => {
    const all = [effect, text, scope, source, state, meaning].join(' ').toLowerCase()
    return words.every((word) => all.includes(word))
  })
}

export function cursorRow({ cursor }: RulesState, rows: readonly RuleRow[]): RuleRow | undefined {
  return rows.find(({ id }) => id === cursor) ?? rows[0]
}

export function rulesKey(before: RulesState, press: KeyPress, scene: RulesScene): RulesStep {
  const state = { ...before, said: null }
  switch (state.mode) {
    case 'list':
      return listKey(state, press, scene)
    case 'filter':
      return filterKey(state, press, scene)
    case 'test':
      return testKey(state, press, scene)
    case 'add':
      return addKey(state, press, scene)
    case 'scope':
      return scopeKey(state, press)
    case 'revoke':
      return revokeKey(state, press, scene)
  }
}

/** A paste writes where one writes, and does nothing else. */
export function rulesPaste(state: RulesState, text: string): RulesState {
  const line = text.replace(/\s*\n\s*/g, ' ').trim()
  if (state.mode === 'filter') return { ...state, filter: insertText(state.filter, line) }
  if (state.mode === 'test') return { ...state, call: insertText(state.call, line) }
  return state.mode === 'add' ? { ...state, rule: insertText(state.rule, line) } : state
}

function listKey(state: RulesState, press: KeyPress, scene: RulesScene): RulesStep {
  const action = actionOf(scene.table, 'rules', press)
  const row = cursorRow(state, scene.rows)
  const moved = move(state, action, scene)
  if (moved) return moved
  if (press.repeat && action !== undefined) return { state, used: true }
  switch (action) {
    case 'close':
      // What a test said goes first, then the filter.
      if (state.tested !== null) return { state: { ...state, tested: null, scroll: 0 }, used: true }
      if (state.filter.text !== '') return { state: { ...state, filter: emptyLine }, used: true }
      return { state, used: true, close: true }
    case 'search':
      return { state: { ...state, mode: 'filter', tested: null }, used: true }
    case 'test':
      return { state: { ...state, mode: 'test', scroll: 0 }, used: true }
    case 'add':
      return { state: { ...state, mode: 'add', tested: null, rule: emptyLine, effect: 0, scope: 0 }, used: true }
    case 'revoke':
      if (row === undefined) return { state, used: true }
      return row.revocable
        ? { state: { ...state, mode: 'revoke', cursor: row.id, tested: null }, used: true }
        : said(state, fixed(row))
    default:
      return { state, used: false }
  }
}

function fixed({ scope }: RuleRow): string {
  if (scope === 'builtin') return 'That is built in. A rule of yours goes before it: press + to add one.'
  if (scope === 'cli') return 'That was given when sluice was started: start without it.'
  return "That stands in the project's shared file: edit it by hand, since others share it."
}

function move(state: RulesState, action: string | undefined, { rows, listed, page }: RulesScene): RulesStep | null {
  if (state.tested !== null && (action === 'pageUp' || action === 'pageDown')) {
    const by = (action === 'pageUp' ? -1 : 1) * Math.max(1, page - 1)
    const scroll = Math.max(0, Math.min(state.scroll + by, state.tested.length - page))
    return { state: { ...state, scroll }, used: true }
  }
  const by = stepOf(action, rows.length, listed)
  if (by === null) return null
  const at = Math.max(
    0,
    rows.findIndex(({ id }) => id === state.cursor),
  )
  const to = rows[Math.max(0, Math.min(rows.length - 1, at + by))]
  return { state: { ...state, cursor: to?.id ?? null }, used: true }
}

function stepOf(action: string | undefined, count: number, listed: number): number | null {
  switch (action) {
    case 'up':
      return -1
    case 'down':
      return 1
    case 'pageUp':
      return -Math.max(1, listed - 1)
    case 'pageDown':
      return Math.max(1, listed - 1)
    case 'top':
      return -count
    case 'bottom':
      return count
    default:
      return null
  }
}

function filterKey(state: RulesState, press: KeyPress, scene: RulesScene): RulesStep {
  if (press.name === 'escape') return { state: { ...state, mode: 'list', filter: emptyLine }, used: true }
  if (press.name === 'return' || press.name === 'tab') return { state: { ...state, mode: 'list' }, used: true }
  if (press.name === 'up' || press.name === 'down') {
    return move(state, press.name, scene) ?? { state, used: true }
  }
  const filter = editLine(state.filter, press)
  return { state: filter === null ? state : { ...state, filter, cursor: null }, used: true }
}

function testKey(state: RulesState, press: KeyPress, scene: RulesScene): RulesStep {
  if (press.name === 'escape') return { state: { ...state, mode: 'list' }, used: true }
  if (press.name === 'pageup' || press.name === 'pagedown') {
    return move(state, press.name === 'pageup' ? 'pageUp' : 'pageDown', scene) ?? { state, used: true }
  }
  if (press.name === 'return') {
    const text = state.call.text.trim()
    if (press.repeat) return { state, used: true }
    return text === ''
      ? said(state, 'Write a call first: bash(git push), edit_file(src/a.ts).')
      : { state: { ...state, scroll: 0 }, used: true, test: text }
  }
  const call = editLine(state.call, press)
  return { state: call === null ? state : { ...state, call }, used: true }
}

function addKey(state: RulesState, press: KeyPress, { usable }: RulesScene): RulesStep {
  if (press.name === 'escape') return { state: { ...state, mode: 'list' }, used: true }
  if (press.name === 'tab' || press.name === 'shift+tab') {
    const by = press.name === 'tab' ? 1 : ruleEffects.length - 1
    return { state: { ...state, effect: (state.effect + by) % ruleEffects.length }, used: true }
  }
  if (press.name === 'return') {
    if (press.repeat) return { state, used: true }
    return usable ? { state: { ...state, mode: 'scope' }, used: true } : said(state, 'That is no rule yet.')
  }
  const rule = editLine(state.rule, press)
  return { state: rule === null ? state : { ...state, rule }, used: true }
}

function scopeKey(state: RulesState, press: KeyPress): RulesStep {
  const to = (scope: number): RulesStep => ({
    state: { ...state, scope: Math.max(0, Math.min(ruleScopes.length - 1, scope)) },
    used: true,
  })
  switch (press.name) {
    case 'escape':
      return { state: { ...state, mode: 'add' }, used: true }
    case 'left':
      return to(state.scope - 1)
    case 'right':
    case 'tab':
      return to(press.name === 'tab' && state.scope === ruleScopes.length - 1 ? 0 : state.scope + 1)
    case 'return': {
      const effect = ruleEffects[state.effect]
      const scope = ruleScopes[state.scope]
      if (press.repeat || effect === undefined || scope === undefined) return { state, used: true }
      return { state: { ...state, mode: 'list' }, used: true, add: { text: state.rule.text.trim(), effect, scope } }
    }
    default:
      return { state, used: true }
  }
}

function revokeKey(state: RulesState, press: KeyPress, { rows }: RulesScene): RulesStep {
  const row = cursorRow(state, rows)
  if (press.name === 'y' && !press.repeat && row !== undefined) {
    const at = rows.indexOf(row)
    const cursor = (rows[at + 1] ?? rows[at - 1])?.id ?? null
    return { state: { ...state, mode: 'list', cursor }, used: true, revoke: row }
  }
  if (press.name === 'escape' || press.name === 'n' || press.name === 'return') {
    return { state: { ...state, mode: 'list' }, used: true }
  }
  return { state, used: true }
}

function said(state: RulesState, text: string): RulesStep {
  return { state: { ...state, said: { level: 'warn', text } }, used: true }
}
