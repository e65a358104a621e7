import { expect, test } from 'vitest'
import { createLineScreen } from './line-screen.ts'

function bench() {
  let put = ''
  const screen = createLineScreen((text) => {
    put += text
  })
  const type = (text: string, caret = text) => screen.write({ label: 'You: ', text, caret })
  return { screen, type, put: () => put }
}

test('what is typed is echoed letter by letter, and taken back by backspaces', () => {
  const { type, put } = bench()
  type('h')
  type('hi')
  type('h')
  type('h世')
  type('h')
  expect(put()).toBe('You: hi\b \b世\b \b\b \b')
})

test('a change in the middle tells the whole line again, and a moved caret the letter at it', () => {
  const { type, put } = bench()
  type('held')
  type('held', 'he')
  type('hexld', 'hex')
  type('hexld')
  expect(put()).toBe('You: held\nAt: l\nYou: hexld\nAt the end.\n')
})

test('lines come between, and what is being written goes on below them', () => {
  const { screen, type, put } = bench()
  screen.say(['Ready.'])
  type('he')
  screen.say(['Tool bash: running.', 'Done.'])
  type('hey')
  screen.end()
  screen.say([])
  screen.say(['Next.'])
  expect(put()).toBe('Ready.\nYou: he\nTool bash: running.\nDone.\nYou: hey\nNext.\n')
})

test('another field begins on a line of its own', () => {
  const { screen, type, put } = bench()
  type('a')
  screen.write({ label: 'Reason: ', text: '', caret: '' })
  screen.write({ label: 'Reason: ', text: 'no', caret: 'no' })
  screen.write(null)
  type('ab')
  expect(put()).toBe('You: a\nReason: no\nYou: ab')
})
