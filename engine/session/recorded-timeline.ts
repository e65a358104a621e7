/** The turns of a session that is read back, and what its rewinds left behind. */
import type { AgentEvent, Message, Rewound, TodoItem } from '../protocol/index.ts'
import { createCallTitles } from './call-titles.ts'
import { didSomething, type TimelineState, type TimelineTurn } from './timeline.ts'

type Head = Omit<TimelineTurn, 'history' | 'length'>

/** What the history that was read back knows: where its turns begin, by id. */
export type RecordedHistory = {
  messages(): Message[]
  marks(): ReadonlyMap<string, number>
  leftBehind(id: string): { messages: Message[]; turns: ReadonlyMap<string, number> } | undefined
}

export function createRecordedTimeline() {
  let turns: Head[] = []
  const sequence: string[] = []
  let left: { rewound: Rewound; turns: Head[]; todo: readonly TodoItem[] }[] = []
  let todo: readonly TodoItem[] = []
  const titles = createCallTitles()

  return {
    see(event: AgentEvent) {
      titles.see(event)
      switch (event.type) {
        case 'turn_start':
          if (event.turnId === null) return
          sequence.push(event.turnId)
          turns.push({ turnId: event.turnId, input: event.input, time: event.time, todo })
          return
        case 'todo':
          todo = event.items
          return
        case 'cleared':
          turns = []
          left = []
          return
        case 'rewound': {
          const { rewound } = event
          sequence.push(rewound.id)
          if (rewound.undoes !== undefined) {
            const at = left.findIndex((one) => one.rewound.id === rewound.undoes)
            const undone = left[at]
            if (undone === undefined) return
            left = left.slice(0, at)
            if (!rewound.conversation) return
            turns = undone.turns
            todo = undone.todo
            return
          }
          if (didSomething(rewound)) left = [...left, { rewound, turns, todo }]
          const at = turns.findIndex(({ turnId }) => turnId === rewound.toTurnId)
          if (!rewound.conversation || at < 0) return
          todo = turns[at]?.todo ?? todo
          turns = turns.slice(0, at)
        }
      }
    },
    /** A turn whose beginning the history has lost cannot be gone back to. */
    state(history: RecordedHistory): TimelineState {
      const placed = (heads: readonly Head[], messages: Message[], marks: ReadonlyMap<string, number>) =>
        heads.flatMap((head): TimelineTurn[] => {
          const length = marks.get(head.turnId)
          return length === undefined ? [] : [{ ...head, history: messages, length }]
        })
      const now = history.messages()
      return {
        turns: placed(turns, now, history.marks()),
        sequence,
        left: left.flatMap(({ rewound, turns: heads, todo: then }) => {
          const behind = history.leftBehind(rewound.id)
          if (rewound.conversation && behind === undefined) return []
          const before = behind ?? { messages: now, turns: history.marks() }
          const { messages } = before
          const own = placed(heads, messages, before.turns)
          return [{ rewound, turns: own, history: messages, length: messages.length, todo: then }]
        }),
        todo,
        titles,
      }
    },
  }
}
