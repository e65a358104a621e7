import { describe, expect, test } from 'vitest'
import { startSession, teller } from '../../fixtures/screen/event-streams.ts'
import { shopAsking, shopDone } from '../../fixtures/screen/shop-session.ts'
import { showScreen } from '../../fixtures/screen/show-screen.tsx'

const golden = (name: string) => `../../fixtures/golden/screen/${name}.txt`

const sizes = [
  [40, 12],
  [80, 24],
  [120, 36],
  [200, 60],
] as const

describe('frames', () => {
  for (const [columns, rows] of sizes) {
    test(`a session that asks, at ${columns}x${rows}`, async () => {
      const view = await showScreen(columns, rows, shopAsking().events)
      await view.until((screen) => screen.includes('y apply'))
      await expect(view.screen()).toMatchFileSnapshot(golden(`asking-${columns}x${rows}`))
      await view.unmount()
    })
    test(`a session that is done, at ${columns}x${rows}`, async () => {
      const view = await showScreen(columns, rows, shopDone().events)
      await expect(view.screen()).toMatchFileSnapshot(golden(`done-${columns}x${rows}`))
      await view.unmount()
    })
    test(`a new session, at ${columns}x${rows}`, async () => {
      const to = teller()
      startSession(to)
      const view = await showScreen(columns, rows, to.events)
      await expect(view.screen()).toMatchFileSnapshot(golden(`new-${columns}x${rows}`))
      await view.unmount()
    })
  }
})
