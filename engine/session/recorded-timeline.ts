/** The turns of a session that is read back, and what its last rewind left behind. */
import type { AgentEvent, Message, Rewound, TodoItem } from '../protocol/index.ts'
import { createCallTitles } from './call-titles.ts'
import type { TimelineState, TimelineTurn } from './timeline.ts'

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
  let left: { rewound: Rewound; turns: Head[]; todo: readonly TodoItem[] } | null = null
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
          left = null
          return
        case 'rewound': {
          const { rewound } = event
          sequence.push(rewound.id)
          if (rewound.undoes !== undefined) {
            if (rewound.conversation && left !== null) {
              turns = left.turns
              todo = left.todo
            }
            left = null
            return
          }
          left = { rewound, turns, todo }
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
      const behind = left === null ? undefined : history.leftBehind(left.rewound.id)
      const before = behind ?? { messages: now, turns: history.marks() }
      return {
        turns: placed(turns, now, history.marks()),
        sequence,
        left:
          left === null || (left.rewound.conversation && behind === undefined)
            ? null
            : {
                rewound: left.rewound,
                turns: placed(left.turns, before.messages, before.turns),
                history: before.messages,
                length: before.messages.length,
                todo: left.todo,
              },
        todo,
        titles,
      }
    },
  }
}
