import { fileDiff } from '@sluice/engine/change'
import { expect, test } from 'vitest'
import { movedLines } from './moved.ts'

const filler = Array.from({ length: 20 }, (_, i) => `const filler${i} = ${i}\n`).join('')
const diff = (path: string, oldText: string, newText: string) =>
  fileDiff({ path, oldText, newText, oldHash: 'a', newHash: 'b' })
const texts = (...diffs: ReturnType<typeof diff>[]) => [...movedLines(diffs)].map(({ kind, text }) => `${kind} ${text}`)

const block = 'function helper() {\n  return compute(1)\n}\n'

test('a block that went elsewhere is known on both sides', () => {
  expect(texts(diff('a', `${block}${filler}`, `${filler}${block}`))).toEqual([
    'del function helper() {',
    'del   return compute(1)',
    'add function helper() {',
    'add   return compute(1)',
  ])
})

test('also into another file', () => {
  expect(texts(diff('a', `${block}${filler}`, filler), diff('b', filler, `${filler}${block}`))).toHaveLength(4)
})

test.each<[string, string, string]>([
  ['a short line alone', `return x\n${filler}`, `${filler}return x\n`],
  ['a text that stands there twice', `${block}${block}${filler}`, `${filler}${block}`],
  ['what was changed on the way', `${block}${filler}`, `${filler}${block.replaceAll('e', 'E')}`],
])('%s is no move', (_, before, after) => {
  expect(texts(diff('a', before, after))).toEqual([])
})

test('one long line is', () => {
  const line = "export const greeting = 'good morning, everybody'\n"
  expect(texts(diff('a', `${line}${filler}`, `${filler}${line}`))).toHaveLength(2)
})

test('a change too large is not looked through', () => {
  const many = Array.from({ length: 15_000 }, (_, i) => `const value${i} = compute(${i})\n`)
  expect(texts(diff('a', many.join(''), [...many.slice(9_000), ...many.slice(0, 9_000)].join('')))).toEqual([])
})
