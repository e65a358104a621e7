/** What keys do to an open question that was told in lines: a pure step, and sometimes a decision. */
import type { Decision, PermissionRequest } from '@sluice/engine/protocol'
import {
  actionOf,
  editLine,
  emptyLine,
  insertText,
  type KeyPress,
  type KeyTable,
  type LineState,
} from '@sluice/permissions-ui'
import { spokenLine } from './speech.ts'

/** `ask` is where every question begins; the others are a field that is being written, or a choice that was begun. */
export type QuestionFlow =
  | { mode: 'ask' }
  | { mode: 'reason'; line: LineState }
  | { mode: 'answer'; line: LineState }
  | { mode: 'rule' }
  | { mode: 'scope'; rule: number }
  | { mode: 'chosen'; option: string }

export type FlowStep = {
  flow: QuestionFlow
  /** False hands the key to the draft. */
  used: boolean
  say?: string[]
  decision?: Decision
  leave?: true
  /** Tell the whole question again. */
  again?: true
}

/** The label and text of the field that is being written, or null. */
export function flowField(flow: QuestionFlow): { label: string; text: string } | null {
  if (flow.mode === 'reason') return { label: 'Reason: ', text: flow.line.text }
  if (flow.mode === 'answer') return { label: 'Answer: ', text: flow.line.text }
  return null
}

export function flowKey(flow: QuestionFlow, press: KeyPress, request: PermissionRequest, table: KeyTable): FlowStep {
  switch (flow.mode) {
    case 'ask':
      return request.question ? askedKey(press, request, table) : permissionKey(press, request, table)
    case 'reason':
    case 'answer':
      return fieldKey(flow, press, request)
    case 'rule': {
      const rule = Number(press.name) - 1
      if (request.suggestions[rule] !== undefined) return toScope(rule, request)
      return press.name === 'escape'
        ? back()
        : { flow, used: true, say: ['Press the number of a rule, or Escape to go back.'] }
    }
    case 'scope':
      return scopeKey(flow, press, request)
    case 'chosen':
      if (press.name === 'return' && !press.repeat) return answered(flow.option, request)
      return press.name === 'escape' ? back() : askedKey(press, request, table)
  }
}

/** A paste never decides: it goes into a field that is being written, or to the draft. */
export function flowPaste(flow: QuestionFlow, text: string): FlowStep {
  if (flow.mode !== 'reason' && flow.mode !== 'answer') return { flow, used: false }
  return { flow: { ...flow, line: insertText(flow.line, text) }, used: true }
}

function permissionKey(press: KeyPress, request: PermissionRequest, table: KeyTable): FlowStep {
  const flow: QuestionFlow = { mode: 'ask' }
  const action = actionOf(table, 'dialog', press)
  // A held key reaches no decision.
  if (press.repeat && action !== undefined) return { flow, used: true }
  switch (action) {
    case 'apply':
      return { flow, used: true, decision: { type: 'allow', digest: request.digest } }
    case 'deny':
      return toReason()
    case 'always':
      if (request.suggestions.length === 0)
        return { flow, used: true, say: ['No rule may be written for this: it is asked every time.'] }
      if (request.suggestions.length === 1) return toScope(0, request)
      return {
        flow: { mode: 'rule' },
        used: true,
        say: [
          ...request.suggestions.map(
            (one, i) => `${i + 1}: ${spokenLine(one.text, 'decide')}, ${spokenLine(one.label, 'decide')}`,
          ),
          'Press the number of a rule, or Escape to go back.',
        ],
      }
    case 'leave':
      return { flow, used: true, leave: true }
    default:
      return press.name === 'r' ? { flow, used: true, again: true } : { flow, used: false }
  }
}

function askedKey(press: KeyPress, request: PermissionRequest, table: KeyTable): FlowStep {
  const flow: QuestionFlow = { mode: 'ask' }
  const option = request.question?.options?.[Number(press.name) - 1]
  if (option !== undefined) {
    return {
      flow: { mode: 'chosen', option },
      used: true,
      say: [`${spokenLine(option, 'decide')}. Press Enter to answer this, or another number.`],
    }
  }
  if (press.name === 't')
    return {
      flow: { mode: 'answer', line: emptyLine },
      used: true,
      say: ['Type your answer, then Enter. Escape goes back.'],
    }
  if (press.name === 'n') return toReason()
  if (press.name === 'r') return { flow, used: true, again: true }
  return actionOf(table, 'dialog', press) === 'leave' ? { flow, used: true, leave: true } : { flow, used: false }
}

function toReason(): FlowStep {
  return {
    flow: { mode: 'reason', line: emptyLine },
    used: true,
    say: ['Say why, then Enter. Enter alone denies without a reason. Escape goes back.'],
  }
}

function toScope(rule: number, request: PermissionRequest): FlowStep {
  const text = spokenLine(request.suggestions[rule]?.text ?? '', 'decide')
  return {
    flow: { mode: 'scope', rule },
    used: true,
    say: [
      `It would write the rule ${text}.`,
      'Press s for this session, p for this project, u for you everywhere, or Escape to go back.',
    ],
  }
}

function scopeKey(flow: QuestionFlow & { mode: 'scope' }, press: KeyPress, request: PermissionRequest): FlowStep {
  if (press.name === 'escape') return back()
  const scope = press.name === 's' ? 'session' : press.name === 'p' ? 'project' : press.name === 'u' ? 'user' : null
  const rule = request.suggestions[flow.rule]
  if (scope === null || rule === undefined || press.repeat) {
    return {
      flow,
      used: true,
      say: ['Press s for this session, p for this project, u for you everywhere, or Escape to go back.'],
    }
  }
  return {
    flow: { mode: 'ask' },
    used: true,
    decision: { type: 'allow', digest: request.digest, rule: { text: rule.text, scope } },
  }
}

function fieldKey(
  flow: QuestionFlow & { mode: 'reason' | 'answer' },
  press: KeyPress,
  request: PermissionRequest,
): FlowStep {
  if (press.name === 'escape') return back()
  if (press.name === 'return') {
    if (press.repeat) return { flow, used: true }
    const text = flow.line.text.trim()
    if (flow.mode === 'answer') {
      return text === ''
        ? { flow, used: true, say: ['Type an answer first, or press Escape.'] }
        : answered(text, request)
    }
    return {
      flow: { mode: 'ask' },
      used: true,
      decision: text === '' ? { type: 'deny' } : { type: 'deny', message: text },
    }
  }
  const line = editLine(flow.line, press)
  return line === null
    ? { flow, used: !/^(ctrl|alt|shift)\+/.test(press.name) }
    : { flow: { ...flow, line }, used: true }
}

function answered(answer: string, request: PermissionRequest): FlowStep {
  return { flow: { mode: 'ask' }, used: true, decision: { type: 'allow', digest: request.digest, answer } }
}

function back(): FlowStep {
  return { flow: { mode: 'ask' }, used: true, again: true }
}
