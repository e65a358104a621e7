/** What the list of sessions is made of: stored sessions, and those that run in this process. */
import type { SessionHit, SessionPreview, SessionSummary } from '@sluice/engine/ports'
import type { SessionState } from '../session-rows.ts'

/** A session that runs in this process, as it is now. */
export type HereSession = {
  session: SessionSummary
  /** As `ctrl+x 1…9` counts. */
  number: number
  state: SessionState
  /** In focus. */
  front: boolean
  preview(): SessionPreview
}

export type PickerRow = {
  session: SessionSummary
  here: HereSession | null
  /** Of a search in content. */
  snippet: SessionHit['snippet'] | null
}
