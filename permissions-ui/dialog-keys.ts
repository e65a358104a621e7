/** The default keys of every open question; the app merges them into its table, where they can be rebound. */
import type { KeyTable } from './keys.ts'

export const dialogKeys = {
  apply: { keys: ['y'], help: 'apply' },
  deny: { keys: ['n'], help: 'deny, and say why (empty: silently)' },
  always: { keys: ['A'], help: 'always: choose a rule' },
  activate: { keys: ['return'], help: 'act on the focused control' },
  next: { keys: ['tab'], help: 'next control' },
  previous: { keys: ['shift+tab'], help: 'previous control' },
  right: { keys: ['right'], help: 'next control' },
  left: { keys: ['left'], help: 'previous control' },
  up: { keys: ['up'], help: 'up' },
  down: { keys: ['down'], help: 'down' },
  pageUp: { keys: ['pageup'], help: 'page up' },
  pageDown: { keys: ['pagedown'], help: 'page down' },
  toggle: { keys: ['space'], help: 'select or leave out; page down where nothing can be selected' },
  selectAll: { keys: ['a'], help: 'select everything, or nothing' },
  range: { keys: ['V'], help: 'begin a range of lines, or end it' },
  extendUp: { keys: ['shift+up'], help: 'take the line above into the range' },
  extendDown: { keys: ['shift+down'], help: 'take the line below into the range' },
  hunkParts: { keys: ['s'], help: 'split the hunk' },
  wider: { keys: ['+', '='], help: 'three more lines around the hunk' },
  undo: { keys: ['u'], help: 'undo the last mark, comment or edit' },
  comment: { keys: ['c'], help: 'comment on the line' },
  edit: { keys: ['e'], help: 'edit here' },
  editor: { keys: ['E'], help: 'edit in $EDITOR' },
  keep: { keys: ['ctrl+s'], help: 'keep what was edited here' },
  whitespace: { keys: ['w'], help: 'show blanks' },
  top: { keys: ['home'], help: 'to the beginning' },
  bottom: { keys: ['end'], help: 'to the end' },
  sideways: { keys: ['>', 'shift+right'], help: 'see more of long lines' },
  back: { keys: ['<', 'shift+left'], help: 'back to the beginning of long lines' },
  nextHunk: { keys: [']'], help: 'next hunk' },
  previousHunk: { keys: ['['], help: 'previous hunk' },
  nextFile: { keys: ['}'], help: 'next file' },
  previousFile: { keys: ['{'], help: 'previous file' },
  split: { keys: ['v'], help: 'side by side' },
  fullscreen: { keys: ['f'], help: 'full screen' },
  leave: { keys: ['escape'], help: 'leave the question open' },
} satisfies KeyTable[string]

export type DialogAction = keyof typeof dialogKeys

/** The app's table; actions that it does not name keep their default keys, after its own. */
export function withDialogKeys(table: KeyTable): KeyTable {
  const known = table.dialog ?? {}
  const missing = Object.entries(dialogKeys).filter(([action]) => !(action in known))
  return { ...table, dialog: { ...known, ...Object.fromEntries(missing) } }
}
