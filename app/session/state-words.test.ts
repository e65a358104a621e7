import { expect, test } from 'vitest'
import { summaryOf } from '../../fixtures/memory-session-index.ts'
import { stateWords } from './state-words.ts'

test.each([
  ['a question is said before all else, also of one that runs', { pendingApprovals: 1, live: true }, 'asks: 1 asks'],
  ['one that runs is live, whatever its checks say', { live: true, checks: 'failing', lostRecords: 2 }, 'live: live'],
  ['lost records are said before the checks', { lostRecords: 2, checks: 'verified' }, 'asks: damaged'],
  ['checks that passed', { checks: 'verified' }, 'good: verified'],
  ['checks that failed', { checks: 'failing' }, 'bad: failing'],
  ['edits that nothing checked', { checks: 'unverified' }, 'open: not verified'],
  ['nothing to say', { checks: 'none' }, null],
] as const)('%s', (_, part, said) => {
  const state = stateWords(summaryOf({ id: 's_1', ...part }))
  expect(state && `${state.sign}: ${state.words}`).toBe(said)
})
