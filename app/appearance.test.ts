import { asciiGlyphs, type ThemeName, themeNamed, themeNames, unicodeGlyphs } from '@sluice/permissions-ui'
import { describe, expect, test } from 'vitest'
import { chooseTheme, createAppearance, type TerminalLooks } from './appearance.ts'
import { configSchema } from './config-schema.ts'

const full: TerminalLooks = { depth: 3, unicode: true, background: null }

describe('the theme', () => {
  test.each<[ThemeName, Partial<TerminalLooks>, 'dark' | 'light' | null, string, string | undefined]>([
    ['auto', {}, null, 'dark', '#9ece6a'],
    ['auto', {}, 'light', 'light', '#1f6b2c'],
    ['auto', { background: 'light' }, null, 'light', '#1f6b2c'],
    ['auto', { background: 'light' }, 'dark', 'dark', '#9ece6a'],
    ['auto', { depth: 1 }, null, 'ansi', 'green'],
    ['auto', { depth: 1 }, 'light', 'ansi', 'blue'],
    ['auto', { depth: 2 }, 'dark', 'dark', 'ansi256(149)'],
    ['auto', { depth: 0 }, 'dark', 'dark', undefined],
    ['light', {}, 'dark', 'light', '#1f6b2c'],
    ['dark', { depth: 1 }, 'light', 'dark', 'green'],
    ['ansi', {}, 'light', 'ansi', 'blue'],
    ['high-contrast', {}, 'dark', 'high-contrast', '#7dff7d'],
    ['high-contrast', {}, 'light', 'high-contrast', '#00450c'],
    ['color-blind', {}, 'dark', 'color-blind', '#6fb8ff'],
    ['color-blind', { depth: 1 }, 'dark', 'color-blind', 'cyan'],
  ])('%s on %j that answered %s is %s with %s for good', (name, looks, answered, chosen, ok) => {
    const theme = chooseTheme(name, { ...full, ...looks }, answered)
    expect([theme.name, theme.ok]).toEqual([chosen, ok])
  })

  test('names nothing but the sixteen colours where there are no more, and no colour where there are none', () => {
    for (const name of ['auto', 'dark', 'light', 'ansi', 'high-contrast', 'color-blind'] as const) {
      const colors = (depth: 0 | 1) => {
        const { name: _, glyphs: __, code, ...fields } = chooseTheme(name, { ...full, depth })
        return [...Object.values(fields), ...Object.values(code)].filter((value) => typeof value === 'string')
      }
      expect(
        colors(1).every((color) => /^(black|red|green|yellow|blue|magenta|cyan|white)(Bright)?$/.test(color)),
      ).toBe(true)
      expect(colors(0)).toEqual([])
    }
  })

  test('draws with ASCII where nothing else is spoken, or where it is asked for', () => {
    expect(chooseTheme('auto', full).glyphs).toBe(unicodeGlyphs)
    expect(chooseTheme('auto', { ...full, unicode: false }).glyphs).toBe(asciiGlyphs)
    expect(chooseTheme('auto', full, null, true).glyphs).toBe(asciiGlyphs)
  })
})

describe('the appearance', () => {
  test('switches once when the terminal answers, and not at all when the answer is what was assumed', () => {
    for (const [background, told] of [
      ['dark', 0],
      ['light', 1],
      [null, 0],
    ] as const) {
      const appearance = createAppearance(full)
      let switched = 0
      appearance.subscribe(() => switched++)
      const before = appearance.theme()
      appearance.answered(background)
      appearance.answered(background)
      expect(switched).toBe(told)
      expect(appearance.theme() === before).toBe(told === 0)
    }
  })

  test('keeps what the person chose, whatever the terminal answers', () => {
    const appearance = createAppearance(full, { name: 'dark' })
    appearance.answered('light')
    expect(appearance.theme().name).toBe('dark')
    appearance.choose('auto')
    expect([appearance.name(), appearance.theme().name]).toEqual(['auto', 'light'])
  })

  test('tells nobody who has stopped listening', () => {
    const appearance = createAppearance(full)
    let heard = 0
    const stop = appearance.subscribe(() => heard++)
    appearance.choose('light')
    stop()
    appearance.choose('dark')
    expect(heard).toBe(1)
  })
})

test('the config file takes exactly the names that there are', () => {
  const accepted = (theme: string) => configSchema.safeParse({ theme }).success
  for (const name of [...themeNames, 'colour-blind', 'High Contrast']) expect(accepted(name)).toBe(true)
  for (const name of ['', 'solarized', 'darker', 'dark light']) {
    expect([accepted(name), themeNamed(name)]).toEqual([false, undefined])
  }
})
