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
}

/** Something about one session that is being asked in its row. */
export type Asking =
  | { what: 'title' | 'tags'; id: string; line: LineState }
  | { what: 'format'; id: string }
  /** Its folder, which is gone: whether it goes on in this one. */
  | { what: 'folder'; id: string; gone: string }

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
  | { want: 'move-here'; id: string }
  | { want: 'export'; id: string; format: ExportFormat }
  /** Something else is to be listed. */
  | { want: 'list' }

/** `used` is false for a key that means nothing here. */
export type Pressed = { state: PickerState; wish?: Wish; used: boolean }

/** What the keys may do now; the others are left alone. */
export type Possible = { undo: boolean; fork: boolean; export: boolean }

export function emptyPicker(query = ''): PickerState {
  return { line: insertText(emptyLine, query), content: false, everywhere: false, asking: null }
}

export function pressed(state: PickerState, press: KeyPress, table: KeyTable, possible: Possible): Pressed {
  if (state.asking !== null) return answered(state, state.asking, press, table)
  const wish = (want: Wish): Pressed => ({ state, wish: want, used: true })
  const listed = (next: Partial<PickerState>): Pressed => ({
    state: { ...state, ...next },
    wish: { want: 'list' },
    used: true,
  })
  const empty = state.line.text === ''
  if (actionOf(table, 'global', press) === 'cancel') return wish({ want: 'quit' })
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
      if (possible.undo) return wish({ want: 'undo' })
      break
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

/** A paste is text, whatever is in it. */
export function pasted(state: PickerState, text: string): Pressed {
  const { asking } = state
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
  if (asking.what === 'folder') {
    const yes = press.text.toLowerCase() === 'y'
    return yes ? { state: over, wish: { want: 'move-here', id: asking.id }, used: true } : { state, used: unlessGlobal }
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
