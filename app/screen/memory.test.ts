/** A person who comes back to a session is where they were in it, with the words they had not sent. */
import type { AgentEvent } from '@sluice/engine/protocol'
import { expect, test } from 'vitest'
import { createDraft, entryOf, replaceDraft } from '../composer/index.ts'
import { chipCharacter } from '../composer/paste.ts'
import { createStore, type SessionView } from '../state/index.ts'
import { createLayout } from '../transcript/layout.ts'
import { newReader } from '../transcript/reader.ts'
import { createMemory, forget, goBack, handDraft, leftOf } from './memory.ts'

function session(notices: number): SessionView {
  const store = createStore()
  const events = Array.from(
    { length: notices },
    (_, n): AgentEvent => ({
      v: 1,
      type: 'notice',
      seq: n + 1,
      time: '2026-11-30T12:00:00.000Z',
      sessionId: 's1',
      turnId: null,
      level: 'info',
      code: 'welcome',
      text: `notice ${n + 1}`,
    }),
  )
  store.dispatch({ type: 'ui_load', events })
  const view = store.getState().sessions.s1
  if (view === undefined) throw new Error('no session')
  return view
}

const written = (text: string) => {
  const draft = createDraft()
  replaceDraft(draft, text)
  return draft
}

test('the place is that of the entry, however many came since', () => {
  const before = createMemory()
  const scroll = { follow: false as const, anchor: { index: 3, offset: 1 }, seen: 5 }
  before.transcripts.set('s1', { reader: { ...newReader, scroll }, layout: createLayout() })
  const left = leftOf(before, session(5))
  expect(left).toEqual({ place: { entry: 'e4', row: 1 } })

  const after = createMemory()
  goBack(after, session(9), left)
  expect(after.transcripts.get('s1')?.reader.scroll).toEqual({
    follow: false,
    anchor: { index: 3, offset: 1 },
    seen: 9,
  })
})

test('an entry that is gone, and a reader at the end, are at the end', () => {
  const memory = createMemory()
  goBack(memory, session(2), { place: { entry: 'e9', row: 0 } })
  expect(memory.transcripts.size).toBe(0)
  memory.transcripts.set('s1', { reader: newReader, layout: createLayout() })
  expect(leftOf(memory, session(2))).toEqual({})
})

test('the draft comes back with its pastes, and what is typed meanwhile stands behind it', () => {
  const memory = createMemory()
  memory.drafts.set('', written(' and more'))
  const chip = chipCharacter(1)
  goBack(memory, session(1), { draft: { text: `fix ${chip}`, pastes: { 1: 'one\ntwo' } } })
  const draft = memory.drafts.get('s1')
  expect(draft && entryOf(draft.editor)).toEqual({ text: `fix ${chip} and more`, pastes: { 1: 'one\ntwo' } })
  expect(memory.drafts.has('')).toBe(false)
})

test('words that are handed to a draft come before it, and what was pasted there stays', () => {
  const memory = createMemory()
  const chip = chipCharacter(1)
  goBack(memory, session(1), { draft: { text: `look at ${chip}`, pastes: { 1: 'one\ntwo' } } })
  const before = memory.drafts.get('s1')
  handDraft(memory.drafts, 's1', 'fix it')
  const draft = memory.drafts.get('s1')
  expect(draft).not.toBe(before)
  expect(draft && entryOf(draft.editor)).toEqual({ text: `fix it\nlook at ${chip}`, pastes: { 1: 'one\ntwo' } })
  expect(draft?.editor.caret).toBe(draft?.editor.text.length)
  memory.drafts.set('s1', written(' \n'))
  handDraft(memory.drafts, 's1', 'alone')
  expect(memory.drafts.get('s1')?.editor.text).toBe('alone')
})

test('blanks are no draft, and a session that was closed leaves nothing behind in the process', () => {
  const memory = createMemory()
  memory.drafts.set('s1', written('  \n'))
  expect(leftOf(memory, session(1))).toEqual({})
  memory.drafts.set('s1', written('old words'))
  forget(memory, 's1')
  goBack(memory, session(1), { draft: { text: 'old words' } })
  expect(memory.drafts.get('s1')?.editor.text).toBe('old words')
})
