import { applySelection, editHunks, fileDiff } from '@sluice/engine/change'
import type { PermissionRequest } from '@sluice/engine/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { editRequest } from '../../fixtures/screen/requests.ts'
import {
  commentAt,
  commented,
  editable,
  edited,
  moved,
  openReview,
  outcomeOf,
  type ReviewMove,
  type ReviewState,
  summaryOf,
  toggled,
  toggledAll,
} from './state.ts'

const old = Array.from({ length: 60 }, (_, i) => `line ${i + 1}\n`).join('')
const fresh = old
  .replace('line 5\n', 'five\n')
  .replace('line 30\n', 'thirty\nthirty and a half\n')
  .replace('line 55\n', '')
const diffOf = (path: string) => fileDiff({ path, oldText: old, newText: fresh, oldHash: 'a', newHash: 'b' })
const requestOf = (...paths: string[]): PermissionRequest => ({
  ...editRequest,
  blocks: paths.map((path) => ({ type: 'diff', diff: diffOf(path) })),
})
const open = (...paths: string[]) => openReview(requestOf(...(paths.length > 0 ? paths : ['src/f']))) as ReviewState
const go = (state: ReviewState, ...moves: ReviewMove[]) => moves.reduce(moved, state)

describe('the cursor', () => {
  test.each<[ReviewMove[], [number, number, number]]>([
    [['down'], [0, 0, 0]],
    [['up'], [0, 0, -1]],
    [
      ['nextHunk', 'nextHunk'],
      [0, 2, -1],
    ],
    [
      ['nextHunk', 'nextHunk', 'nextHunk'],
      [1, 0, -1],
    ],
    [
      ['nextHunk', 'down', 'previousHunk'],
      [0, 1, -1],
    ],
    [
      ['nextHunk', 'previousHunk'],
      [0, 0, -1],
    ],
    [
      ['nextFile', 'nextFile'],
      [1, 0, -1],
    ],
    [
      ['nextFile', 'nextHunk', 'previousFile'],
      [1, 0, -1],
    ],
    [
      ['nextFile', 'previousFile'],
      [0, 0, -1],
    ],
    [
      ['nextHunk', 'up', 'down'],
      [0, 1, -1],
    ],
    [
      ['last', 'down', 'nextHunk', 'nextFile'],
      [1, 2, 6],
    ],
    [
      ['last', 'first'],
      [0, 0, -1],
    ],
  ])('after %j', (moves, [file, hunk, line]) => {
    expect(go(open('a', 'b'), ...moves).cursor).toEqual({ file, hunk, line })
  })

  test('reaches every line and comes back the same way', () => {
    let state = open('a', 'b')
    const seen: string[] = []
    for (let last = ''; last !== JSON.stringify(state.cursor); state = moved(state, 'down')) {
      last = JSON.stringify(state.cursor)
      seen.push(last)
      if (moved(state, 'down').cursor === state.cursor) break
    }
    const lines = state.diffs.flatMap((diff) => diff.hunks).reduce((sum, hunk) => sum + hunk.lines.length + 1, 0)
    expect(new Set(seen).size).toBe(lines)
    for (const place of seen.slice(0, -1).reverse()) {
      state = moved(state, 'up')
      expect(JSON.stringify(state.cursor)).toBe(place)
    }
  })
})

describe('selecting', () => {
  test('everything is selected at first, and a plain yes has no amendment', () => {
    expect(summaryOf(open())).toEqual({ file: 1, files: 1, hunk: 1, hunks: 3, all: 3, kept: 3, partial: false })
    expect(outcomeOf(open())).toEqual({ amendment: null })
  })

  test('a hunk is left out as a whole from its head, and a line from the line', () => {
    let state = toggled(go(open(), 'nextHunk'))
    expect(summaryOf(state)).toMatchObject({ hunk: 2, kept: 2, partial: false })
    expect(outcomeOf(state)).toEqual({ amendment: { selection: { 'src/f': { 0: true, 2: true } } } })
    // The second of the two added lines only.
    state = toggled(go(state, 'down', 'down', 'down', 'down', 'down', 'down'))
    expect(outcomeOf(state)).toEqual({ amendment: { selection: { 'src/f': { 0: true, 1: [5], 2: true } } } })
    expect(summaryOf(state)).toMatchObject({ kept: 3, partial: true })
    expect(outcomeOf(toggledAll(state))).toEqual({ amendment: null })
  })

  test('all and none', () => {
    expect(outcomeOf(toggledAll(open()))).toEqual({ refused: '' })
    expect(outcomeOf(toggledAll(toggledAll(open())))).toEqual({ amendment: null })
  })

  test('a file that is left out is in the selection with nothing', () => {
    const state = [0, 1, 2].reduce((next) => moved(toggled(next), 'nextHunk'), open('a', 'b'))
    expect(outcomeOf(state)).toEqual({ amendment: { selection: { a: {} } } })
  })

  test('a context line stands for its hunk', () => {
    expect(summaryOf(toggled(go(open(), 'down')))).toMatchObject({ kept: 2, partial: false })
  })
})

describe('comments', () => {
  test('carry the line as it was seen, in order, and can be changed and taken away', () => {
    const second = commented(go(open(), 'nextHunk'), 'why two?')
    const both = commented(go(second, 'first'), '  spell it out ')
    expect(outcomeOf(both)).toEqual({
      amendment: {
        comments: [
          { path: 'src/f', hunk: 0, line: 5, snippet: 'five', text: 'spell it out' },
          { path: 'src/f', hunk: 1, line: 30, snippet: 'thirty', text: 'why two?' },
        ],
      },
    })
    expect(commentAt(both)).toBe('spell it out')
    expect(commented(both, '').comments).toHaveLength(1)
    expect(outcomeOf(toggledAll(both))).toEqual({
      refused: "The person's comments:\nsrc/f:5 `five`: spell it out\nsrc/f:30 `thirty`: why two?",
    })
  })
})

describe('editing', () => {
  test('the proposed side is offered and compared anew', () => {
    const at = go(open(), 'nextHunk')
    const offered = editable(at)
    expect(offered).toMatchObject({ name: 'f', first: 27, row: 3 })
    const next = edited(at, (offered?.text ?? '').replace('thirty and a half', 'thirty-one'))
    const amendment = { editedText: { 'src/f@@1': expect.stringContaining('thirty-one') } }
    expect(outcomeOf(next)).toEqual({ amendment })
    expect(next.diffs[0]?.hunks[1]?.lines.map((line) => line.text)).toContain('thirty-one')
    // Back to the proposal it is no edit any more.
    expect(outcomeOf(edited(next, offered?.text ?? ''))).toEqual({ amendment: null })
  })

  test('an edit to the old text leaves nothing of the hunk', () => {
    const at = go(open(), 'nextHunk')
    const text = (editable(at)?.text ?? '').replace('thirty\nthirty and a half', 'line 30')
    expect(summaryOf(edited(at, text))).toMatchObject({ all: 3, kept: 2 })
  })

  test('a comment stays with its line', () => {
    const at = commented(go(open(), 'nextHunk', 'down', 'down', 'down', 'down', 'down'), 'half?')
    expect(at.comments[0]).toMatchObject({ snippet: 'thirty', line: 4 })
    const next = edited(at, `new first\n${editable(at)?.text}`)
    expect(next.diffs[0]?.hunks[1]?.lines[next.comments[0]?.line ?? -1]?.text).toBe('thirty')
  })

  test('what is shown after any edits and selections is what the amendment gives', () => {
    const step = fc.oneof(
      fc
        .constantFrom('down', 'up', 'nextHunk', 'previousHunk', 'first', 'last')
        .map((move) => (state: ReviewState) => moved(state, move as ReviewMove)),
      fc.constant(toggled),
      fc.constantFrom('x', '', 'a\nb').map((text) => (state: ReviewState) => edited(state, text)),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const state = steps.reduce((next, each) => each(next), open())
        const outcome = outcomeOf(state)
        fc.pre('amendment' in outcome)
        const { editedText = {}, selection } = ('amendment' in outcome ? outcome.amendment : null) ?? {}
        const texts = Object.fromEntries(Object.entries(editedText).map(([key, text]) => [key.split('@@')[1], text]))
        const hunks = editHunks(diffOf('src/f').hunks, texts)
        expect(hunks).toEqual(state.diffs[0]?.hunks)
        const all = Object.fromEntries(hunks.map((_, i) => [i, true as const]))
        const kept = Object.fromEntries(
          (state.kept[0] ?? []).map((part, i) => [i, part === true ? part : [...part]] as const),
        )
        expect(applySelection(old, hunks, selection?.['src/f'] ?? all)).toBe(applySelection(old, hunks, kept))
      }),
    )
  })
})

test.each([
  ['a command', { ...editRequest, kind: 'execute' as const }],
  [
    'a change without hunks',
    { ...editRequest, blocks: [{ type: 'diff' as const, diff: { ...diffOf('f'), hunks: [] } }] },
  ],
  ['no change', { ...editRequest, blocks: [] }],
])('%s has nothing to review', (_, request) => {
  expect(openReview(request)).toBeNull()
})
