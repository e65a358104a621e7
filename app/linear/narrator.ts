/** Tells what changes besides the conversation itself, each change once: running tools, mode, queue, plan, open questions. */
import type { PermissionRequest } from '@sluice/engine/protocol'
import { changeTotals, focused, type SessionView, type Store, shownQuestion, type TrustView } from '../state/index.ts'
import { plural } from '../transcript/format.ts'
import { spokenLine } from './speech.ts'
import { callName } from './spoken-writer.ts'

export type NarratorOptions = {
  store: Store
  say(lines: readonly string[]): void
  /** Another question is open now, or none (null). */
  onQuestion(request: PermissionRequest | null, view: SessionView): void
  onTrust(question: TrustView | null): void
  /** Somebody wants to see something that is drawn over a screen. */
  onOverlay(name: string): void
}

/** Returns a function that stops it. */
export function narrate(options: NarratorOptions): () => void {
  const { store, say } = options
  let before: SessionView | null = null
  let asked: string | null = null
  let picked: string | null = null
  let trust: TrustView | null = null
  const running = new Set<string>()

  function update(): void {
    const { ui } = store.getState()
    const view = focused(store.getState())
    if (view !== null && (view !== before || ui.question !== picked)) {
      if (view !== before && before?.id === view.id) tell(before, view)
      picked = ui.question
      before = view
      const request = shownQuestion(view, ui.question)
      const key = request === null ? null : `${request.id} ${request.digest}`
      if (key !== asked) {
        asked = key
        options.onQuestion(request, view)
      }
    }
    if (ui.trust !== trust) {
      trust = ui.trust
      options.onTrust(trust)
    }
    if (ui.toast !== null) {
      store.dispatch({ type: 'ui_toast', toast: null })
      say([`${ui.toast.level === 'warn' ? 'Warning' : 'Note'}: ${spokenLine(ui.toast.text)}`])
    }
    if (ui.overlay !== null) {
      const { name } = ui.overlay
      store.dispatch({ type: 'ui_overlay', overlay: null })
      options.onOverlay(name)
    }
    if (ui.reading) store.dispatch({ type: 'ui_reading', reading: false })
  }

  function tell(old: SessionView, view: SessionView): void {
    const lines: string[] = []
    if (view.mode !== old.mode) lines.push(`Mode: ${view.mode}.`)
    if (view.model !== old.model) lines.push(`Model: ${spokenLine(view.model)}.`)
    if (view.phase.name === 'working' && old.phase.name !== 'working' && old.phase.name !== 'needs-you') {
      lines.push('Working.')
    }
    for (const call of view.live?.calls ?? []) {
      const slow = call.toolKind === 'execute' || call.toolKind === 'network'
      if (call.status !== 'running' || !slow || running.has(call.id)) continue
      running.add(call.id)
      lines.push(`Tool ${callName(call)}: running.`)
    }
    const unseen = changeTotals(view.changes).unreviewed
    if (view.phase.name === 'idle' && old.phase.name !== 'idle' && unseen > 0) {
      lines.push(`Unseen: ${plural(unseen, 'edit')} applied without you; /review goes through them.`)
    }
    if (view.queue !== old.queue) {
      const known = new Set(old.queue.map((item) => item.id))
      for (const item of view.queue) if (!known.has(item.id)) lines.push(`Queued: ${spokenLine(item.text)}`)
    }
    if (view.todo !== old.todo && view.todo.length > 0) {
      const counted = view.todo.filter((item) => item.status !== 'dropped')
      const done = counted.filter((item) => item.status === 'done').length
      const now = view.todo.find((item) => item.status === 'in_progress')
      lines.push(`Plan: ${done} of ${counted.length} done${now === undefined ? '' : `, now: ${spokenLine(now.text)}`}.`)
    }
    const checks = view.verification.results
    const check = checks.at(-1)
    if (checks !== old.verification.results && check !== undefined) {
      const { passed, unknown, command } = check.result
      const came = passed ? 'passed' : unknown ? 'ran, its result is not known' : 'failed'
      lines.push(`Check ${came}: ${spokenLine(command)}.`)
    }
    say(lines)
  }

  const stop = store.subscribe(update)
  update()
  return stop
}
