/** What the list says: how a session is called, what was done to it, and what could not be. */
import type { PickerRow } from './picker-row.ts'
import type { Wish } from './picker-state.ts'
import type { Said } from './picker-view.ts'

export function titleOf({ session }: PickerRow): string {
  return session.title === '' ? 'This session' : `“${session.title}”`
}

export function deleted(title: string | undefined): Said | null {
  return title === undefined ? null : { level: 'info', text: `Deleted: ${title}`, undo: 'undo' }
}

/** What is said where a wish cannot be written down; of the others the error itself. */
export function notDone(wish: Wish): string | undefined {
  switch (wish.want) {
    case 'pin':
      return 'The pin was not changed'
    case 'remove':
      return 'Not deleted'
    case 'undo':
      return 'Not taken back'
    case 'save':
      return wish.what === 'title' ? 'Not renamed' : 'The tags were not changed'
    default:
      return undefined
  }
}
