/** The question that is open: told in lines, and answered by keys once nobody is typing. */
import type { Decision, PermissionRequest } from '@sluice/engine/protocol'
import { actionOf, createQuietGate, type KeyPress, type KeyTable } from '@sluice/permissions-ui'
import type { AppActions } from '../screen/actions.ts'
import { at, type SessionView, type TrustView } from '../state/index.ts'
import type { LineScreen } from './line-screen.ts'
import { flowField, flowKey, flowPaste, type QuestionFlow } from './question-flow.ts'
import { pressSpeech, questionSpeech, trustSpeech } from './question-speech.ts'
import { spokenKey } from './speech.ts'
import { callName } from './spoken-writer.ts'

export interface OpenQuestion {
  /** Another request is open now, or none. */
  requested(request: PermissionRequest | null, view: SessionView): void
  trustAsked(question: TrustView | null): void
  /** True when the question used the key; otherwise it is for the draft. `draftPending`: the draft is not empty. */
  press(press: KeyPress, draftPending: boolean): boolean
  paste(text: string): boolean
  /** The person steps into the question: it is told again, and has the keys. */
  enter(): void
  /** What is being written for it, or null. */
  field(): { label: string; text: string } | null
}

const quietMs = 400

export function createOpenQuestion(screen: LineScreen, actions: AppActions, table: KeyTable): OpenQuestion {
  const gate = createQuietGate({ quietMs })
  let open: { request: PermissionRequest; view: SessionView } | null = null
  let trust: TrustView | null = null
  let flow: QuestionFlow = { mode: 'ask' }
  /** It was said that keys go to the draft. */
  let warned = false

  const enterKey = () => spokenKey(table.leader?.answer?.keys[0] ?? '')
  const speech = (again = true) => {
    if (open === null) return trust === null ? [] : trustSpeech(trust, table)
    const { request, view } = open
    const place = { index: Math.max(0, view.approvals.indexOf(request)), count: view.approvals.length }
    return questionSpeech(request, place, table, !again && request.modelReason?.trim() === lastWords(view))
  }

  /** Told as soon as it is there; the quiet begins to count then. */
  function arrive(): void {
    flow = { mode: 'ask' }
    warned = false
    if (open === null && trust === null) {
      gate.gone()
      return
    }
    gate.arrived(performance.now())
    screen.say(speech(false))
  }

  function leave(): void {
    gate.leave()
    warned = true
    screen.say([`The question stays open. ${enterKey()} answers it.`])
  }

  function toRequest(press: KeyPress, request: PermissionRequest, view: SessionView): boolean {
    const step = flowKey(flow, press, request, table)
    if (!step.used) return false
    const wasWriting = flowField(flow) !== null
    flow = step.flow
    const writes = flowField(flow) !== null
    if (wasWriting && !writes) screen.end()
    if (step.again) screen.say(press.name === 'escape' ? [pressSpeech(request, table)] : speech())
    if (step.say) screen.say(step.say)
    if (step.leave) leave()
    if (step.decision) decide(step.decision, request, view)
    else if (writes) gate.focus()
    return true
  }

  function decide(decision: Decision, request: PermissionRequest, view: SessionView): void {
    const what = callName({ name: request.tool, title: request.title })
    screen.say([decision.type === 'allow' ? `Allowed: ${what}.` : `Denied: ${what}.`])
    if (!actions.answer(view.id, request.id, decision)) screen.say(['Note: that question is no longer open.'])
  }

  function toTrust(press: KeyPress): boolean {
    const action = actionOf(table, 'trust', press)
    if (action === 'trust' || action === 'later') {
      screen.say([action === 'trust' ? 'Trusted.' : 'Not trusted for now.'])
      actions.answerTrust(action === 'trust')
    } else if (press.name === 'r') screen.say(speech())
    else if (actionOf(table, 'dialog', press) === 'leave') leave()
    else return false
    return true
  }

  return {
    requested(request, view) {
      open = request === null ? null : { request, view }
      arrive()
    },
    trustAsked(next) {
      trust = next
      if (open === null) arrive()
    },
    press(press, draftPending) {
      if (open === null && trust === null) return false
      if (gate.press(press.time, draftPending) === 'draft') {
        if (!warned && press.text !== '') {
          warned = true
          screen.say([`Your draft has the keys. ${enterKey()} answers the question.`])
        }
        return false
      }
      if (open === null ? toTrust(press) : toRequest(press, open.request, open.view)) return true
      gate.typing(press.time)
      return false
    },
    paste(text) {
      const step = flowPaste(flow, text)
      flow = step.flow
      return step.used
    },
    enter() {
      const lines = speech()
      screen.say(lines.length === 0 ? ['Note: no question is open.'] : lines)
      gate.focus()
    },
    field: () => flowField(flow),
  }
}

/** What the model said last, as far as nothing was told since. */
function lastWords(view: SessionView): string | undefined {
  const item = at(view.settled, view.settled.length - 1)
  return item?.kind === 'assistant' ? item.text.trim() : undefined
}
