import { cellWidth } from '@sluice/permissions-ui'
import { expect, test } from 'vitest'
import { fromFirstMark } from './snippet.ts'

const lit = ({ text, marks }: ReturnType<typeof fromFirstMark>) => marks.map(([from, to]) => text.slice(from, to))

test.each([
  ['stands as it is where there is room', 'we spoke of quixotry', 40, 'we spoke of quixotry'],
  ['begins before what was found', 'a long way of other words until quixotry came', 30, '…until quixotry came'],
  ['begins with it where it is long', 'words and words quixotry', 10, '…quixotry'],
  ['counts cells', '日本語の長い文章です そして quixotry', 24, '…quixotry'],
  ['of one long word begins with what was found', 'src/very/long/path/quixotry.ts', 16, '…quixotry.ts'],
])('a snippet %s', (_, text, room, shown) => {
  const from = text.indexOf('quixotry')
  const cut = fromFirstMark({ text, marks: [[from, from + 8]] }, room, '…')
  expect(cut.text).toBe(shown)
  expect(lit(cut)).toEqual(['quixotry'])
  expect(cellWidth(cut.text.slice(0, cut.marks[0]?.[1]))).toBeLessThanOrEqual(room)
})

test('a snippet that begins with a blank ends also where there is room for two cells', () => {
  expect(fromFirstMark({ text: ' a', marks: [[1, 2]] }, 2, '…').text).toBe('…a')
})

test('marks behind the first one move with it', () => {
  const text = 'far away at the end stand alpha and beta'
  const cut = fromFirstMark(
    { text, marks: ['alpha', 'beta'].map((word) => [text.indexOf(word), text.indexOf(word) + word.length] as const) },
    20,
    '...',
  )
  expect(lit(cut)).toEqual(['alpha', 'beta'])
})
