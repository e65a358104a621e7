import { expect, test } from 'vitest'
import { catalogue, findModel, firstModelFor, unknownWindow } from './index.ts'

test('every model is listed once, with an answer that fits its window and prices that make sense', () => {
  expect(new Set(catalogue.map((model) => model.id)).size).toBe(catalogue.length)
  for (const { id, contextWindow, maxOutputTokens = 0, price } of catalogue) {
    expect(maxOutputTokens, id).toBeLessThan(contextWindow)
    if (!price) continue
    expect(price.output, id).toBeGreaterThan(price.input)
    expect(price.cachedInput, id).toBeLessThan(price.input)
  }
})

test('the first of each provider is what a bare key gets', () => {
  expect(firstModelFor('openai').id).toBe('gpt-5.2')
  expect(firstModelFor('anthropic').id).toBe('claude-opus-4-5')
})

test.each([
  ['gpt-5.2', 400_000, 1.75],
  ['gpt-4o-2024-11-20', 128_000, 2.5],
  ['claude-haiku-4-5-20251001', 200_000, 1],
  ['openai/gpt-4.1-mini', 1_047_576, undefined],
  ['gpt-4o-2024-05-13', unknownWindow, undefined],
  ['qwen3:8b', unknownWindow, undefined],
  ['gpt-5.2-pro', unknownWindow, undefined],
  ['', unknownWindow, undefined],
])('%s has a window of %i tokens and an input price of %s', (id, contextWindow, input) => {
  const model = findModel(id)
  expect({ id: model.id, contextWindow: model.contextWindow, input: model.price?.input }).toEqual({
    id,
    contextWindow,
    input,
  })
})

test('a model nobody knows has no limit and no price', () => {
  expect(findModel('my-own')).toEqual({ id: 'my-own', adapter: 'openai-chat', contextWindow: 128_000 })
})
