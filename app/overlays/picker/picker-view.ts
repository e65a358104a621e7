/** What the list of sessions shows, and what it asks of the program around it. */
import type { SessionIndex, SessionPreview } from '@sluice/engine/ports'
import type { KeyPress, KeyTable } from '@sluice/permissions-ui'
import type { GoOn, Refusal } from '../../session/going-on.ts'
import type { Listing } from './listing.ts'
import type { HereSession, PickerRow } from './picker-row.ts'
import type { ExportFormat, PickerState, Possible } from './picker-state.ts'

/** What is done outside the list. A string is why it cannot be done, or for an export what there is to say. */
export interface PickerActions {
  /** Resolves with null once the session is on the screen. */
  resume(id: string, where: GoOn): Promise<Refusal | null>
  /** Brings a session of this process to the front. */
  front(id: string): void
  /** Absent where it cannot be done. */
  fork?(id: string): Promise<string | null>
  export?(id: string, format: ExportFormat): Promise<string>
  leave(): void
  /** Ends the program; where it is absent that key leaves the list. */
  quit?(): void
  /** Behind "it runs in another sluice": ` (process 4711)`; '' when nothing is known. */
  where(id: string): string
  /** What stands in the draft of a stored session; '' for nothing. */
  unsent?(id: string): string
  /** A session of this process has got another title. */
  renamed?(id: string, title: string): void
}

export type PickerOptions = {
  index: SessionIndex
  here(): readonly HereSession[]
  /** The folder that "this folder" means; '' while there is none yet. */
  cwd(): string
  table: KeyTable
  actions: PickerActions
  /** Calls back once after `ms`; the returned function cancels it. */
  after(ms: number, run: () => void): () => void
  query?: string
  /** What is stored and cannot be listed, in words; '' where there is none. */
  unreadable?(): string
  /** Where this folder has none that are wanted, begin with those of all folders. */
  widen?: boolean
  /** The session that is gone on with at once. */
  opens?: string | undefined
  /** Where the mark begins: on a session of this process, or on the first stored one; default the first row. */
  start?: string
}

/** What a closer look at a session gave, or why it could not be had. `where` is that of `PickerActions`. */
export type Looked = { preview: SessionPreview; where: string; unsent: string } | { problem: string }

/** `undo`: what the key that takes deletions back does now. */
export type Said = { level: 'info' | 'warn'; text: string; undo?: string }

/** What is on the screen. `selected` is -1 in an empty list. */
export type PickerView = {
  state: PickerState
  listing: Listing
  selected: number
  row: PickerRow | undefined
  /** Null until the mark has rested for a moment. */
  looked: Looked | null
  /** Sessions in all folders. */
  all: number
  /** Sessions in the folder or folders that are shown, whatever is filtered. */
  scope: number
  /** Records are still being taken in, and more may come. */
  reading: boolean
  said: Said | null
  possible: Possible
}

export interface Picker {
  view(): PickerView
  subscribe(listener: () => void): () => void
  /** True when the key meant something; `page` is how many rows are shown. */
  press(press: KeyPress, page: number): boolean
  paste(text: string): void
  move(by: number): void
  /** The sessions of this process have changed. */
  hereChanged(): void
  close(): void
}
