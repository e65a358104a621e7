import type { AgentEvent } from '@sluice/engine/protocol'
import fc from 'fast-check'
import { Text } from 'ink'
import { describe, expect, test } from 'vitest'
import { type Chance, chanceOf, pick } from '../../fixtures/screen/chance.ts'
import { eventsOf, sessionPlan } from '../../fixtures/screen/event-streams.ts'
import { unhurriedBytes } from '../../fixtures/screen/key-bytes.ts'
import { movingKeys, seeds, signOf } from '../../fixtures/screen/random-keys.ts'
import { type ScreenOnTest, showScreen } from '../../fixtures/screen/show-screen.tsx'
import { memoryHistory } from '../composer/index.ts'

/** What a run is made of. */
const stepsPerRun = 1_000

const letters = [
  'j',
  'k',
  'n',
  'N',
  '/',
  'e',
  'p',
  'o',
  'a',
  'y',
  'A',
  'f',
  'x',
  '1',
  '2',
  '3',
  '?',
  'space',
  'G',
  'g',
  '[',
  ']',
]
const destroying = [
  'ctrl+c',
  'backspace',
  'ctrl+u',
  'ctrl+k',
  'ctrl+w',
  'ctrl+y',
  'ctrl+_',
  'ctrl+r',
  'alt+d',
  'delete',
]
const pastes = ['你好，abc', 'two\nlines', '👨‍👩‍👧 a\tb', '\x1b[2Jx']

/** The events of several sessions, in one order that keeps each session's own. */
function eventsFor(seed: number, chance: Chance): AgentEvent[] {
  const plans = fc.sample(sessionPlan, { seed, numRuns: 3 + chance(3) })
  const queues = plans.map((plan, i) => eventsOf(plan, `s${i + 1}`))
  const merged: AgentEvent[] = []
  for (;;) {
    const left = queues.filter((queue) => queue.length > 0)
    if (left.length === 0) return merged
    const event = pick(chance, left).shift()
    if (event !== undefined) merged.push(event)
  }
}

type Run = { view: ScreenOnTest; words: string[]; drafts: string[]; history: ReturnType<typeof memoryHistory> }

async function play(seed: number, count: number, keys: readonly string[]): Promise<Run> {
  const chance = chanceOf(seed)
  const events = eventsFor(seed, chance)
  const history = memoryHistory()
  const drafts: string[] = []
  const view = await showScreen(100, 30, [], {
    renderOverlay: ({ name }) => (name === 'help' || name === 'palette' ? <Text>overlay {name}</Text> : null),
    composer: {
      history,
      commands: [{ name: 'help', description: 'keys' }],
      onEditor: async (text) => {
        drafts.push(text)
        return null
      },
    },
  })
  const words: string[] = []
  const key = () => unhurriedBytes(pick(chance, chance(2) === 0 ? keys : letters))
  for (let step = 0; step < count; step++) {
    const kind = chance(100)
    if (kind < 60) await view.send(key())
    // Several keys that arrive in one read.
    else if (kind < 65) await view.send(Array.from({ length: 2 + chance(5) }, key).join(''))
    else if (kind < 68) await view.resize(1 + chance(160), 1 + chance(50))
    else if (kind < 90) await view.feed(events.splice(0, 1 + chance(6)))
    else if (kind < 92) await view.paste(pick(chance, pastes))
    else {
      await toDraft(view)
      // Wherever the caret goes meanwhile, it finds no middle of a word.
      words.push(signOf(words.length))
      await view.send(`${words.at(-1)} `)
    }
    if (step % 97 === 0) await whole(view, `after step ${step}`)
  }
  await view.feed(events)
  return { view, words, drafts, history }
}

/** Gives the keys back to the draft, as a person would. */
async function toDraft(view: ScreenOnTest): Promise<void> {
  for (let n = 0; n < 4; n++) await view.send(unhurriedBytes('escape'))
  view.store.dispatch({ type: 'ui_overlay', overlay: null })
  view.store.dispatch({ type: 'ui_reading', reading: false })
  await view.settled()
  await view.press('ctrl+e')
}

/** What stands on the screen after many small updates is what one fresh drawing of the same state gives. */
async function whole(view: ScreenOnTest, when: string): Promise<void> {
  await view.settled()
  const updated = view.picture()
  await view.repaint()
  expect(updated, `a torn frame ${when}`).toBe(view.picture())
}

async function finish(view: ScreenOnTest): Promise<void> {
  await view.resize(100, 30)
  await whole(view, 'at the end')
  await toDraft(view)
  await view.paste('probe zz')
  await view.until((screen) => screen.includes('probe zz'))
  expect(view.row(0)).toContain('sluice')
  expect(view.row(29).trim()).not.toBe('')
  expect(view.written()).not.toContain('\x1b[3J')
  expect(view.effects()).toMatchObject({ titles: [], replies: [], alternate: true })
}

describe('random keys, sizes, pastes and events', () => {
  test.each(seeds)(
    'A19: never wedge the screen, leave a torn frame or lose a typed word (seed %i)',
    async (seed) => {
      const { view, words, drafts, history } = await play(seed, stepsPerRun, movingKeys)
      await finish(view)
      // The editor is handed the draft of every session.
      for (const sessionId of [...view.store.getState().order]) {
        view.store.dispatch({ type: 'ui_focus', sessionId })
        await view.settled()
        await toDraft(view)
        await view.press('ctrl+g')
      }
      const kept = [
        ...drafts,
        ...history.entries().map(({ text }) => text),
        ...view.asked.map((call) => call.join(' ')),
      ]
      expect(words.filter((word) => !kept.some((text) => text.includes(word)))).toEqual([])
      await view.unmount()
    },
    120_000,
  )

  test('with keys that cut and clear as well', async () => {
    const { view } = await play(0, stepsPerRun / 4, [...movingKeys, ...destroying])
    await finish(view)
    await view.unmount()
  }, 120_000)
})
