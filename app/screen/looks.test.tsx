import { asciiGlyphs, darkTheme, type Theme, type ThemeName, themeNames, withoutColor } from '@sluice/permissions-ui'
import { afterEach, describe, expect, test } from 'vitest'
import { shopAsking, shopDone } from '../../fixtures/screen/shop-session.ts'
import { type ScreenOnTest, showScreen } from '../../fixtures/screen/show-screen.tsx'
import { chooseTheme, createAppearance } from '../appearance.ts'
import { Themed } from './Themed.tsx'

const golden = (name: string) => `../../fixtures/golden/looks/${name}.txt`

let view: ScreenOnTest | undefined
afterEach(async () => {
  await view?.unmount()
  view = undefined
})

async function asking(columns: number, rows: number, theme: Theme): Promise<ScreenOnTest> {
  view = await showScreen(columns, rows, shopAsking().events, { theme })
  await view.until((screen) => screen.includes('apply'))
  return view
}

function cells(on: ScreenOnTest, columns: number, rows: number) {
  return Array.from({ length: columns * rows }, (_, i) => on.cellAt(i % columns, Math.floor(i / columns)))
}

describe('a theme', () => {
  test('changes colours and nothing else', async () => {
    const frames = new Set<string>()
    const names = themeNames.filter((name): name is Exclude<ThemeName, 'auto'> => name !== 'auto')
    for (const name of names) {
      for (const depth of [1, 2, 3] as const) {
        const on = await asking(100, 30, chooseTheme(name, { depth, unicode: true, background: 'light' }))
        frames.add(on.screen())
        await on.unmount()
        view = undefined
      }
    }
    expect(frames.size).toBe(1)
  })

  test('of sixteen colours uses only those', async () => {
    const on = await asking(100, 30, chooseTheme('auto', { depth: 1, unicode: true, background: null }))
    const used = new Set(cells(on, 100, 30).flatMap(({ color, backgroundColor }) => [color, backgroundColor]))
    used.delete(undefined)
    expect([...used].filter((color) => !/^\d+$/.test(color ?? '') || Number(color) > 15)).toEqual([])
    expect(used.size).toBeGreaterThan(2)
  })

  test('of high contrast has no faint text', async () => {
    for (const [name, faint] of [
      ['dark', true],
      ['high-contrast', false],
    ] as const) {
      const theme = chooseTheme(name, { depth: 3, unicode: true, background: 'dark' })
      view = await showScreen(120, 36, shopDone().events, { theme })
      expect(cells(view, 120, 36).some((cell) => cell.dim)).toBe(faint)
      await view.unmount()
      view = undefined
    }
  })
})

describe('without colour', () => {
  test('what good, bad, added and removed are is said by marks', async () => {
    const on = await asking(100, 30, withoutColor(darkTheme))
    expect(cells(on, 100, 30).filter(({ color, backgroundColor }) => color ?? backgroundColor)).toEqual([])
    expect(on.screen()).toMatch(/13 −/)
    expect(on.screen()).toMatch(/13 \+/)
  })
})

describe('in ASCII', () => {
  test.each([
    [100, 30],
    [40, 12],
  ])('a session that asks has no other sign, at %ix%i', async (columns, rows) => {
    const on = await asking(columns, rows, { ...darkTheme, glyphs: asciiGlyphs })
    expect(on.screen().match(/[^\n -~]/g) ?? []).toEqual([])
  })

  test('a session that is done is drawn whole', async () => {
    view = await showScreen(120, 36, shopDone().events, { theme: { ...darkTheme, glyphs: asciiGlyphs } })
    await expect(view.screen()).toMatchFileSnapshot(golden('ascii-done-120x36'))
  })
})

test('another theme is put on at once: no row is erased before it is drawn anew, and no text changes', async () => {
  const appearance = createAppearance({ depth: 3, unicode: true, background: null })
  view = await showScreen(100, 30, shopDone().events, {
    theme: undefined,
    around: (screen) => <Themed appearance={appearance}>{screen}</Themed>,
  })
  const text = view.screen()
  const before = view.written().length
  expect(cells(view, 100, 30).some((cell) => cell.color === darkTheme.accent)).toBe(true)
  appearance.answered('light')
  await view.settled()
  const bytes = view.written().slice(before)
  expect(view.screen()).toBe(text)
  expect(cells(view, 100, 30).some((cell) => cell.color === darkTheme.accent)).toBe(false)
  expect(bytes).not.toMatch(/\x1b\[\d*J/)
  expect(bytes.match(/\x1b\[\?2026h/g)).toHaveLength(1)
})
