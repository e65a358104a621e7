/** The last line: the keys that do something now, and nothing else. */
import {
  cellWidth,
  fitSpans,
  type KeyTable,
  keyLabel,
  type StyledRow,
  type StyledSpan,
  type Theme,
} from '@sluice/permissions-ui'
import type { DraftMode } from '../composer/index.ts'
import { isAbsent } from '../keymap/absent.ts'

export type HintState = {
  /** "press ctrl+c again to leave", or what the composer has to say. */
  notice: string | null
  /** Keys that may follow the leader that was pressed; null when none was. */
  leader: { prefix: string; next: readonly { key: string; help: string }[] } | null
  /** What the reader can do where the mark stands; null while nobody reads. */
  reading: ReadingHints | null
  asked: boolean
  /** Some session has an open question. */
  questions?: boolean
  /** Words wait to be sent. */
  queued?: boolean
  /** Edits wait that nobody has looked at. */
  unseen?: boolean
  answering: boolean
  working: boolean
  draft: DraftMode
  /** There is a panel that can be shown or hidden. */
  panel: boolean
  /** How many are open. */
  sessions: number
}

/** `typing` while a query is written: its own line has the hints then. */
export type ReadingHints = { typing: boolean; toggle: 'open' | 'close' | null; copy: boolean }

export function hintsRow(state: HintState, table: KeyTable, width: number, theme: Theme): StyledRow {
  if (state.notice !== null) return { spans: fitSpans([{ text: ` ${state.notice}`, color: theme.warn }], width) }
  if (state.leader !== null) {
    return { spans: joined([[state.leader.prefix, ''], ...followers(state, table)], width, theme) }
  }
  return { spans: joined(hints(state, table, theme), width, theme) }
}

type Hint = [key: string, help: string]

/** What follows the leader, in the fewest words and in this order; an action without a word here keeps its help text. */
const leaderWords: Record<string, string> = {
  answer: 'answer',
  inbox: 'inbox',
  review: 'unseen edits',
  panel: 'panel',
  transcript: 'transcript',
  keys: 'keys',
  palette: 'commands',
  copy: 'copy answer',
  model: 'model',
  mouse: 'mouse',
  session: 'switch',
  sessions: 'sessions',
  unfold: 'unfold paste',
}

function followers(state: HintState, table: KeyTable): Hint[] {
  const { leader } = state
  if (leader === null) return []
  const order = Object.keys(leaderWords)
  const found = leader.next.flatMap(({ key, help }) => {
    const [context, action] = ownerOf(table, `${leader.prefix} ${key}`)
    if (isAbsent(context, action)) return []
    // One for all of them.
    if (action === 'session' && (state.sessions < 2 || key !== '1')) return []
    if ((action === 'answer' && !state.asked) || (action === 'panel' && !state.panel)) return []
    if ((action === 'inbox' && !state.questions) || (action === 'review' && !state.unseen)) return []
    const at = order.indexOf(action)
    const shown = action === 'session' ? `1-${Math.min(9, state.sessions)}` : key
    return [{ hint: [shown, leaderWords[action] ?? help] as Hint, at: at === -1 ? order.length : at }]
  })
  return found.sort((a, b) => a.at - b.at).map(({ hint }) => hint)
}

function ownerOf(table: KeyTable, sequence: string): [context: string, action: string] {
  for (const [context, actions] of Object.entries(table)) {
    for (const [action, { keys }] of Object.entries(actions)) if (keys.includes(sequence)) return [context, action]
  }
  return ['', '']
}

function hints(state: HintState, table: KeyTable, theme: Theme): Hint[] {
  const of = (context: string, action: string, help: string): Hint => [keyLabel(table, context, action), help]
  if (state.reading !== null) {
    const { typing, toggle, copy } = state.reading
    if (typing) return []
    return [
      ...(toggle === null ? [] : [of('transcript', 'toggle', toggle)]),
      of('transcript', 'search', 'search'),
      ...(copy ? [of('transcript', 'copy', 'copy')] : []),
      of('transcript', 'leave', 'back'),
      of('transcript', 'bottom', 'newest'),
      of('transcript', 'previousTurn', 'turn before'),
      of('transcript', 'nextTurn', 'turn after'),
      ...(copy ? [of('transcript', 'editor', '$EDITOR'), of('transcript', 'pager', '$PAGER')] : []),
    ]
  }
  if (state.answering) {
    // The dialog has its own hints; these are the keys that reach past it.
    return [
      of('global', 'cancel', 'interrupt'),
      of('leader', 'transcript', 'transcript'),
      ...(state.panel ? [of('leader', 'panel', 'panel')] : []),
    ]
  }
  if (state.draft === 'menu') {
    const [up, down] = [of('completion', 'previous', ''), of('completion', 'next', '')]
    const both = up[0] === 'up' && down[0] === 'down' && theme.glyphs.down === '↓' ? '↑↓' : `${up[0]} ${down[0]}`.trim()
    return [of('completion', 'accept', 'take'), [both, 'choose'], of('completion', 'close', 'close')]
  }
  if (state.draft === 'search') return []
  const list: Hint[] = []
  if (state.asked) list.push(of('leader', 'answer', 'answer'))
  if (state.draft !== 'empty') {
    list.push(submitHint(state, of), [newlineKey(table), 'new line'], of('global', 'cancel', 'clear'))
  }
  if (state.working) list.push(of('global', 'interrupt', 'interrupt'))
  if (state.draft === 'empty' && state.queued) {
    const [key, help] = of('composer', 'up', 'take back')
    list.push([key === 'up' && theme.glyphs.down === '↓' ? '↑' : key, help])
  }
  if (state.draft === 'empty') list.push(of('global', 'help', 'keys'))
  list.push(of('global', 'mode', 'mode'), of('leader', 'transcript', 'transcript'))
  if (state.panel) list.push(of('leader', 'panel', 'panel'))
  return list
}

/** What becomes of the draft: words wait for the turn, a `/command` does not, and a `!command` stays until the turn has ended. */
function submitHint({ draft, working }: HintState, of: (context: string, action: string, help: string) => Hint): Hint {
  if (draft === 'shell' && working) return ['!', 'runs between turns']
  const runs = draft === 'shell' || draft === 'command'
  return of('composer', 'submit', runs ? 'run' : working ? 'queue' : 'send')
}

/** Not every terminal tells Shift+Enter from Enter: the key that is shown must work on all of them. */
function newlineKey(table: KeyTable): string {
  const keys = table.composer?.newline?.keys ?? []
  const sure = keys.find((key) => /^ctrl\+[a-z]$/.test(key)) ?? keys.find((key) => key.startsWith('alt+'))
  return (sure ?? keys[0] ?? '').replace('return', '⏎')
}

/** Hints that fit whole; the last ones give way. */
function joined(list: readonly Hint[], width: number, theme: Theme): StyledSpan[] {
  const out: StyledSpan[] = [{ text: ' ' }]
  let used = 1
  for (const [key, help] of list) {
    if (key === '') continue
    const gap = out.length > 1 ? '   ' : ''
    const cells = cellWidth(gap) + cellWidth(key) + (help === '' ? 0 : 1 + cellWidth(help))
    if (used + cells > width) break
    out.push({ text: `${gap}${key}` }, ...(help === '' ? [] : [{ text: ` ${help}`, color: theme.muted }]))
    used += cells
  }
  return fitSpans(out, width)
}
