import { expect, test } from 'vitest'
import { columns } from './columns.ts'

const rows = [
  [{ text: 's_1' }, { text: 'Fix the parser' }, { text: '+14 −6', right: true }, { text: '' }],
  [{ text: 's_20' }, { text: '修复购物车的总数' }, { text: '+1 −0', right: true }, { text: '' }],
]

test('columns are aligned, numbers at the right, and empty columns are not there', () => {
  expect(columns(rows, { wide: [1], colors: false })).toEqual([
    's_1   Fix the parser    +14 −6',
    's_20  修复购物车的总数   +1 −0',
  ])
})

test('the wide column gives way when there is no room', () => {
  expect(columns(rows, { wide: [1], width: 26, colors: false })).toEqual([
    's_1   Fix the par…  +14 −6',
    's_20  修复购物车…    +1 −0',
  ])
})

test('nothing in a cell can move the cursor or colour the line', () => {
  expect(columns([[{ text: 'a\x1b[2Jb\nc\u202e' }]], { wide: [0], colors: false })).toEqual(['a\\x1b[2Jb c<U+202E>'])
  expect(columns([[{ text: 'x', tone: 'good' }]], { wide: [0], colors: true })).toEqual(['\x1b[32mx\x1b[0m'])
})
