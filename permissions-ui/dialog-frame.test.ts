import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commandRequest, editRequest, questionRequest } from '../fixtures/screen/requests.ts'
import { rowText, rowWidth } from './blocks/styled-row.ts'
import { dialogFrame } from './dialog-frame.ts'
import { dialogKeys } from './dialog-keys.ts'
import { openDialog } from './dialog-state.ts'
import { darkTheme } from './theme.ts'

const requests = [editRequest, commandRequest(), questionRequest(['one', 'two', 'three']), questionRequest()]
const frameAt = (request: (typeof requests)[number], width: number, height: number, extra = {}) =>
  dialogFrame({
    request,
    state: openDialog(request),
    table: { dialog: dialogKeys },
    theme: darkTheme,
    width,
    height,
    rows: 40,
    mustSeeEnd: true,
    focused: true,
    draftPending: false,
    position: { index: 0, count: 2 },
    fullScreen: false,
    focusKey: 'ctrl+x a',
    ...extra,
  })

test('the frame and the body fill the height exactly, and no row is too wide, at any size and in any mode', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...requests),
      fc.integer({ min: 20, max: 160 }),
      fc.integer({ min: 5, max: 50 }),
      fc.constantFrom('read' as const, 'reason' as const, 'always' as const),
      fc.integer({ min: 1, max: 500 }),
      fc.boolean(),
      (request, width, height, mode, rows, focused) => {
        fc.pre(mode !== 'always' || request.suggestions.length > 0)
        const state = {
          ...openDialog(request),
          mode,
          hint: rows % 3 === 0 ? 'A hint that says why nothing happened.' : null,
        }
        const frame = frameAt(request, width, height, { state, rows, focused })
        expect(frame.header.length + frame.bodyHeight + frame.footer.length).toBe(height)
        for (const row of [...frame.header, ...frame.footer]) expect(rowWidth(row)).toBeLessThanOrEqual(width)
      },
    ),
  )
})

test.each([
  [40, 8],
  [60, 10],
  [80, 24],
])('at %i × %i the buttons are there and the body has rows', (width, height) => {
  const frame = frameAt(editRequest, width, height)
  expect(frame.bodyHeight).toBeGreaterThanOrEqual(3)
  const shown = frame.footer.map(rowText).join('\n')
  for (const word of ['y apply', 'n no', 'A always']) expect(shown).toContain(word)
})

test('a rule is shown to its last letter however narrow the screen is', () => {
  const text = `bash(${'npm run something '.repeat(6)}*)`
  const request = { ...editRequest, suggestions: [{ text, label: '' }] }
  const frame = frameAt(request, 40, 30, { state: { ...openDialog(request), mode: 'always' } })
  expect(frame.footer.map((row) => rowText(row).slice(3)).join('')).toContain(text)
})

test.each([
  ['on', 'publishes (npm publish) · sandboxed · /home/ada/shop'],
  ['off', 'publishes (npm publish) · not sandboxed · /home/ada/shop'],
  ['unavailable', 'publishes (npm publish) · not sandboxed (there is none) · /home/ada/shop'],
  [undefined, 'publishes (npm publish) · /home/ada/shop'],
] as const)('a command says whether it would run in the sandbox: %s', (sandbox, text) => {
  const request = commandRequest(undefined, sandbox === undefined ? {} : { sandbox })
  const rows = frameAt(request, 120, 30).footer.map((row) => rowText(row).trim())
  expect(rows.some((row) => row.startsWith(text))).toBe(true)
})
