import fc from 'fast-check'
import { Text } from 'ink'
import { expect, test } from 'vitest'
import { eventStream } from '../../fixtures/screen/event-streams.ts'
import { showScreen } from '../../fixtures/screen/show-screen.tsx'

const keys = [
  'pageup',
  'pagedown',
  'escape',
  'tab',
  'shift+tab',
  'return',
  'up',
  'down',
  'home',
  'end',
  'ctrl+x',
  'ctrl+c',
  'backspace',
]
const letters = ['j', 'k', 'n', 'N', '/', 'e', 'p', 'o', 'a', 'y', 'x', '1', '2', '?', ' ', 'G', 'g', '[', ']']

type Step = { key: string } | { size: [number, number] } | { feed: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...keys).map((key) => ({ key })) },
  { weight: 5, arbitrary: fc.constantFrom(...letters).map((key) => ({ key })) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.integer({ min: 4, max: 160 }), fc.integer({ min: 2, max: 50 })).map((size) => ({ size })),
  },
  { weight: 5, arbitrary: fc.integer({ min: 1, max: 12 }).map((feed) => ({ feed })) },
)

test('random keys, sizes and events never wedge the screen or break the frame', async () => {
  await fc.assert(
    fc.asyncProperty(eventStream, fc.array(step, { minLength: 30, maxLength: 90 }), async (events, steps) => {
      const view = await showScreen(100, 30, [], { renderOverlay: ({ name }) => <Text>overlay {name}</Text> })
      let fed = 0
      for (const one of steps) {
        if ('key' in one) await view.press(one.key === ' ' ? 'space' : one.key)
        else if ('size' in one) await view.resize(...one.size)
        else {
          await view.feed(events.slice(fed, fed + one.feed))
          fed += one.feed
        }
      }
      await view.feed(events.slice(fed))
      await view.resize(100, 30)
      view.store.dispatch({ type: 'ui_overlay', overlay: null })
      view.store.dispatch({ type: 'ui_reading', reading: false })
      await view.settled()
      await view.paste('probe zz')
      await view.until((screen) => screen.includes('probe zz'))
      expect(view.row(0)).toContain('sluice')
      expect(view.row(29).trim()).not.toBe('')
      expect(view.written()).not.toContain('\x1b[3J')
      expect(view.effects()).toMatchObject({ titles: [], replies: [], alternate: true })
      await view.unmount()
    }),
    { numRuns: 6, endOnFailure: true },
  )
}, 120_000)
