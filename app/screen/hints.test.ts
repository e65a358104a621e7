import { darkTheme, rowWidth } from '@sluice/permissions-ui'
import { expect, test } from 'vitest'
import { defaultKeys } from '../keymap.ts'
import { type HintState, hintsRow } from './hints.ts'

const nothing: HintState = {
  notice: null,
  leader: null,
  reading: null,
  asked: false,
  answering: false,
  working: false,
  draft: 'empty',
  panel: false,
  sessions: 1,
}

function hints(state: Partial<HintState>, width = 160): string {
  const row = hintsRow({ ...nothing, ...state }, defaultKeys, width, darkTheme)
  expect(rowWidth(row)).toBeLessThanOrEqual(width)
  return row.spans
    .map(({ text }) => text)
    .join('')
    .trimEnd()
}

test.each<[HintState['draft'], string, string]>([
  ['text', '⏎ send', '⏎ queue'],
  ['command', '⏎ run', '⏎ run'],
  // It is not kept for later: it stays in the draft.
  ['shell', '⏎ run', '! runs between turns'],
])('a draft of the kind %s says "%s", and "%s" while a turn runs', (draft, idle, working) => {
  expect(hints({ draft })).toMatch(new RegExp(`^ ${idle}   ctrl\\+j new line   ctrl\\+c clear`))
  expect(hints({ draft, working: true })).toMatch(
    new RegExp(`^ ${working}   ctrl\\+j new line   ctrl\\+c clear   esc interrupt`),
  )
})

test('an empty draft says how words that wait are taken back', () => {
  expect(hints({ queued: true })).toMatch(/^ ↑ take back {3}\? keys/)
  expect(hints({ queued: true, draft: 'text' })).not.toContain('take back')
  expect(hints({})).not.toContain('take back')
})

test('a reader hears of $EDITOR and $PAGER where there is room, when the marked item has text', () => {
  const reading = { typing: false, toggle: 'open' as const, copy: true }
  expect(hints({ reading })).toMatch(/] turn after {3}E \$EDITOR {3}P \$PAGER$/)
  expect(hints({ reading: { ...reading, copy: false } })).toMatch(/] turn after$/)
  expect(hints({ reading }, 80)).not.toContain('$PAGER')
})
