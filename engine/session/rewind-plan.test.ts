import { describe, expect, it, test } from 'vitest'
import type { CallEffects, FileState } from '../ports/index.ts'
import { chainsOf, isUndone, planFile } from './rewind-plan.ts'

const state = (name: string): FileState =>
  name === '' ? { kind: 'absent' } : { kind: 'file', hash: name, size: 1, mode: 0o644, kept: true }

/** `a>b` on one file, `x:a>b` on another; several with blanks. An end that is `?` is not known. */
function effects(changes: string, n = 0): CallEffects {
  const files = changes.split(' ').map((change) => {
    const [path, states] = change.includes(':') ? change.split(':') : ['f', change]
    const [before = '', after = ''] = (states ?? '').split('>')
    return {
      path: `/w/${path}`,
      before: state(before),
      after: after === '?' ? null : state(after),
      additions: 0,
      deletions: 0,
    }
  })
  return { turnId: 't', callId: `c${n}`, tool: 'x', time: '', files, gaps: [] }
}

describe('a call is undone', () => {
  test.each<[is: boolean, when: string, changes: string[], own?: number]>([
    [false, 'nothing came after it', ['a>b']],
    [true, 'its file went back', ['a>b', 'b>a']],
    [true, 'its new file is gone', ['>b', 'b>']],
    [false, 'another change came after it', ['a>b', 'b>c']],
    [true, 'it went back and was changed otherwise then', ['a>b', 'b>a', 'a>c']],
    [false, 'that was undone', ['a>b', 'b>a', 'a>b']],
    [true, 'its file went back to before an earlier call', ['a>b', 'b>c', 'c>a'], 1],
    [false, 'it brought an earlier state itself', ['a>b', 'b>a'], 1],
    [true, 'and that was undone', ['a>b', 'b>a', 'a>b'], 1],
    [false, 'only one of its files went back', ['a>b x:a>b', 'b>a']],
    [true, 'each of its files went back, one after the other', ['a>b x:a>b', 'b>a', 'x:b>a']],
    [true, 'it was cut off, and its file went back', ['a>?', 'b>a']],
    [false, 'what came after it was cut off', ['a>b', 'b>?']],
  ])('%s: %s', (is, _, changes, own = 0) => {
    const all = changes.map(effects)
    expect(isUndone(all.slice(own, own + 1), chainsOf(all))).toBe(is)
  })

  it('when what it did in two goes went back', () => {
    const all = ['a>b', 'b>c', 'c>a'].map(effects)
    expect(isUndone(all.slice(0, 2), chainsOf(all))).toBe(true)
  })
})

test.each([
  ['a later call changed it since (npm run x)', 'c', { who: 'a later call', title: 'npm run x', after: state('c') }],
  ['a rewind changed it since', 'c', { who: 'a rewind', title: '', after: state('c') }],
  ['somebody changed it since', 'd', { who: 'a later call', title: 'npm run x', after: state('c') }],
  ['somebody changed it since', 'd', { who: 'a later call', title: 'npm run x', after: null }],
  ['somebody changed it since', 'd', undefined],
])('who drifted: %s', (why, now, later) => {
  const steps = { path: '/w/f', steps: [{ before: state('a'), after: state('b') }], since: '' }
  expect(planFile(steps, state(now), later)).toMatchObject({ verdict: 'conflict', why })
})
