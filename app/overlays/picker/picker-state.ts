/** What somebody writes and wants in the list of sessions: a key press to the next state and a wish; pure. */
import {
  actionOf,
  editLine,
  emptyLine,
  insertText,
  type KeyPress,
  type KeyTable,
  type LineState,
} from '@sluice/permissions-ui'

export type PickerState = {
  /** The filter, or with `content` what is searched for. */
  line: LineState
  content: boolean
  /** All folders, not only this one. */
  everywhere: boolean
  asking: Asking | null
  /** The keys are shown instead of the list. */
  help: boolean
}

/** Something about one session that is being asked in its row. */
export type Asking =
  | { what: 'title' | 'tags'; id: string; line: LineState }
  | { what: 'format'; id: string }
  /** Whether it goes on in its folder, unless that is gone, or in this one. */
  | { what: 'folder'; id: string; folder: string; gone: boolean }

export const exportFormats = [
  { key: 'm', format: 'md', name: 'Markdown' },
  { key: 'h', format: 'html', name: 'HTML' },
  { key: 'j', format: 'json', name: 'JSON' },
] as const
export type ExportFormat = (typeof exportFormats)[number]['format']

export type Wish =
  | { want: 'move'; by: number | 'page-up' | 'page-down' | 'top' | 'bottom' }
  | { want: 'resume' | 'fork' | 'title' | 'tags' | 'format' | 'pin' | 'remove' | 'undo' | 'leave' | 'quit' }
  | { want: 'save'; what: 'title' | 'tags'; id: string; text: string }
  | { want: 'go-on'; id: string; where: 'there' | 'here' }
  | { want: 'export'; id: string; format: ExportFormat }
  /** Something else is to be listed. */
  | { want: 'list' }

/** `used` is false for a key that means nothing here. */
export type Pressed = { state: PickerState; wish?: Wish; used: boolean }

/** What the keys may do now; the others are left alone. */
export type Possible = { fork: boolean; export: boolean }

export function emptyPicker(query = ''): PickerState {
  return { line: insertText(emptyLine, query), content: false, everywhere: false, asking: null, help: false }
}

export function pressed(state: PickerState, press: KeyPress, table: KeyTable, possible: Possible): Pressed {
  if (state.asking !== null) return answered(state, state.asking, press, table)
  // What scrolls the keys never comes here.
  if (state.help) return { state: { ...state, help: false }, used: true }
  const wish = (want: Wish): Pressed => ({ state, wish: want, used: true })
  const listed = (next: Partial<PickerState>): Pressed => ({
    state: { ...state, ...next },
    wish: { want: 'list' },
    used: true,
  })
  const empty = state.line.text === ''
  const anywhere = actionOf(table, 'global', press)
  if (anywhere === 'cancel') return wish({ want: 'quit' })
  // Behind other words it is a character like any other.
  if (anywhere === 'help' && (press.text === '' || (empty && !state.content)))
    return { state: { ...state, help: true }, used: true }
  switch (actionOf(table, 'picker', press)) {
    case 'accept':
      return wish({ want: 'resume' })
    case 'up':
      return wish({ want: 'move', by: -1 })
    case 'down':
      return wish({ want: 'move', by: 1 })
    case 'pageUp':
      return wish({ want: 'move', by: 'page-up' })
    case 'pageDown':
      return wish({ want: 'move', by: 'page-down' })
    case 'top':
      return wish({ want: 'move', by: 'top' })
    case 'bottom':
      return wish({ want: 'move', by: 'bottom' })
    case 'rename':
      return wish({ want: 'title' })
    case 'tags':
      return wish({ want: 'tags' })
    case 'pin':
      return wish({ want: 'pin' })
    case 'delete':
      // A key that is held deletes one, not all of them.
      return press.repeat === true ? { state, used: true } : wish({ want: 'remove' })
    case 'fork':
      return possible.fork ? wish({ want: 'fork' }) : { state, used: true }
    case 'export':
      return possible.export ? wish({ want: 'format' }) : { state, used: true }
    case 'undo':
      return wish({ want: 'undo' })
    case 'scope':
      return listed({ everywhere: !state.everywhere })
    case 'content':
      // Later it is a character like any other.
      if (empty && !state.content) return listed({ content: true })
      break
    case 'close':
      if (empty && !state.content) return wish({ want: 'leave' })
      return listed({ line: emptyLine, content: false })
  }
  if (press.name === 'backspace' && empty && state.content) return listed({ content: false })
  const line = editLine(state.line, press)
  if (line === null) return { state, used: false }
  return line.text === state.line.text ? { state: { ...state, line }, used: true } : listed({ line })
}

/** Enter is an answer only where it moves nothing. */
function folderAnswer(gone: boolean, letter: string, accept: boolean): 'there' | 'here' | null {
  if (gone) return letter === 'y' ? 'here' : null
  return accept ? 'there' : letter === 'h' ? 'here' : null
}

/** A paste is text, whatever is in it. */
export function pasted(state: PickerState, text: string): Pressed {
  const { asking } = state
  if (state.help) return { state, used: true }
  if (asking === null)
    return { state: { ...state, line: insertText(state.line, text) }, wish: { want: 'list' }, used: true }
  if (!('line' in asking)) return { state, used: true }
  return { state: { ...state, asking: { ...asking, line: insertText(asking.line, text) } }, used: true }
}

/** The words behind commas and blanks, each once. */
export function tagsIn(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).map((word) => word.replace(/^#/, '')))].filter((word) => word !== '')
}

function answered(state: PickerState, asking: Asking, press: KeyPress, table: KeyTable): Pressed {
  const over = { ...state, asking: null }
  const action = actionOf(table, 'picker', press)
  const unlessGlobal = !['suspend', 'redraw'].includes(actionOf(table, 'global', press) ?? '')
  if (action === 'close' || actionOf(table, 'global', press) === 'cancel') return { state: over, used: true }
  // It takes deletions back here, and never leaves the program.
  if (action === 'undo') return { state, used: true }
  if (asking.what === 'folder') {
    const where = folderAnswer(asking.gone, press.text.toLowerCase(), action === 'accept')
    if (where === null) return { state, used: unlessGlobal }
    return { state: over, wish: { want: 'go-on', id: asking.id, where }, used: true }
  }
  if (asking.what === 'format') {
    const chosen = exportFormats.find(({ key }) => key === press.text.toLowerCase())
    if (chosen === undefined) return { state, used: unlessGlobal }
    return { state: over, wish: { want: 'export', id: asking.id, format: chosen.format }, used: true }
  }
  if (action === 'accept')
    return {
      state: over,
      wish: { want: 'save', what: asking.what, id: asking.id, text: asking.line.text.replace(/\s+/g, ' ').trim() },
      used: true,
    }
  const line = editLine(asking.line, press)
  return line === null ? { state, used: false } : { state: { ...state, asking: { ...asking, line } }, used: true }
}

/** The row that a mark on row `from` of `total` comes to; it may lie beyond them. */
export function moved(by: Extract<Wish, { want: 'move' }>['by'], from: number, page: number, total: number): number {
  switch (by) {
    case 'top':
      return 0
    case 'bottom':
      return total - 1
    case 'page-up':
      return from - page
    case 'page-down':
      return from + page
    default:
      return from + by
  }
}
