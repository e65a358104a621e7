/** What the first screen knows, and how keys, pastes and answers of servers change it; pure. */
import {
  actionOf,
  editLine,
  emptyLine,
  graphemes,
  insertText,
  type KeyPress,
  type KeyTable,
  type LineState,
} from '@sluice/permissions-ui'
import { hintMs } from '../composer/interrupt-plan.ts'
import { type Read, readBaseUrl, readKey, readModelName } from './fields.ts'
import type { FoundServer, Listed } from './model-list.ts'

export type FirstRunChoice =
  | { type: 'demo' }
  | { type: 'server'; baseUrl: string; model: string; apiKey?: string }
  | { type: 'key'; apiKey: string }
  | { type: 'quit' }

/** The menu, by number from 1. */
export const entries = ['demo', 'local', 'key', 'url', 'quit'] as const

type Address = { baseUrl: string; apiKey?: string }

export type Step =
  | { at: 'menu'; selected: number }
  | { at: 'servers'; selected: number }
  /** `server` null: OpenAI's own. */
  | { at: 'key'; line: LineState; server: string | null }
  | { at: 'url'; line: LineState }
  /** The entry after the last model asks for another name. */
  | { at: 'models'; server: Address; models: readonly string[]; filter: LineState; selected: number }
  /** `note` says why the name must be typed. */
  | { at: 'name'; server: Address; line: LineState; note: string | null }

export type FirstRunState = {
  /** How we came here: the last one is on the screen, Esc goes back by one. */
  steps: readonly Step[]
  /** Null while the local ports are asked. */
  servers: readonly FoundServer[] | null
  /** The server whose models are asked for. */
  asking: Address | null
  problem: string | null
  /** `time` of the last key of a text that nobody asked for: what follows it at once belongs to that text. */
  strayAt: number | null
  /** `time` of the Ctrl+C after which another one leaves. */
  leaveAt: number | null
  /** Nothing changes any more once this is there. */
  choice: FirstRunChoice | null
}

export type FirstRunAction =
  | { type: 'key'; press: KeyPress; table: KeyTable }
  | { type: 'paste'; text: string }
  | { type: 'found'; servers: readonly FoundServer[] }
  /** The answer for the server that is being asked. */
  | { type: 'listed'; listed: Listed }
  /** The hint that Ctrl+C leaves has stood long enough. */
  | { type: 'hint-over' }

export const firstRunStart: FirstRunState = {
  steps: [{ at: 'menu', selected: 0 }],
  servers: null,
  asking: null,
  problem: null,
  strayAt: null,
  leaveAt: null,
  choice: null,
}

export function firstRunReducer(state: FirstRunState, action: FirstRunAction): FirstRunState {
  if (state.choice !== null) return state
  switch (action.type) {
    case 'key':
      return onKey(state, action.press, action.table)
    case 'paste':
      return onPaste(state, action.text)
    case 'found':
      // What the menu said about the search is over.
      return { ...state, servers: action.servers, problem: stepOf(state).at === 'menu' ? null : state.problem }
    case 'listed':
      return state.asking === null ? state : onListed(state, state.asking, action.listed)
    case 'hint-over':
      return { ...state, leaveAt: null }
  }
}

export function stepOf({ steps }: FirstRunState): Step {
  return steps[steps.length - 1] ?? { at: 'menu', selected: 0 }
}

/** The models that hold every word of the filter. */
export function filtered({ models, filter }: Extract<Step, { at: 'models' }>): readonly string[] {
  const words = filter.text.toLowerCase().split(/\s+/)
  return filter.text.trim() === ''
    ? models
    : models.filter((model) => words.every((word) => model.toLowerCase().includes(word)))
}

function onKey(before: FirstRunState, press: KeyPress, table: KeyTable): FirstRunState {
  const global = actionOf(table, 'global', press)
  const step = stepOf(before)
  const writes = 'line' in step || step.at === 'models'
  // In a field Ctrl+D deletes.
  if (global === 'cancel' || (global === 'leave' && !writes)) return onLeave(before, press.time)
  const state = before.leaveAt === null ? before : { ...before, leaveAt: null }
  const action = actionOf(table, 'overlay', press)
  if (state.asking !== null) return action === 'close' ? { ...state, asking: null } : state
  // Somebody who types a prompt ahead must not find that its digits and its Enter have chosen something.
  const more = state.strayAt !== null && press.time - state.strayAt < strayMs
  if (more && (press.text !== '' || action === 'accept')) return { ...state, strayAt: press.time }
  if (action === 'accept') return press.repeat ? state : onAccept(state)
  if (action === 'close') return onBack(state)
  if ('line' in step) {
    const line = editLine(step.line, press)
    return line === null ? state : replaced(state, { ...step, line })
  }
  const count = countOf(state, step)
  const go = (to: number) => replaced(state, { ...step, selected: Math.max(0, Math.min(count - 1, to)) })
  switch (action) {
    case 'up':
      return go(step.selected - 1)
    case 'down':
      return go(step.selected + 1)
    case 'pageUp':
      return go(step.selected - page)
    case 'pageDown':
      return go(step.selected + page)
    case 'top':
      return go(0)
    case 'bottom':
      return go(count - 1)
  }
  if (step.at === 'models') {
    const filter = editLine(step.filter, press)
    return filter === null ? state : replaced(state, { ...step, filter, selected: 0 })
  }
  const digit = /^[1-9]$/.test(press.name) ? Number(press.name) : 0
  if (digit >= 1 && digit <= count) return press.repeat ? state : onAccept(go(digit - 1))
  return press.text === '' ? state : { ...state, strayAt: press.time, problem: tooEarly }
}

const tooEarly = 'there is no model to talk to yet: choose one first'
/** Who pauses for longer is reading what the keys do. */
const strayMs = 400

/** Rows that a page key moves by; the view shows at least as many where there is room. */
const page = 8

function countOf(state: FirstRunState, step: Extract<Step, { selected: number }>): number {
  if (step.at === 'menu') return entries.length
  return step.at === 'servers' ? (state.servers?.length ?? 0) : filtered(step).length + 1
}

/** Back to the menu first; a second one soon after leaves, wherever the first one was pressed. */
function onLeave(state: FirstRunState, time: number): FirstRunState {
  if (state.leaveAt !== null && time - state.leaveAt <= hintMs) return chosen(state, { type: 'quit' })
  return { ...state, steps: state.steps.slice(0, 1), asking: null, problem: null, leaveAt: time }
}

function onBack(state: FirstRunState): FirstRunState {
  const step = stepOf(state)
  // There is nothing behind the menu: leaving is offered, not done.
  if (step.at === 'menu') return replaced(state, { ...step, selected: entries.length - 1 })
  if (step.at === 'models' && step.filter.text !== '') {
    return replaced(state, { ...step, filter: emptyLine, selected: 0 })
  }
  return { ...state, steps: state.steps.slice(0, -1), problem: null }
}

function onAccept(state: FirstRunState): FirstRunState {
  const step = stepOf(state)
  switch (step.at) {
    case 'menu':
      return onMenu(state, entries[step.selected])
    case 'servers':
      return openServer(state, state.servers?.[step.selected])
    case 'models': {
      const model = filtered(step)[step.selected]
      if (model !== undefined) return chosen(state, { type: 'server', ...step.server, model })
      const { text } = step.filter
      const line = { text, caret: graphemes(text).length }
      return pushed(state, { at: 'name', server: step.server, line, note: null })
    }
    case 'key':
      return accepted(state, readKey(step.line.text), (apiKey) =>
        step.server === null
          ? chosen(state, { type: 'key', apiKey })
          : { ...state, problem: null, asking: { baseUrl: step.server, apiKey } },
      )
    case 'url':
      return accepted(state, readBaseUrl(step.line.text), (baseUrl) => ({
        ...state,
        problem: null,
        asking: { baseUrl },
      }))
    case 'name':
      return accepted(state, readModelName(step.line.text), (model) =>
        chosen(state, { type: 'server', ...step.server, model }),
      )
  }
}

function onMenu(state: FirstRunState, entry: (typeof entries)[number] | undefined): FirstRunState {
  switch (entry) {
    case 'demo':
    case 'quit':
      return chosen(state, { type: entry })
    case 'key':
      return pushed(state, { at: 'key', line: emptyLine, server: null })
    case 'url':
      return pushed(state, { at: 'url', line: emptyLine })
    case 'local':
      if (state.servers === null) return { ...state, problem: 'the local ports are still being asked: a moment …' }
      if (state.servers.length === 0) return { ...state, servers: null, problem: null }
      return state.servers.length === 1
        ? openServer(state, state.servers[0])
        : pushed(state, { at: 'servers', selected: 0 })
    default:
      return state
  }
}

function onPaste(state: FirstRunState, pasted: string): FirstRunState {
  const step = stepOf(state)
  // Blanks and line ends around what is copied belong to where it was copied from.
  const text = pasted.trim()
  if (state.asking !== null) return state
  if ('line' in step) return replaced(state, { ...step, line: insertText(step.line, text) })
  if (step.at === 'models') {
    return replaced(state, { ...step, filter: insertText(step.filter, text), selected: 0 })
  }
  return { ...state, problem: tooEarly }
}

function onListed(before: FirstRunState, asked: Address, listed: Listed): FirstRunState {
  const state = { ...before, asking: null }
  switch (listed.type) {
    case 'models':
      return openServer(state, listed, asked.apiKey)
    case 'no-list':
      return pushed(state, { at: 'name', server: asked, line: emptyLine, note: listed.text })
    case 'key':
      return asked.apiKey === undefined
        ? { ...pushed(state, { at: 'key', line: emptyLine, server: listed.baseUrl }), problem: listed.text }
        : { ...state, problem: listed.text }
    case 'failed':
      return { ...state, problem: listed.text }
  }
}

function openServer(state: FirstRunState, found: FoundServer | undefined, apiKey?: string): FirstRunState {
  if (found === undefined) return state
  const { baseUrl, models } = found
  const server: Address = apiKey === undefined ? { baseUrl } : { baseUrl, apiKey }
  if (models.length > 0) return pushed(state, { at: 'models', server, models, filter: emptyLine, selected: 0 })
  const note = `${new URL(baseUrl).host} has no model yet: load one there, then type its name.`
  return pushed(state, { at: 'name', server, line: emptyLine, note })
}

function accepted(state: FirstRunState, read: Read, use: (value: string) => FirstRunState): FirstRunState {
  return 'problem' in read ? { ...state, problem: read.problem } : use(read.value)
}

function chosen(state: FirstRunState, choice: FirstRunChoice): FirstRunState {
  return { ...state, problem: null, leaveAt: null, choice }
}

function pushed(state: FirstRunState, step: Step): FirstRunState {
  return { ...state, steps: [...state.steps, step], problem: null }
}

function replaced(state: FirstRunState, step: Step): FirstRunState {
  return { ...state, steps: [...state.steps.slice(0, -1), step], problem: null }
}
