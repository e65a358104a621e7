import { expect, test } from 'vitest'
import { createFakeClock } from '../../fixtures/fake-clock.ts'
import type { EventBody } from '../protocol/index.ts'
import { createPartialReply } from './partial-reply.ts'

const delta = (text: string): EventBody => ({ type: 'text_delta', text })

function streaming() {
  const clock = createFakeClock()
  const told: EventBody[] = []
  const reply = createPartialReply(clock, (body) => told.push(body))
  /** So many words of ten characters, one each `ms`. */
  const words = async (count: number, ms: number) => {
    for (let i = 0; i < count; i++) {
      reply.see(delta(`word ${String(i).padStart(4, '0')} `))
      if (ms > 0) await clock.advance(ms)
    }
  }
  const texts = () => told.flatMap((body) => (body.type === 'partial' ? [body.text] : []))
  return { clock, told, reply, words, texts }
}

test('a reply that is over soon, or short, leaves no record of its parts', async () => {
  const fast = streaming()
  await fast.words(500, 0)
  fast.reply.end()
  await fast.clock.advance(60_000)
  const short = streaming()
  await short.words(25, 1000)
  short.reply.end()
  expect([fast.told, short.told, fast.clock.waiting, short.clock.waiting]).toEqual([[], [], 0, 0])
})

test('a long one is recorded at most every two seconds, each word once, and at the least 300 characters at a time', async () => {
  const { words, texts, reply } = streaming()
  await words(1000, 20)
  expect(texts().length).toBeGreaterThan(6)
  expect(texts().length).toBeLessThanOrEqual(10)
  for (const text of texts()) expect(text.length).toBeGreaterThanOrEqual(300)
  reply.end()
  const slow = streaming()
  await slow.words(100, 500)
  expect(slow.texts().map((text) => text.length)).toEqual([300, 300, 300])
  const said = Array.from({ length: 100 }, (_, i) => `word ${String(i).padStart(4, '0')} `).join('')
  expect(said.startsWith(slow.texts().join(''))).toBe(true)
})

test('what came before the stream stood still is recorded without another word', async () => {
  const { clock, words, texts } = streaming()
  await words(100, 1)
  expect(texts()).toEqual([])
  await clock.advance(2000)
  expect(texts().join('').length).toBe(1000)
})

test('thoughts are recorded beside the words, and no half of a secret', async () => {
  const { clock, told, reply } = streaming()
  reply.see({ type: 'reasoning_delta', text: `${'hm, '.repeat(100)}ghp_aB3dE5fG7h` })
  reply.see(delta('Well then'))
  await clock.advance(2000)
  expect(told).toEqual([{ type: 'partial', text: 'Well ', reasoning: 'hm, '.repeat(100) }])
  reply.see({ type: 'reasoning_delta', text: 'I9jK1lM3nO5pQ7rS9tU1v and so on '.repeat(12) })
  await clock.advance(2000)
  expect(told[1]).toMatchObject({
    text: '',
    reasoning: expect.stringMatching(/^ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1v and/),
  })
})
