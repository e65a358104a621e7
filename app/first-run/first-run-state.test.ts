import { emptyLine } from '@sluice/permissions-ui'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { defaultKeys } from '../keymap.ts'
import {
  type FirstRunAction,
  type FirstRunChoice,
  type FirstRunState,
  filtered,
  firstRunReducer,
  firstRunStart,
  stepOf,
} from './first-run-state.ts'
import type { FoundServer, Listed } from './model-list.ts'

/** `'down'` is a key, `'"text'` typed text, `'<text'` a paste; keys come a second apart, those of a text at once. */
type Act = string | { found: readonly FoundServer[] } | { listed: Listed } | { 'hint-over': true }

function after(acts: readonly Act[], from: FirstRunState = firstRunStart): FirstRunState {
  let time = 0
  const key = (name: string, text = ''): FirstRunAction => ({
    type: 'key',
    press: { name, text, time },
    table: defaultKeys,
  })
  let state = from
  const reduce = (action: FirstRunAction) => {
    state = firstRunReducer(state, action)
  }
  for (const act of acts) {
    time += 1000
    if (typeof act !== 'string') {
      if ('found' in act) reduce({ type: 'found', servers: act.found })
      else if ('listed' in act) reduce({ type: 'listed', listed: act.listed })
      else reduce({ type: 'hint-over' })
    } else if (act.startsWith('<')) reduce({ type: 'paste', text: act.slice(1) })
    else if (act.startsWith('"')) {
      for (const char of act.slice(1)) {
        if (char === '\n') reduce(key('return'))
        else reduce(key(char === ' ' ? 'space' : char, char))
        time += 20
      }
    } else reduce(key(act, act.length === 1 ? act : ''))
  }
  return state
}

const ollama: FoundServer = { baseUrl: 'http://127.0.0.1:11434/v1', models: ['qwen3:8b', 'llama3.2', 'qwen3:32b'] }
const studio: FoundServer = { baseUrl: 'http://127.0.0.1:1234/v1', models: ['phi-4'] }
const empty: FoundServer = { baseUrl: 'http://127.0.0.1:8080/v1', models: [] }
const url = 'http://127.0.0.1:9999/v1'
const models: Listed = { type: 'models', baseUrl: url, models: ['m'] }

describe('what is chosen', () => {
  test.each<[string, Act[], FirstRunChoice]>([
    ['the demo, by Enter', ['return'], { type: 'demo' }],
    ['the demo, by its number', ['1'], { type: 'demo' }],
    ['quit, by its number', ['5'], { type: 'quit' }],
    ['quit, by Esc and Enter', ['escape', 'return'], { type: 'quit' }],
    ['quit, by two Ctrl+C', ['ctrl+c', 'ctrl+c'], { type: 'quit' }],
    ['quit, by two Ctrl+C in a field', ['4', '"http', 'ctrl+c', 'ctrl+c'], { type: 'quit' }],
    ['quit, by two Ctrl+D in the menu', ['ctrl+d', 'ctrl+d'], { type: 'quit' }],
    ['a typed key', ['3', '"sk-1', 'return'], { type: 'key', apiKey: 'sk-1' }],
    ['a pasted key', ['down', 'down', 'return', '<  sk-2 \n', 'return'], { type: 'key', apiKey: 'sk-2' }],
    [
      "the only local server's second model",
      [{ found: [ollama] }, '2', 'down', 'return'],
      { type: 'server', baseUrl: ollama.baseUrl, model: 'llama3.2' },
    ],
    [
      'a model of the second local server',
      [{ found: [ollama, studio] }, '2', '2', 'return'],
      { type: 'server', baseUrl: studio.baseUrl, model: 'phi-4' },
    ],
    [
      'a model found by typing',
      [{ found: [ollama] }, '2', '"32B q', 'return'],
      { type: 'server', baseUrl: ollama.baseUrl, model: 'qwen3:32b' },
    ],
    [
      'a model that is not in the list',
      [{ found: [ollama] }, '2', '"gemma', 'return', '"4', 'return'],
      { type: 'server', baseUrl: ollama.baseUrl, model: 'gemma4' },
    ],
    [
      'a name for a server that has no model yet',
      [{ found: [empty] }, '2', '<qwen3\n', 'return'],
      { type: 'server', baseUrl: empty.baseUrl, model: 'qwen3' },
    ],
    [
      'a model at a base URL',
      ['4', `<${url}/`, 'return', { listed: models }, 'return'],
      { type: 'server', baseUrl: url, model: 'm' },
    ],
    [
      'a model at a base URL that wants a key',
      [
        '4',
        `<${url}`,
        'return',
        { listed: { type: 'key', baseUrl: url, text: 'wants a key' } },
        '<sk-3',
        'return',
        { listed: models },
        'return',
      ],
      { type: 'server', baseUrl: url, model: 'm', apiKey: 'sk-3' },
    ],
    [
      'a name for a server that keeps no list',
      ['4', `<${url}`, 'return', { listed: { type: 'no-list', text: 'names none' } }, '"x', 'return'],
      { type: 'server', baseUrl: url, model: 'x' },
    ],
  ])('%s', (_, acts, choice) => {
    expect(after(acts).choice).toEqual(choice)
  })
})

describe('nothing is chosen', () => {
  test.each<[string, Act[]]>([
    ['by Esc alone', ['escape', 'escape']],
    ['by a prompt that is typed ahead', ['"fix 2 bugs in 1 file\n']],
    ['by a paste into the menu', ['<1\n']],
    ['by a number that no entry has', ['6', '9', '0']],
    ['by Enter in an empty field', ['3', 'return']],
    ['by two Ctrl+C with a rest between them', ['ctrl+c', { 'hint-over': true }, 'left', 'left', 'ctrl+c']],
    ['by Ctrl+D in a field, where it deletes', ['3', '"sk', 'home', 'ctrl+d', 'ctrl+d', 'ctrl+d']],
    ['while local servers are looked for', ['2', 'return']],
    ['while a server is asked', ['4', `<${url}`, 'return', 'return', '"x\n']],
    ['by an answer that nobody waits for any more', ['4', `<${url}`, 'return', 'escape', { listed: models }, 'return']],
  ])('%s', (_, acts) => {
    expect(after(acts).choice).toBe(null)
  })

  test('by an Enter that is held down', () => {
    const held = { name: 'return', text: '', time: 1, repeat: true }
    expect(firstRunReducer(firstRunStart, { type: 'key', press: held, table: defaultKeys }).choice).toBe(null)
  })
})

describe('what is wrong', () => {
  test.each<[string, Act[], string]>([
    ['a prompt', ['"fix it'], 'there is no model to talk to yet: choose one first'],
    ['a search that still runs', ['2'], 'the local ports are still being asked: a moment …'],
    ['an empty key', ['3', 'return'], 'There is no key yet: paste or type it.'],
    [
      'an address without http',
      ['4', '"localhost:1', 'return'],
      'A base URL begins with http:// or https://. Did you mean http://localhost:1?',
    ],
    [
      'a server that does not answer',
      ['4', `<${url}`, 'return', { listed: { type: 'failed', text: 'Nothing listens' } }],
      'Nothing listens',
    ],
    [
      'a server that wants a key',
      ['4', `<${url}`, 'return', { listed: { type: 'key', baseUrl: url, text: 'wants a key' } }],
      'wants a key',
    ],
  ])('%s is said, and forgotten with the next change', (_, acts, problem) => {
    const state = after(acts)
    expect(state.problem).toBe(problem)
    expect(after(['escape'], state).problem).toBe(null)
  })
})

describe('going back', () => {
  test('leads step by step through what was written', () => {
    const wants: Act = { listed: { type: 'key', baseUrl: url, text: 'wants a key' } }
    let state = after(['4', `<${url}`, 'return', wants, '"sk-1', 'return', { listed: models }, '"filter'])
    const seen: string[] = []
    for (let i = 0; i < 5; i++) {
      const step = stepOf(state)
      seen.push('line' in step ? `${step.at} ${step.line.text}` : step.at)
      state = after(['escape'], state)
    }
    expect(seen).toEqual(['models', 'models', 'key sk-1', `url ${url}`, 'menu'])
  })

  test('first stops what is being asked', () => {
    const state = after(['4', `<${url}`, 'return'])
    expect(state.asking).toEqual({ baseUrl: url })
    expect(after(['escape'], state)).toMatchObject({ asking: null, steps: state.steps })
  })

  test('by Ctrl+C leads to the menu at once', () => {
    const state = after([{ found: [ollama] }, '2', '"gemma', 'return', 'ctrl+c'])
    expect(state).toMatchObject({ steps: [{ at: 'menu', selected: 1 }], leaveAt: 5100, problem: null })
  })
})

describe('local servers', () => {
  test('that nobody found are looked for again', () => {
    const state = after([{ found: [] }])
    expect(state.servers).toEqual([])
    expect(after(['2'], state)).toMatchObject({ servers: null, choice: null, steps: [{ at: 'menu', selected: 1 }] })
  })

  test('that answer late do not disturb what is being written', () => {
    const state = after(['3', 'return', { found: [ollama] }])
    expect(state).toMatchObject({ servers: [ollama], problem: 'There is no key yet: paste or type it.' })
    expect(stepOf(state)).toEqual({ at: 'key', line: emptyLine, server: null })
  })
})

test('a list is left by nothing but its own keys', () => {
  const many = Array.from({ length: 30 }, (_, i) => `m${i}`)
  const state = after([{ found: [{ baseUrl: url, models: many }] }, '2', 'pagedown', 'pagedown', 'down', 'up'])
  expect(stepOf(state)).toMatchObject({ at: 'models', selected: 16 })
  expect(stepOf(after(['end'], state))).toMatchObject({ selected: 30 })
  expect(stepOf(after(['end', 'down', 'home', 'up'], state))).toMatchObject({ selected: 0 })
  const step = stepOf(after(['"M2'], state))
  expect(step.at === 'models' ? filtered(step) : null).toEqual(['m2', ...many.slice(20)])
})

test('whatever is pressed, the menu stays the first step and what is selected exists', () => {
  const act: fc.Arbitrary<Act> = fc.oneof(
    fc.constantFrom<Act>('up', 'down', 'return', 'escape', 'pagedown', 'end', 'home', 'backspace', 'ctrl+c', 'x'),
    fc.constantFrom<Act>('1', '2', '3', '4', '5', `<${url}`, '<sk-1'),
    fc.constantFrom<Act>(
      { found: [] },
      { found: [ollama] },
      { found: [ollama, studio, empty] },
      { listed: models },
      { listed: { type: 'key', baseUrl: url, text: 'key' } },
      { listed: { type: 'no-list', text: 'none' } },
      { listed: { type: 'failed', text: 'failed' } },
    ),
  )
  fc.assert(
    fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
      const state = after(acts)
      expect(state.steps[0]?.at).toBe('menu')
      const step = stepOf(state)
      if (step.at === 'menu') expect(step.selected).toBeLessThan(5)
      if (step.at === 'servers') expect(state.servers?.[step.selected]).toBeDefined()
      if (step.at === 'models') expect(step.selected).toBeLessThanOrEqual(filtered(step).length)
      expect(JSON.stringify(state.choice ?? '')).not.toContain('undefined')
    }),
  )
})
