/** The app without a screen: lines that can be listened to, and the same keys. */
import { permissionModes } from '@sluice/engine/protocol'
import { actionOf, type KeyPress, type KeyTable, sanitizeForTerminal } from '@sluice/permissions-ui'
import type { DraftWorld } from '../composer/draft.ts'
import { pasteInto, pressKey } from '../composer/draft-keys.ts'
import {
  type CommandChoice,
  type Draft,
  type History,
  interruptPlan,
  isEmpty,
  replaceDraft,
} from '../composer/index.ts'
import { hintMs } from '../composer/interrupt-plan.ts'
import { chipAt } from '../composer/paste.ts'
import { absence } from '../keymap/absent.ts'
import { keyRows } from '../overlays/key-rows.ts'
import { type SessionRow, sessionRows } from '../overlays/session-rows.ts'
import type { AppActions } from '../screen/actions.ts'
import { draftOf, handDraft } from '../screen/memory.ts'
import { lastAnswer } from '../screen/screen-keys.ts'
import { createScrollback } from '../scrollback/scrollback.ts'
import { focused, type Store } from '../state/index.ts'
import type { KeyInput } from '../terminal/input.ts'
import type { Token } from '../terminal/tokens.ts'
import { createLineScreen } from './line-screen.ts'
import { narrate } from './narrator.ts'
import { createOpenQuestion } from './open-question.ts'
import type { LinearPlace, PlaceVoice } from './places/place.ts'
import { spokenKey, spokenLine } from './speech.ts'
import { spokenWriter } from './spoken-writer.ts'

export type LinearOptions = {
  store: Store
  actions: AppActions
  table: KeyTable
  input: KeyInput
  history: History
  commands: readonly CommandChoice[]
  completeFiles(query: string, signal: AbortSignal): Promise<string[]>
  onEditor(text: string): Promise<string | null>
  transcriptPath(sessionId: string): string
  /** Opens a place that has the keys until it is left; null when there is none of that name. Loaded when it is wanted. */
  openPlace?(name: string, voice: PlaceVoice): Promise<LinearPlace | null>
  /** By session; those of sessions that were gone on with are there already. */
  drafts: Map<string, Draft>
  /** Takes text for the terminal. */
  put(text: string): void
  /** Enter comes as a line feed: terminals inside editors send whole lines. */
  lineFeedSends: boolean
}

/** Begins to tell and to listen; the returned function stops both. */
export function startLinear(options: LinearOptions): () => void {
  const { store, actions, table } = options
  const screen = createLineScreen(options.put)
  const question = createOpenQuestion(screen, actions, table)
  const typed: string[] = []
  let leader: string | null = null
  let hintAt: number | null = null
  let place: LinearPlace | null = null

  const view = () => focused(store.getState())
  const draft = () => draftOf(options.drafts, store.getState().focus)

  const scrollback = createScrollback({
    store,
    print: (make) => screen.say(make(Number.POSITIVE_INFINITY)),
    writer: () => spokenWriter(typedHere),
    transcriptPath: options.transcriptPath,
  })
  const stopNarrating = narrate({
    store,
    say: screen.say,
    onQuestion: question.requested,
    onTrust: question.trustAsked,
    onOverlay: tellOverlay,
  })

  /** True, once, for what the person has typed: it stands there already. */
  function typedHere(text: string): boolean {
    const at = typed.indexOf(text.trim())
    if (at !== -1) typed.splice(at, 1)
    return at !== -1
  }

  function submit(text: string): void {
    screen.end()
    if (text.startsWith('!')) {
      const command = text.slice(1).trim()
      const problem = actions.runShell(command)
      if (problem === null) typed.push(`!${command}`)
      else screen.say([`Note: ${problem}.`])
      return
    }
    if (actions.runCommand(text)) return
    typed.push(text.trim())
    actions.send(text)
  }

  const world = (): DraftWorld => ({
    table,
    width: 10_000,
    history: options.history,
    commands: options.commands,
    completeFiles: options.completeFiles,
    queue: view()?.queue ?? [],
    onUnqueue: actions.unqueue,
    onSubmit: submit,
    onEditor(text) {
      const own = draft()
      options.onEditor(text).then(
        (edited) => {
          if (edited !== null) replaceDraft(own, edited)
          show()
        },
        () => show(),
      )
    },
    repaint: show,
  })

  /** What is being written, as far as it is anything. */
  function show(): void {
    const field = place?.field() ?? question.field()
    const { editor } = draft()
    if (field !== null) screen.write({ ...field, caret: field.text })
    else if (editor.text === '') screen.write(null)
    else {
      const clean = (text: string) => sanitizeForTerminal(unfolded(editor, text), 'visible')
      screen.write({ label: 'You: ', text: clean(editor.text), caret: clean(editor.text.slice(0, editor.caret)) })
    }
  }

  function take(token: Token): void {
    if (token.type === 'paste') {
      if (place !== null) place.paste(token.text)
      else if (!question.paste(token.text)) pasteInto(draft(), token.text, world())
      show()
    } else if (token.type === 'key') {
      const name = options.lineFeedSends && token.name === 'ctrl+j' ? 'return' : token.name
      key({ name, text: token.text, time: performance.now(), ...(token.repeat ? { repeat: true } : {}) })
    }
  }

  function key(press: KeyPress): void {
    if (leader !== null) {
      const name = `${leader} ${press.name}`
      leader = null
      follow(actionOf(table, 'leader', { ...press, name }), press)
      return
    }
    if ((place ?? question).field() === null && isLeader(press.name)) {
      leader = press.name
      return
    }
    if (place !== null) {
      const writing = place.field() !== null
      place.press(press)
      if (writing && place?.field() == null) screen.end()
      else if (place?.field() != null) show()
      return
    }
    const own = draft()
    if (question.press(press, !isEmpty(own))) {
      if (question.field() !== null) show()
      return
    }
    const { menu } = own
    if (pressKey(own, press, world())) {
      tellChoice(menu, own.menu)
      show()
    } else unused(press)
  }

  /** What follows the leader. */
  function follow(action: string | undefined, press: KeyPress): void {
    switch (action) {
      case 'answer':
        question.enter()
        return
      case 'session': {
        const sessionId = store.getState().order[Number(press.name) - 1]
        if (sessionId !== undefined) store.dispatch({ type: 'ui_focus', sessionId })
        return
      }
      case 'copy': {
        const text = lastAnswer(store)
        if (text !== '') actions.copy(text)
        return
      }
      case 'transcript':
      case 'panel':
      case 'mouse':
        screen.say([noScreen])
        return
      case undefined:
        return
      default:
        tellOverlay(action)
    }
  }

  /** A key that neither a question nor the draft has a use for. */
  function unused(press: KeyPress): void {
    const action = actionOf(table, 'global', press)
    if (action === 'mode') {
      const mode = view()?.mode
      const next = mode && permissionModes[(permissionModes.indexOf(mode) + 1) % permissionModes.length]
      if (next) actions.setMode(next)
    } else if (action === 'help') tellOverlay('help')
    else if (action === 'suspend') actions.suspend()
    else if (action === 'scrollUp' || action === 'scrollDown') screen.say([noScreen])
    else if (action === 'cancel') interrupt('ctrl+c', press.time)
    else if (action === 'leave') interrupt('ctrl+d', press.time)
    else if (action === 'interrupt') interrupt('escape', press.time)
  }

  function interrupt(pressed: 'escape' | 'ctrl+c' | 'ctrl+d', now: number): void {
    const phase = view()?.phase.name
    const running = phase === 'working' || phase === 'needs-you'
    const shown = hintAt !== null && now - hintAt <= hintMs ? hintAt : null
    const plan = interruptPlan(
      { draftEmpty: isEmpty(draft()), overlayOpen: false, running, hintAt: shown, escapeAt: null, now },
      pressed,
    )
    hintAt = plan === 'hint' ? now : null
    if (plan === 'hint') screen.say([`Press ${spokenKey(pressed)} again to leave.`])
    else if (plan === 'interrupt') actions.interrupt()
    else if (plan === 'leave') actions.quit()
  }

  function tellOverlay(name: string): void {
    if (name === 'sessions') {
      screen.say(sessionRows(store.getState()).map(spokenSession))
      return
    }
    if (name !== 'help' && name !== 'keys' && name !== 'palette') {
      void goTo(name)
      return
    }
    const rows = keyRows(table, options.commands, '', true)
    screen.say(rows.map((one) => (one.kind === 'title' ? `${one.text}:` : `${one.keys}: ${one.help}`)))
  }

  async function goTo(name: string): Promise<void> {
    place?.close()
    place = null
    const left: PlaceVoice['left'] = (to) => {
      place?.close()
      place = null
      screen.end()
      if (to === 'question') question.enter()
      else if (to === undefined) screen.say(['Back to your draft.'])
    }
    const opened = (await options.openPlace?.(name, { say: screen.say, left })) ?? null
    if (opened === null) return screen.say([`Note: ${absence(name)}.`])
    place = opened
    screen.say(place.begin())
  }

  /** The list of completions is heard when somebody moves in it. */
  function tellChoice(before: Draft['menu'], now: Draft['menu']): void {
    if (before === null || now === null) return
    if (before.token.start !== now.token.start || before.selected === now.selected) return
    const choice = now.choices[now.selected]
    if (choice === undefined) return
    screen.say([`Choice ${now.selected + 1} of ${now.choices.length}: ${spokenLine(choice.label)}`])
  }

  function isLeader(name: string): boolean {
    return Object.values(table.leader ?? {}).some(({ keys }) => keys.some((one) => one.startsWith(`${name} `)))
  }

  let inFront = store.getState().focus
  function followDraft(): void {
    const { focus, ui } = store.getState()
    if (ui.draft !== null && ui.draft.sessionId === focus) {
      const { text } = ui.draft
      store.dispatch({ type: 'ui_draft', draft: null })
      handDraft(options.drafts, focus, text)
      show()
    }
    if (focus === inFront) return
    inFront = focus
    tellDraft()
  }
  /** Words that wait in the draft of the session that has come to the front. */
  function tellDraft(): void {
    if (isEmpty(draft())) return
    screen.say(['What you had not sent is in your draft.'])
    show()
  }

  const unsubscribe = options.input.subscribe(take)
  const stopFollowing = store.subscribe(followDraft)
  const helpKey = spokenKey(table.global?.help?.keys[0] ?? '')
  screen.say([`Ready. Type a message and press Enter; ${helpKey} tells the keys.`])
  tellDraft()
  return () => {
    unsubscribe()
    stopFollowing()
    place?.close()
    stopNarrating()
    scrollback.stop()
    screen.end()
  }
}

const noScreen = 'Note: there is no screen here; what was said stands above.'

function spokenSession({ state, title, model, cost }: SessionRow, index: number): string {
  const what = title === '' ? 'nothing said yet' : spokenLine(title)
  return `Session ${index + 1}, ${state}: ${what}. Model ${spokenLine(model)}${cost === '' ? '' : `, ${cost}`}.`
}

/** Pastes that are one character of the draft, by their labels. */
function unfolded(editor: Draft['editor'], text: string): string {
  return text.replace(
    /[\u{10f000}-\u{10fffd}]/gu,
    (char, at: number) => chipAt(editor.chips, editor.text, at)?.label ?? char,
  )
}
