/** How a session stood before each of its last turns, so that a rewind leads its summary back there. */
import type { CheckState } from '../../ports/index.ts'
import type { AgentEvent, Rewound } from '../../protocol/index.ts'

/** Where the last words of the person and the last answer stand in the transcript, -1 before the first, and what checks said. */
export type Stand = { said: number; answered: number; checks: CheckState }
type Mark = Stand & { id: string }
/** `left` is what the last rewind left behind, by its id. */
export type TurnMarks = Stand & { marks: Mark[]; left: { id: string; stand: Stand; marks: Mark[] } | null }

export const noMarks: TurnMarks = { said: -1, answered: -1, checks: 'none', marks: [], left: null }

/** Further back only the words are not known any more. */
const mostMarks = 30

/** `at` is where the event's line begins. */
export function marked<T extends TurnMarks>(state: T, event: AgentEvent, at: number): T {
  switch (event.type) {
    case 'turn_start': {
      const mark = { ...standOf(state), id: event.turnId ?? '' }
      return { ...state, marks: [...state.marks, mark].slice(-mostMarks), said: at }
    }
    case 'message':
      return event.message.role === 'assistant' && event.message.content !== '' ? { ...state, answered: at } : state
    case 'cleared':
      return { ...state, marks: [], left: null }
    case 'rewound':
      return { ...state, ...rewoundTo(state, event.rewound) }
    default:
      return state
  }
}

function rewoundTo(state: TurnMarks, rewound: Rewound): Partial<TurnMarks> {
  const { id, toTurnId, undoes, conversation } = rewound
  if (undoes !== undefined) {
    const left = state.left?.id === undoes ? state.left : null
    const checks = checksAfter(state.checks, rewound, left?.stand.checks)
    return conversation && left ? { ...left.stand, marks: left.marks, left: null, checks } : { left: null, checks }
  }
  const index = state.marks.findIndex((mark) => mark.id === toTurnId)
  const mark = state.marks[index]
  const left = { id, stand: standOf(state), marks: state.marks }
  const checks = checksAfter(state.checks, rewound, mark?.checks)
  if (!conversation) return { left, checks }
  const { said, answered } = mark ?? noMarks
  return { said, answered, marks: state.marks.slice(0, Math.max(0, index)), left, checks }
}

/** Where every file went back, what was said of them then holds again; else something is there that no check has seen. */
function checksAfter(now: CheckState, { files, kept, call }: Rewound, then: CheckState | undefined): CheckState {
  if (!Array.isArray(files) || files.length === 0) return now
  const whole = call === undefined && kept?.length === 0 && files.every(({ how }) => how !== 'failed')
  if (whole && then !== undefined) return then
  return now === 'none' ? 'none' : 'unverified'
}

function standOf({ said, answered, checks }: Stand): Stand {
  return { said, answered, checks }
}
