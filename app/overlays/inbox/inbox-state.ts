/** What keys do to the inbox: a pure step from state to state, and sometimes to answers. */
import type { Decision } from '@sluice/engine/protocol'
import {
  actionOf,
  editLine,
  emptyLine,
  insertText,
  type KeyPress,
  type KeyTable,
  type LineState,
} from '@sluice/permissions-ui'
import type { InboxRow } from './inbox-rows.ts'

export type AnswerScope = 'session' | 'project' | 'user'
export const answerScopes: readonly AnswerScope[] = ['session', 'project', 'user']

/** `reason` writes the words of a no, `rule` chooses what is always answered alike. All keys of rows. */
export type InboxState = {
  mode: 'list' | 'reason' | 'rule'
  cursor: string | null
  selected: ReadonlySet<string>
  /** Rows whose whole text has been on the screen. */
  seen: ReadonlySet<string>
  /** First row of the details that is shown. */
  scroll: number
  reason: LineState
  rule: number
  scope: number
  hint: string | null
}

export const emptyInbox: InboxState = {
  mode: 'list',
  cursor: null,
  selected: new Set(),
  seen: new Set(),
  scroll: 0,
  reason: emptyLine,
  rule: 0,
  scope: 0,
  hint: null,
}

/** What is on the screen when the key arrives. */
export type InboxScene = {
  rows: readonly InboxRow[]
  table: KeyTable
  /** Rows of the details, and how many are shown of them. */
  details: number
  page: number
  /** Rows of the list that are shown at a time. */
  listed: number
  /** Keys have been quiet long enough for one of them to decide. */
  mayDecide: boolean
  /** Whether a rule that is written with `from`, in that scope, would allow what a row asks. */
  covers(rule: string, row: InboxRow, from: InboxRow, scope: AnswerScope): boolean
}

export type Answer = { row: InboxRow; decision: Decision }
export type InboxStep = {
  state: InboxState
  used: boolean
  answers?: readonly Answer[]
  open?: InboxRow
  close?: true
}

/** The state for the rows that there are: who is gone is not selected, and the cursor stands on a row. */
export function settled(state: InboxState, rows: readonly InboxRow[], before: readonly InboxRow[] = rows): InboxState {
  const keys = new Set(rows.map((row) => row.key))
  const selected = [...state.selected].every((key) => keys.has(key))
    ? state.selected
    : new Set([...state.selected].filter((key) => keys.has(key)))
  if (state.cursor !== null && keys.has(state.cursor)) {
    return selected === state.selected ? state : { ...state, selected }
  }
  // Where the row stood, the next one that is left stands now.
  const at = Math.max(
    0,
    before.findIndex((row) => row.key === state.cursor),
  )
  const next = before.slice(at).find((row) => keys.has(row.key))?.key ?? rows.at(-1)?.key ?? null
  if (next === state.cursor && selected === state.selected) return state
  const mode = state.mode === 'rule' || (state.mode === 'reason' && selected.size === 0) ? 'list' : state.mode
  return { ...state, selected, cursor: next, scroll: 0, rule: 0, mode }
}

/** The rows that `y` and `n` are about: the selected ones, or the one of the cursor. */
export function targets({ selected, cursor }: InboxState, rows: readonly InboxRow[]): readonly InboxRow[] {
  return selected.size > 0 ? rows.filter((row) => selected.has(row.key)) : rows.filter((row) => row.key === cursor)
}

/** The rows that the chosen rule covers; the row of the cursor is always one of them. */
export function coveredRows(state: InboxState, scene: Pick<InboxScene, 'rows' | 'covers'>): readonly InboxRow[] {
  const row = cursorRow(state, scene.rows)
  const rule = row?.request.suggestions[state.rule]
  const scope = answerScopes[state.scope]
  if (row === undefined || rule === undefined || scope === undefined) return []
  return scene.rows.filter((one) => one === row || (one.yes !== 'answer' && scene.covers(rule.text, one, row, scope)))
}

/** Seen as far as a yes needs it. */
export function isReady(row: InboxRow, seen: ReadonlySet<string>): boolean {
  return row.yes === 'row' || (row.yes === 'detail' && seen.has(row.key))
}

export function inboxKey(before: InboxState, press: KeyPress, scene: InboxScene): InboxStep {
  const state = { ...before, hint: null }
  if (state.mode === 'reason') return reasonKey(state, press, scene)
  if (state.mode === 'rule') return ruleKey(state, press, scene)
  const action = actionOf(scene.table, 'inbox', press)
  const row = cursorRow(state, scene.rows)
  if (press.repeat && action !== undefined && !moving.has(action)) return { state, used: true }
  switch (action) {
    case 'close':
      return { state, used: true, close: true }
    case 'up':
      return step(state, scene, -1)
    case 'down':
      return step(state, scene, 1)
    case 'top':
      return step(state, scene, -scene.rows.length)
    case 'bottom':
      return step(state, scene, scene.rows.length)
    case 'pageUp':
      return page(state, scene, -1)
    case 'pageDown':
      return page(state, scene, 1)
    case 'toggle':
      return row === undefined ? { state, used: true } : { state: toggled(state, row.key), used: true }
    case 'selectAll': {
      const all = scene.rows.every(({ key }) => state.selected.has(key))
      return { state: { ...state, selected: new Set(all ? [] : scene.rows.map(({ key }) => key)) }, used: true }
    }
    case 'open':
      return row === undefined ? { state, used: true } : { state, used: true, open: row }
    case 'apply':
      return allow(state, scene)
    case 'deny':
      if (row === undefined) return { state, used: true }
      return scene.mayDecide
        ? { state: { ...state, mode: 'reason', reason: emptyLine }, used: true }
        : { state: { ...state, hint: tooSoon }, used: true }
    case 'always':
      if (row === undefined) return { state, used: true }
      return row.request.suggestions.length > 0
        ? { state: { ...state, mode: 'rule', rule: 0, scope: 0 }, used: true }
        : { state: { ...state, hint: 'No rule may be written for this: it is asked every time.' }, used: true }
    default:
      return { state: before, used: false }
  }
}

/** A paste never decides: it goes into the words of a no. */
export function inboxPaste(state: InboxState, text: string): InboxStep {
  if (state.mode !== 'reason') return { state, used: true }
  return { state: { ...state, reason: insertText(state.reason, text.replace(/\s*\n\s*/g, ' ')) }, used: true }
}

const moving: ReadonlySet<string> = new Set(['up', 'down', 'pageUp', 'pageDown', 'top', 'bottom'])
const tooSoon = 'That came too soon to be an answer: press it again.'

function cursorRow({ cursor }: InboxState, rows: readonly InboxRow[]): InboxRow | undefined {
  return rows.find((row) => row.key === cursor)
}

function step(state: InboxState, { rows }: InboxScene, by: number): InboxStep {
  const at = rows.findIndex((row) => row.key === state.cursor)
  const to = rows[Math.max(0, Math.min(rows.length - 1, at + by))]
  if (to === undefined || to.key === state.cursor) return { state, used: true }
  return { state: { ...state, cursor: to.key, scroll: 0 }, used: true }
}

/** The details have more to say than a list has rows: pages are theirs. */
function page(state: InboxState, { details, page }: InboxScene, by: 1 | -1): InboxStep {
  const scroll = Math.max(0, Math.min(state.scroll + by * Math.max(1, page - 1), details - page))
  return { state: { ...state, scroll }, used: true }
}

function toggled(state: InboxState, key: string): InboxState {
  const selected = new Set(state.selected)
  if (!selected.delete(key)) selected.add(key)
  return { ...state, selected }
}

function allow(state: InboxState, scene: InboxScene): InboxStep {
  const rows = targets(state, scene.rows)
  if (rows.length === 0) return { state, used: true }
  if (!scene.mayDecide) return { state: { ...state, hint: tooSoon }, used: true }
  const asks = rows.find((row) => row.yes === 'answer')
  if (asks !== undefined) return notYet(state, asks, 'The model wants words here: enter opens it.')
  const unseen = rows.filter((row) => !isReady(row, state.seen))
  if (unseen[0] !== undefined) {
    const many = rows.length > 1 ? `${unseen.length} of ${rows.length} were not seen whole. ` : ''
    return notYet(state, unseen[0], `${many}Read this to its end first: pagedown.`)
  }
  const answers = rows.map((row): Answer => ({ row, decision: { type: 'allow', digest: row.request.digest } }))
  return { state: without(state, rows), used: true, answers }
}

function notYet(state: InboxState, row: InboxRow, hint: string): InboxStep {
  const scroll = state.cursor === row.key ? state.scroll : 0
  return { state: { ...state, cursor: row.key, scroll, hint }, used: true }
}

function without(state: InboxState, rows: readonly InboxRow[]): InboxState {
  const selected = new Set(state.selected)
  for (const { key } of rows) selected.delete(key)
  return { ...state, mode: 'list', reason: emptyLine, selected }
}

function reasonKey(state: InboxState, press: KeyPress, scene: InboxScene): InboxStep {
  if (press.name === 'escape') return { state: { ...state, mode: 'list' }, used: true }
  if (press.name === 'return') {
    if (press.repeat) return { state, used: true }
    const words = state.reason.text.trim()
    const decision: Decision = words === '' ? { type: 'deny' } : { type: 'deny', message: words }
    const rows = targets(state, scene.rows)
    return { state: without(state, rows), used: true, answers: rows.map((row) => ({ row, decision })) }
  }
  const reason = editLine(state.reason, press)
  return { state: reason === null ? state : { ...state, reason }, used: true }
}

function ruleKey(state: InboxState, press: KeyPress, scene: InboxScene): InboxStep {
  const row = cursorRow(state, scene.rows)
  const rules = row?.request.suggestions ?? []
  const clamp = (index: number, count: number) => Math.max(0, Math.min(count - 1, index))
  switch (press.name) {
    case 'escape':
      return { state: { ...state, mode: 'list' }, used: true }
    case 'up':
      return { state: { ...state, rule: clamp(state.rule - 1, rules.length) }, used: true }
    case 'down':
      return { state: { ...state, rule: clamp(state.rule + 1, rules.length) }, used: true }
    case 'left':
      return { state: { ...state, scope: clamp(state.scope - 1, answerScopes.length) }, used: true }
    case 'right':
      return { state: { ...state, scope: clamp(state.scope + 1, answerScopes.length) }, used: true }
    case 'return':
      return press.repeat ? { state, used: true } : allowByRule(state, row, scene)
    default:
      return { state, used: true }
  }
}

/** The row of the cursor writes the rule; the others that it covers and that were seen get the same answer. */
function allowByRule(state: InboxState, row: InboxRow | undefined, scene: InboxScene): InboxStep {
  const rule = row?.request.suggestions[state.rule]
  const scope = answerScopes[state.scope]
  if (row === undefined || rule === undefined || scope === undefined) return { state, used: true }
  if (!scene.mayDecide) return { state: { ...state, hint: tooSoon }, used: true }
  if (scene.details > scene.page) {
    return { state: { ...state, hint: 'The rule does not fit here: make the window larger.' }, used: true }
  }
  if (!isReady(row, state.seen)) {
    return { state: { ...state, mode: 'list', hint: 'Read it to its end first: pagedown.' }, used: true }
  }
  const others = coveredRows(state, scene).filter((one) => one !== row && isReady(one, state.seen))
  const answers: Answer[] = [
    { row, decision: { type: 'allow', digest: row.request.digest, rule: { text: rule.text, scope } } },
    ...others.map((one): Answer => ({ row: one, decision: { type: 'allow', digest: one.request.digest } })),
  ]
  return { state: without(state, [row, ...others]), used: true, answers }
}
