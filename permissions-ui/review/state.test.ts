import { applySelection, editHunks, fileDiff } from '@sluice/engine/change'
import type { PermissionRequest } from '@sluice/engine/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { editRequest } from '../../fixtures/screen/requests.ts'
import { hunkTitle } from '../diff/rows.ts'
import { commentAt, commented, editable, edited } from './edit.ts'
import { textLines } from './layout.ts'
import { outcomeOf } from './outcome.ts'
import { split, wider, withText } from './parts.ts'
import { toggled, toggledAll } from './select.ts'
import { extended, moved, openReview, type ReviewMove, type ReviewState, ranged, summaryOf, undone } from './state.ts'

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

  test('what is shown after any edits, splits and selections is what the amendment gives', () => {
    const lines = textLines(old)
    const step = fc.oneof(
      fc
        .constantFrom('down', 'up', 'nextHunk', 'previousHunk', 'first', 'last')
        .map((move) => (state: ReviewState) => moved(state, move as ReviewMove)),
      fc.constant(toggled),
      fc.constant(ranged),
      fc.constantFrom('down' as const, 'up' as const).map((move) => (state: ReviewState) => extended(state, move)),
      fc.constant((state: ReviewState) => split(state) ?? state),
      fc.constant((state: ReviewState) => wider(withText(state, 0, lines)) ?? state),
      fc.constant(undone),
      fc
        .constantFrom('x', '', 'a\nb')
        .map((text) => (state: ReviewState) => (editable(state) === null ? state : edited(state, text))),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const state = steps.reduce((next, each) => each(next), open())
        const shown = state.diffs[0]?.hunks ?? []
        const kept = Object.fromEntries(
          (state.kept[0] ?? []).map((part, i) => [i, part === true ? part : [...part]] as const),
        )
        // What stands on the screen, taken as a change of its own.
        const onScreen = applySelection(old, shown, kept)
        const outcome = outcomeOf(state)
        if ('refused' in outcome) return expect(onScreen).toBe(old)
        const { editedText = {}, selection } = outcome.amendment ?? {}
        const texts = Object.fromEntries(Object.entries(editedText).map(([key, text]) => [key.split('@@')[1], text]))
        const hunks = editHunks(diffOf('src/f').hunks, texts)
        const all = Object.fromEntries(hunks.map((_, i) => [i, true as const]))
        expect(applySelection(old, hunks, selection?.['src/f'] ?? all)).toBe(onScreen)
      }),
      { numRuns: 500 },
    )
  })
})

describe('ranges', () => {
  const at = (state: ReviewState) => outcomeOf(state)

  test('V and moves, or shift and arrows, put in or leave out all changed lines between', () => {
    // The second hunk: three lines of context, one that goes, two that come.
    const first = go(open(), 'nextHunk', 'down', 'down', 'down', 'down')
    const held = toggled(go(ranged(first), 'down'))
    expect(at(held)).toEqual({ amendment: { selection: { 'src/f': { 0: true, 1: [5], 2: true } } } })
    expect(held.range).toBeNull()
    expect(at(toggled(extended(first, 'down')))).toEqual(at(held))
    expect(at(toggled(extended(go(held, 'up'), 'down')))).toEqual({ amendment: null })
  })

  test('go over hunks and files', () => {
    const whole = go(ranged(open('a', 'b')), 'last')
    expect(at(toggled(whole))).toEqual({ refused: '' })
    const most = go(ranged(go(open('a', 'b'), 'nextHunk')), 'nextFile', 'nextHunk')
    expect(at(toggled(most))).toEqual({
      amendment: { selection: { a: { 0: true }, b: { 1: true, 2: true } } },
    })
  })

  test('a plain move ends the one that shift began', () => {
    const state = go(extended(go(open(), 'down'), 'down'), 'down')
    expect([state.range, state.cursor.line]).toEqual([null, 2])
  })
})

describe('parts of a hunk', () => {
  const near = old.replace('line 5\n', 'five\n').replace('line 8\n', 'eight\n').replace('line 10\n', 'ten\n')
  const request = {
    ...editRequest,
    blocks: [
      { type: 'diff' as const, diff: fileDiff({ path: 'f', oldText: old, newText: near, oldHash: 'a', newHash: 'b' }) },
    ],
  }
  const state = openReview(request) as ReviewState

  test('come from the unchanged lines between its changes, each decided by itself', () => {
    const cut = split(state) as ReviewState
    expect(cut.diffs[0]?.hunks.map((hunk) => hunkTitle(hunk))).toEqual([
      '@@ 2,5 +2,5 @@',
      '@@ 7,3 +7,3 @@',
      '@@ 10,4 +10,4 @@',
    ])
    const next = toggled(go(cut, 'nextHunk'))
    expect(summaryOf(next)).toMatchObject({ hunk: 2, hunks: 3, all: 3, kept: 2, partial: false })
    const outcome = outcomeOf(next)
    expect(outcome).toEqual({ amendment: { selection: { f: { 0: [3, 4, 10, 11] } } } })
    expect(outcomeOf(toggled(next))).toEqual({ amendment: null })
  })

  test('written anew are one hunk again, and only where nothing of the others is left out', () => {
    const cut = split(state) as ReviewState
    const last = go(cut, 'nextHunk', 'nextHunk')
    expect(editable(last)?.text).toBe('ten\nline 11\nline 12\nline 13')
    const next = edited(last, 'TEN')
    expect(next.diffs[0]?.hunks).toHaveLength(1)
    expect(outcomeOf(next)).toMatchObject({
      amendment: { editedText: { 'f@@0': 'line 2\nline 3\nline 4\nfive\nline 6\nline 7\neight\nline 9\nTEN' } },
    })
    expect(editable(go(toggled(cut), 'nextHunk'))).toBeNull()
  })

  test('come from the line of the cursor where nothing unchanged is between', () => {
    const added = openReview({
      ...editRequest,
      blocks: [
        {
          type: 'diff',
          diff: fileDiff({ path: 'f', oldText: null, newText: 'a\nb\nc\n', oldHash: null, newHash: 'b' }),
        },
      ],
    }) as ReviewState
    expect(split(added)).toBeNull()
    const cut = split(go(added, 'down', 'down')) as ReviewState
    expect(outcomeOf(toggled({ ...cut, cursor: { file: 0, hunk: 1, line: -1 } }))).toEqual({
      amendment: { selection: { f: { 0: [0] } } },
    })
  })

  test('are undone one by one', () => {
    const cut = split(state) as ReviewState
    const left = toggled(go(cut, 'nextHunk'))
    expect(summaryOf(undone(left))).toMatchObject({ all: 3, kept: 3 })
    expect(summaryOf(undone(undone(left)))).toMatchObject({ all: 1, kept: 1 })
    expect(undone(state)).toBe(state)
  })
})

describe('more of the file', () => {
  const known = withText(open(), 0, textLines(old))
  const titles = (state: ReviewState | null) => state?.diffs[0]?.hunks.map((hunk) => hunkTitle(hunk))

  test('comes three lines at a time, as far as the next hunk and the ends of the file', () => {
    const one = wider(known)
    expect(titles(one)).toEqual(['@@ 1,11 +1,11 @@', '@@ 27,7 +27,8 @@', '@@ 52,7 +53,6 @@'])
    expect(one?.diffs[0]?.hunks[0]?.lines[0]).toEqual({ kind: 'context', text: 'line 1', oldLine: 1, newLine: 1 })
    let state: ReviewState = known
    for (let next = wider(state); next !== null; next = wider(state)) state = next
    expect(titles(state)?.[0]).toBe('@@ 1,26 +1,26 @@')
    state = go(state, 'nextHunk', 'nextHunk')
    for (let next = wider(state); next !== null; next = wider(state)) state = next
    expect(titles(state)).toEqual(['@@ 1,26 +1,26 @@', '@@ 27,7 +27,8 @@', '@@ 34,27 +35,26 @@'])
    expect(outcomeOf(state)).toEqual({ amendment: null })
  })

  test('changes nothing of what is selected', () => {
    const state = toggled(go(known, 'down', 'down', 'down', 'down'))
    const before = outcomeOf(state)
    const after = wider(state) as ReviewState
    expect(outcomeOf(after)).toEqual(before)
    expect(outcomeOf(toggled(after))).toEqual({ amendment: null })
  })
})

test('a file without lines is decided as a whole', () => {
  const empty = fileDiff({ path: 'empty', oldText: null, newText: '', oldHash: null, newHash: 'b' })
  const both = openReview({
    ...editRequest,
    blocks: [
      { type: 'diff', diff: empty },
      { type: 'diff', diff: diffOf('f') },
    ],
  }) as ReviewState
  expect(summaryOf(both)).toMatchObject({ all: 4, kept: 4 })
  expect(outcomeOf(toggled(both))).toEqual({ amendment: { selection: { empty: {} } } })
  expect(outcomeOf(toggled(toggled(both)))).toEqual({ amendment: null })
})

test.each([
  ['a command', { ...editRequest, kind: 'execute' as const }],
  ['no change', { ...editRequest, blocks: [] }],
])('%s has nothing to review', (_, request) => {
  expect(openReview(request)).toBeNull()
})
