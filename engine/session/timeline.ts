/** The turns that the conversation consists of, where the history of each begins, and what rewinds left behind. */
import { type AgentEvent, type Message, type Rewound, shorten, type TodoItem } from '../protocol/index.ts'
import { type CallTitles, createCallTitles } from './call-titles.ts'

/** `history` up to `length` is what came before the turn. */
export type TimelineTurn = {
  turnId: string
  input: string
  time: string
  history: Message[]
  length: number
  todo: readonly TodoItem[]
}

export type Timeline = {
  /** Every event, before the history changes by it. */
  see(event: AgentEvent, history: Message[]): void
  turns(): readonly TimelineTurn[]
  /** True for a turn or rewind that is in the records. */
  knows(id: string): boolean
  /** Ids of the turns and rewinds from this one on, whatever became of them. */
  since(id: string): ReadonlySet<string>
  /** The last rewind that was not undone. */
  undoable(): Rewound | null
  /** The history to go on with. */
  rewound(rewound: Rewound, history: Message[]): Message[]
  todo(): readonly TodoItem[]
  titles: CallTitles
}

export type TimelineState = {
  turns: TimelineTurn[]
  /** Ids of all turns and rewinds, oldest first. */
  sequence: string[]
  /** Of the rewinds that can be undone, the last one behind: one is undone after the other. */
  left: {
    rewound: Rewound
    turns: TimelineTurn[]
    history: Message[]
    length: number
    todo: readonly TodoItem[]
  }[]
  todo: readonly TodoItem[]
  titles: CallTitles
}

export function createTimeline(from?: TimelineState): Timeline {
  const state: TimelineState = from ?? { turns: [], sequence: [], left: [], todo: [], titles: createCallTitles() }
  return {
    titles: state.titles,
    see(event, history) {
      state.titles.see(event)
      if (event.type === 'turn_start') {
        const turnId = event.turnId ?? ''
        const { input, time } = event
        state.sequence.push(turnId)
        state.turns.push({ turnId, input, time, history, length: history.length, todo: state.todo })
      } else if (event.type === 'todo') state.todo = event.items
      else if (event.type === 'cleared') {
        state.turns = []
        state.left = []
      }
    },
    turns: () => state.turns,
    knows: (id) => state.sequence.includes(id),
    since(id) {
      const at = state.sequence.indexOf(id)
      return new Set(at < 0 ? [] : state.sequence.slice(at))
    },
    undoable: () => state.left.at(-1)?.rewound ?? null,
    todo: () => state.todo,
    rewound(rewound, history) {
      state.sequence.push(rewound.id)
      const { todo } = state
      if (rewound.undoes !== undefined) {
        const left = state.left.find((one) => one.rewound.id === rewound.undoes)
        state.left = left === undefined ? state.left : state.left.slice(0, state.left.indexOf(left))
        if (!rewound.conversation || left === undefined) return toldOf(rewound, history)
        state.turns = left.turns
        state.todo = left.todo
        return left.history.slice(0, left.length)
      }
      if (didSomething(rewound))
        state.left = [...state.left, { rewound, turns: state.turns, history, length: history.length, todo }]
      const at = state.turns.findIndex(({ turnId }) => turnId === rewound.toTurnId)
      const turn = state.turns[at]
      if (!rewound.conversation || turn === undefined) return toldOf(rewound, history)
      state.turns = state.turns.slice(0, at)
      state.todo = turn.todo
      return turn.history.slice(0, turn.length)
    },
  }
}

/** What the model hears of files that changed under a conversation that goes on; null when nothing did. */
export function rewoundMessage({ conversation, files, input, undoes, call }: Rewound): Message | null {
  const paths = files.filter(({ how }) => how !== 'failed').map(({ path }) => path)
  if (conversation || paths.length === 0) return null
  const most = 40
  const names = paths.slice(0, most).join(', ') + (paths.length > most ? ` and ${paths.length - most} more` : '')
  const before = call === undefined ? `"${firstLine(input)}"` : `one call (${call.tool}: ${firstLine(call.title)})`
  const what = undoes === undefined ? `to how they were before ${before}` : 'to how they were before I did that'
  return {
    role: 'user',
    content: `I put these files back ${what}: ${names}. Read them again before you change them.`,
  }
}

/** Else there is nothing to undo. */
export function didSomething({ conversation, files }: Rewound): boolean {
  return conversation || files.some(({ how }) => how !== 'failed')
}

function toldOf(rewound: Rewound, history: Message[]): Message[] {
  const message = rewoundMessage(rewound)
  return message === null ? history : [...history, message]
}

function firstLine(text: string): string {
  const line = text.split('\n', 1)[0] ?? ''
  return shorten(line, 80)
}
