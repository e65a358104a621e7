/** Plain facts about a session: where it works, with which model and mode, how it stopped, what waits. */
import type { AgentEvent } from '@sluice/engine/protocol'
import type { SessionView } from '../state.ts'

type About = Pick<SessionView, 'cwd' | 'model' | 'mode' | 'title' | 'lastStop' | 'queue' | 'todo'>

export function about(view: SessionView, event: AgentEvent): Partial<About> {
  switch (event.type) {
    case 'session_start':
      return {
        cwd: event.cwd,
        model: event.model,
        mode: event.mode,
        title: event.title ?? view.title,
        // Words that waited in a former process have not reached the model; the session says again what waits.
        queue: view.queue.length === 0 ? view.queue : [],
      }
    case 'setting': {
      const change: Partial<About> = {}
      if (event.mode !== undefined) change.mode = event.mode
      if (event.model !== undefined) change.model = event.model
      if (event.title !== undefined) change.title = event.title
      return change
    }
    case 'todo':
      return { todo: event.items }
    case 'queue':
      return { queue: event.items }
    case 'turn_end':
      return { lastStop: { reason: event.reason, at: Date.parse(event.time) } }
    default:
      return {}
  }
}
