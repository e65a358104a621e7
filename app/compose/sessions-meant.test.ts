import { expect, test } from 'vitest'
import { sessionsMeant } from './sessions-meant.ts'

const all = [
  { id: 's_aa11', title: 'Fix the cart' },
  { id: 's_aa22', title: 'Fix the cart window' },
  { id: 's_bb33', title: 's_aa' },
  { id: 's_cc44', title: 'Zanzibar  trip' },
]

test.each([
  ['s_aa11', ['s_aa11']],
  ['s_a', ['s_aa11', 's_aa22']],
  // A whole title is meant before anything that only begins so.
  ['s_aa', ['s_bb33']],
  ['FIX THE CART', ['s_aa11']],
  ['the cart', ['s_aa11', 's_aa22']],
  ['window fix', ['s_aa22']],
  ['zanzibar trip', ['s_cc44']],
  ['zanz', ['s_cc44']],
  // One letter is no beginning of an id.
  ['s', ['s_bb33']],
  ['', []],
  [' ', []],
  ['shop', []],
])('%j means %j', (words, ids) => {
  expect(sessionsMeant(all, words).map(({ id }) => id)).toEqual(ids)
})
