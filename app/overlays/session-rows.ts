/** The open sessions as a list: number, what they do, what they are about, model and cost. */
import { oneLine } from '../dashboard/sections.ts'
import { type AppState, entries, type SessionView } from '../state/index.ts'
import { money } from '../transcript/format.ts'

/** `done`: a turn ended that nobody has looked at yet. */
export type SessionState = 'needs you' | 'works' | 'done' | 'idle' | 'closing'

/** `title` is '' while nothing was said; `cost` is '' while nothing was spent. */
export type SessionRow = { id: string; state: SessionState; title: string; model: string; cost: string }

/** In the order in which `ctrl+x 1…9` counts. */
export function sessionRows(state: AppState): SessionRow[] {
  return state.order.flatMap((id) => {
    const view = state.sessions[id]
    if (view === undefined) return []
    const { usage } = view
    return {
      id,
      state: stateOf(view, state.ui.unseen.includes(id)),
      title: oneLine(view.title === '' ? firstWords(view) : view.title),
      model: oneLine(view.model),
      cost: usage.costUsd > 0 ? money(usage.costUsd, usage.costKnown) : '',
    }
  })
}

function stateOf({ phase }: SessionView, unseen: boolean): SessionState {
  if (phase.name === 'needs-you') return 'needs you'
  if (phase.name === 'working') return 'works'
  if (phase.name === 'ended') return 'closing'
  return unseen ? 'done' : 'idle'
}

function firstWords(view: SessionView): string {
  for (const item of entries(view.settled)) if (item.kind === 'user') return item.text
  return ''
}
