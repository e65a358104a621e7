/** What stays on the normal screen when the app is left: the end of the conversation as plain text, and how to go on with it. */
import { sanitizeForTerminal, type Theme } from '@sluice/permissions-ui'
import type { Unsaved } from '../compose/session.ts'
import { goOn, lostWords } from '../session/lost-words.ts'
import { type AppState, at, entries, type SessionView } from '../state/index.ts'
import { itemLines } from './lines.ts'

export type GoodbyeOptions = {
  columns: number
  theme: Theme
  /** False where the conversation stands on the normal screen already. */
  conversation: boolean
  transcriptPath(sessionId: string): string
  /** What of it could not be written down. */
  unsaved(sessionId: string): Unsaved | null
}

/** At most so many lines of the conversation; what stands before them is in the transcript file. */
export const mostLines = 500

/** Lines with line feeds, free of escape sequences; '' when nothing was said in any session. */
export function goodbyeText(state: AppState, options: GoodbyeOptions): string {
  const spoken = state.order
    .map((id) => state.sessions[id])
    .filter((view): view is SessionView => view !== undefined && saidSomething(view))
  const front = spoken.find(({ id }) => id === state.focus) ?? spoken.at(-1)
  if (front === undefined) return ''
  const conversation = options.conversation ? endOf(front, options) : []
  const kept = spoken.map(({ id }) => lostWords(id, options.unsaved(id)) ?? `Session ${id} is kept. ${goOn(id)}`)
  return [...conversation, ...(conversation.length > 0 ? [''] : []), ...kept].map((line) => `${line}\n`).join('')
}

function saidSomething(view: SessionView): boolean {
  for (const item of entries(view.settled)) if (item.kind === 'user') return true
  return false
}

function endOf(view: SessionView, { columns, theme, transcriptPath }: GoodbyeOptions): string[] {
  const plain = { columns, ink: { theme, styles: false } }
  let lines: string[] = []
  let index = view.settled.length - 1
  for (; index >= 0 && lines.length <= mostLines; index--) {
    const item = at(view.settled, index)
    if (item !== undefined) lines = [...itemLines(item, at(view.settled, index - 1), plain), ...lines]
  }
  if (index < 0 && lines.length <= mostLines) return lines
  const path = sanitizeForTerminal(transcriptPath(view.id), 'output')
  return [`${theme.glyphs.ellipsis} what was said before: the whole transcript is ${path}`, ...lines.slice(-mostLines)]
}
