/** Where a person is in each session: the place in its transcript and the draft. Kept outside of the screen, which comes and goes. */
import {
  createDraft,
  type Draft,
  draftFrom,
  entryOf,
  type HistoryEntry,
  putBefore,
  typeAhead,
} from '../composer/index.ts'
import type { SessionView } from '../state/index.ts'
import { entriesOf } from '../transcript/entries.ts'
import { createLayout, type Layout } from '../transcript/layout.ts'
import { newReader, type Reader } from '../transcript/reader.ts'

/** By session; the rows are kept with the place. */
export type TranscriptMemory = Map<string, { reader: Reader; layout: Layout }>

export type ScreenMemory = {
  transcripts: TranscriptMemory
  /** What was written before there was a session is under the empty name. */
  drafts: Map<string, Draft>
}

export function createMemory(): ScreenMemory {
  return { transcripts: new Map(), drafts: new Map() }
}

/** A place by the entry at the top edge, since numbers of entries change; absent where the end is followed. */
export type Left = { place?: { entry: string; row: number }; draft?: HistoryEntry }

export function leftOf(memory: ScreenMemory, view: SessionView): Left {
  const scroll = memory.transcripts.get(view.id)?.reader.scroll
  const anchor = scroll === undefined || scroll.follow ? undefined : scroll.anchor
  const entry = anchor && entriesOf(view).entryAt(anchor.index)?.id
  const draft = memory.drafts.get(view.id)
  const kept = draft && entryOf(draft.editor)
  return {
    ...(anchor !== undefined && entry !== undefined ? { place: { entry, row: anchor.offset } } : {}),
    ...(kept !== undefined && kept.text.trim() !== '' ? { draft: kept } : {}),
  }
}

/** Forgets a session that is off the screen. */
export function forget(memory: ScreenMemory, sessionId: string): void {
  memory.transcripts.delete(sessionId)
  memory.drafts.delete(sessionId)
}

/** Puts a person back; words typed meanwhile come behind those that were left. */
export function goBack(memory: ScreenMemory, view: SessionView, { place, draft }: Left): void {
  if (place !== undefined) {
    const entries = entriesOf(view)
    let index = entries.count - 1
    while (index >= 0 && entries.entryAt(index)?.id !== place.entry) index--
    if (index >= 0) {
      const scroll = { follow: false as const, anchor: { index, offset: place.row }, seen: entries.count }
      memory.transcripts.set(view.id, { reader: { ...newReader, scroll }, layout: createLayout() })
    }
  }
  if (draft !== undefined) {
    const typed = draftOf(memory.drafts, view.id)
    memory.drafts.set(view.id, typeAhead(draftFrom(draft), typed))
  }
}

/** Hands words to a draft; what was being written stays behind them. A new object, so that the composer draws it. */
export function handDraft(drafts: Map<string, Draft>, sessionId: string, text: string): void {
  const next = { ...draftOf(drafts, sessionId) }
  putBefore(next, text)
  drafts.set(sessionId, next)
}

/** A draft outlives every dialog and every switch of the session; what was written before there was one is the first one's. */
export function draftOf(drafts: Map<string, Draft>, sessionId: string | null): Draft {
  const key = sessionId ?? ''
  const known = drafts.get(key)
  if (known) return known
  const draft = drafts.get('') ?? createDraft()
  drafts.delete('')
  drafts.set(key, draft)
  return draft
}
