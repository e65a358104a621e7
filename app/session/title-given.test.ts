import { expect, test } from 'vitest'
import { longestTitle, titleGiven } from './title-given.ts'

test.each([
  ['  Port \n the\tconfig ', 'Port the config'],
  ['x'.repeat(longestTitle), 'x'.repeat(longestTitle)],
  ['👩‍👩‍👧'.repeat(longestTitle), '👩‍👩‍👧'.repeat(longestTitle)],
  ['', ''],
])('%o is a title as it is, on one line', (text, title) => {
  expect(titleGiven(text)).toEqual({ title, remark: '' })
})

test.each([
  ['x'.repeat(longestTitle + 1), 'x'.repeat(longestTitle)],
  ['日'.repeat(1_000_000), '日'.repeat(longestTitle)],
  ['👩‍👩‍👧'.repeat(longestTitle + 5), '👩‍👩‍👧'.repeat(longestTitle)],
])('a longer one is cut between letters, and that is said', (text, title) => {
  expect(titleGiven(text)).toEqual({ title, remark: 'The title was cut: it may have 200 characters' })
})
