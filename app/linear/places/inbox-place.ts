/** The open questions of all sessions, told one by one; the keys are those of the list on a screen. */
import type { Decision } from '@sluice/engine/protocol'
import { createQuietGate, type KeyTable } from '@sluice/permissions-ui'
import { type InboxRow, inboxRows } from '../../overlays/inbox/inbox-rows.ts'
import {
  answerScopes,
  coveredRows,
  emptyInbox,
  type InboxScene,
  type InboxState,
  type InboxStep,
  inboxKey,
  inboxPaste,
  settled,
  targets,
} from '../../overlays/inbox/inbox-state.ts'
import type { Store } from '../../state/index.ts'
import { plural } from '../../transcript/format.ts'
import { questionSpeech } from '../question-speech.ts'
import { spokenCounts, spokenLine } from '../speech.ts'
import { type LinearPlace, type PlaceVoice, pressLine } from './place.ts'

export type InboxPlaceOptions = PlaceVoice & {
  store: Store
  table: KeyTable
  covers: InboxScene['covers']
  onAnswer(sessionId: string, requestId: string, decision: Decision): boolean
  /** Shows this one; `told` when that tells it anew. */
  onOpen(row: InboxRow): 'question' | 'told'
}

const quietMs = 400

export function createInboxPlace(options: InboxPlaceOptions): LinearPlace {
  const { store, table, say } = options
  const gate = createQuietGate({ quietMs })
  let rows = inboxRows(store.getState())
  let state: InboxState = settled(emptyInbox, rows)
  /** Answered here: that they go away is no news. */
  const answered = new Set<string>()

  const stop = store.subscribe(() => {
    const before = rows
    rows = inboxRows(store.getState())
    const keys = new Set(rows.map(({ key }) => key))
    const known = new Set(before.map(({ key }) => key))
    const cursor = state.cursor
    state = settled(state, rows, before)
    const gone = before.filter(({ key }) => !keys.has(key) && !answered.has(key))
    const fresh = rows.filter(({ key }) => !known.has(key))
    if (state.cursor !== cursor) gate.arrived(performance.now())
    say([
      ...gone.map((row) => `Gone: ${rowName(row)}.`),
      ...fresh.map((row) => `New question: ${rowName(row)}.`),
      ...(state.cursor !== cursor && rows.length > 0 ? [here()] : []),
      ...(state.cursor !== cursor && rows.length === 0 ? [nothing] : []),
    ])
  })

  const current = () => rows.find(({ key }) => key === state.cursor)
  const here = (): string => {
    const row = current()
    if (row === undefined) return nothing
    const selected = state.selected.has(row.key) ? ', selected' : ''
    return `Question ${rows.indexOf(row) + 1} of ${rows.length}${selected}: ${rowName(row)}.`
  }

  function take(step: InboxStep): void {
    const before = state
    const about = targets(before, rows)
    state = step.state
    if (step.answers) {
      for (const { row, decision } of step.answers) {
        answered.add(row.key)
        const open = options.onAnswer(row.sessionId, row.request.id, decision)
        say([
          open
            ? `${decision.type === 'allow' ? 'Allowed' : 'Denied'}: ${rowName(row)}.`
            : `It had an answer already: ${rowName(row)}.`,
        ])
      }
    }
    if (step.open) options.left(options.onOpen(step.open))
    else if (step.close) options.left()
    else say(changes(before, about.length))
  }

  /** What the key changed, in words. */
  function changes(before: InboxState, about: number): string[] {
    if (state.hint !== null) return [`Note: ${state.hint}`, ...(state.cursor === before.cursor ? [] : [here()])]
    if (state.mode !== before.mode) {
      if (state.mode === 'reason') {
        return [
          `Say why you deny ${plural(about, 'question')}, then Enter. Enter alone denies silently. Escape goes back.`,
        ]
      }
      if (state.mode === 'rule') return [...ruleLines(), ruleKeys]
      return before.mode === 'rule' && current() !== undefined ? [here()] : []
    }
    if (state.mode === 'rule' && (state.rule !== before.rule || state.scope !== before.scope)) return ruleLines()
    if (state.cursor !== before.cursor) return rows.length === 0 ? [] : [here()]
    if (state.selected !== before.selected) {
      const count = state.selected.size
      return [
        count === 0 ? 'Nothing is selected.' : `${count} selected.`,
        ...(count > 1 || count === 0 ? [] : [here()]),
      ]
    }
    return []
  }

  function ruleLines(): string[] {
    const row = current()
    const suggestions = row?.request.suggestions ?? []
    const rule = suggestions[state.rule]
    if (rule === undefined) return []
    const covered = coveredRows(state, { rows, covers: options.covers })
    const number = suggestions.length > 1 ? ` ${state.rule + 1} of ${suggestions.length}` : ''
    return [
      `Rule${number}: ${spokenLine(rule.text, 'decide')}, ${spokenLine(rule.label, 'decide')}.`,
      `It is written for ${scopeWords[answerScopes[state.scope] ?? 'session']}, and covers ${covered.length} of ${plural(rows.length, 'open question')}:`,
      ...covered.map((one) => `Covered: ${rowName(one)}.`),
    ]
  }

  return {
    begin() {
      gate.arrived(performance.now())
      if (rows.length === 0) return [nothing]
      const sessions = new Set(rows.map(({ sessionId }) => sessionId)).size
      const head = `Needs you: ${plural(rows.length, 'open question')}${sessions > 1 ? ` in ${sessions} sessions` : ''}.`
      return [head, ...rows.map((row, i) => `${i + 1}: ${rowName(row)}.`), keysLine(table), here()]
    },
    press(press) {
      const mayDecide = gate.press(press.time) === 'dialog'
      const row = current()
      // Heard to its end is seen.
      if (state.mode === 'list' && table.inbox?.pageDown?.keys.includes(press.name) && row !== undefined) {
        state = { ...state, seen: new Set([...state.seen, row.key]) }
        say(questionSpeech(row.request, { index: rows.indexOf(row), count: rows.length }, table).slice(0, -1))
        return
      }
      const scene = { rows, table, details: 0, page: 0, listed: rows.length, mayDecide, covers: options.covers }
      const step = inboxKey(state, press, scene)
      if (step.used) take(step)
    },
    paste(text) {
      state = inboxPaste(state, text).state
    },
    field: () => (state.mode === 'reason' ? { label: 'Reason: ', text: state.reason.text } : null),
    close: stop,
  }
}

const nothing = 'Nothing needs you. Escape closes the list.'
const ruleKeys =
  'Up and down choose the rule, left and right where it is written. Enter writes it and allows these, Escape goes back.'
const scopeWords = { session: 'these sessions', project: 'this project', user: 'everywhere' }

function keysLine(table: KeyTable): string {
  return pressLine(table, 'inbox', [
    ['down', 'for the next'],
    ['pageDown', 'to hear it whole'],
    ['toggle', 'to select'],
    ['selectAll', 'for all'],
    ['apply', 'to allow'],
    ['deny', 'to deny and say why'],
    ['always', 'for all that a rule covers'],
    ['open', 'to answer this one alone'],
    ['close', 'to close'],
  ])
}

function rowName(row: InboxRow): string {
  const counts = row.counts === null ? '' : `, ${spokenCounts(row.counts)}`
  return `${row.tool} ${row.target}${counts}, in ${row.source}`
}
