import { describe, expect, test } from 'vitest'
import type { Theme } from '../theme.ts'
import { indexed, indexedColor, type Shade, themeNamed, themeNames, themeOn, withoutColor } from './index.ts'

/** What terminals that count as dark or as light usually have behind the text. */
const assumed: Record<Shade, string[]> = {
  dark: ['#000000', '#1e1e1e', '#282c34'],
  light: ['#ffffff', '#fdf6e3', '#eff1f5'],
}
const strongest: Record<Shade, string[]> = { dark: ['#000000', '#1e1e1e'], light: ['#ffffff', '#f5f5f5'] }

const named = themeNames.filter((name) => name !== 'auto')
const all = named.flatMap((name) =>
  (name === 'dark' || name === 'light' ? [name] : (['dark', 'light'] as const)).map((shade) => ({
    name,
    shade,
    theme: themeOn(name, shade),
  })),
)
const coloured = all.filter(({ name }) => name !== 'ansi')
const deep = [
  ...coloured.map((one) => ({ ...one, depth: 'true colour' })),
  ...coloured.map((one) => ({ ...one, depth: '256 colours', theme: indexed(one.theme, one.shade) })),
]

describe('every text can be read', () => {
  test.each(deep)('$name on $shade in $depth', ({ name, shade, theme }) => {
    const least = name === 'high-contrast' ? 7 : 4.5
    const grounds = name === 'high-contrast' ? strongest[shade] : assumed[shade]
    const weak = [
      ...textColors(theme).flatMap(([what, color]) => grounds.map((ground) => [what, color, ground])),
      ...inChange(theme, 'add'),
      ...inChange(theme, 'del'),
    ].filter(([, color = '', ground = '']) => contrast(color, ground) < least)
    expect(weak).toEqual([])
  })

  test.each([
    ['dark', '#000000'],
    ['light', '#ffffff'],
  ] as const)('ansi on %s, with the palettes of xterm and of a PC console', (shade, ground) => {
    const theme = themeOn('ansi', shade)
    const names = textColors(theme).map(([, color]) => color)
    expect(names.every((name) => name in palettes.xterm)).toBe(true)
    for (const palette of Object.values(palettes)) {
      expect(names.filter((name) => contrast(palette[name] ?? '', ground) < 4.5)).toEqual([])
    }
  })
})

describe('colours never stand alone', () => {
  test.each([
    ['protanopia', protan()],
    ['deuteranopia', deutan()],
  ])('with %s good and bad of the colour-blind theme stay far apart', (_name, seen) => {
    for (const shade of ['dark', 'light'] as const) {
      const theme = themeOn('color-blind', shade)
      expect(distance(seen(theme.ok), seen(theme.bad))).toBeGreaterThan(40)
      expect(distance(seen(theme.addText), seen(theme.delText))).toBeGreaterThan(25)
      expect(distance(seen(theme.addBackground), seen(theme.delBackground))).toBeGreaterThan(12)
    }
  })

  test('good, bad and warning have marks of their own in every theme', () => {
    for (const { theme } of all) {
      const { ok, bad, warn, minus } = theme.glyphs
      expect(new Set([ok, bad, warn, minus]).size).toBe(4)
    }
  })
})

describe('names', () => {
  test.each([
    ['Dark', 'dark'],
    ['colour-blind', 'color-blind'],
    ['high contrast', 'high-contrast'],
    ['HIGH_CONTRAST', 'high-contrast'],
    ['auto', 'auto'],
    ['solarized', undefined],
    ['', undefined],
  ])('%j means %s', (written, meant) => {
    expect(themeNamed(written)).toBe(meant)
  })
})

test('without colour nothing names one, and the marks stay', () => {
  for (const { theme } of all) {
    const plain = withoutColor(theme)
    expect({ ...plain, name: '', glyphs: null }).toEqual({
      name: '',
      color: false,
      dim: theme.dim,
      code: {},
      glyphs: null,
      ...Object.fromEntries(colorFields.map((field) => [field, undefined])),
    })
    expect(plain.glyphs).toBe(theme.glyphs)
  }
})

const colorFields = [
  'accent',
  'accent2',
  'muted',
  'ok',
  'bad',
  'warn',
  'addText',
  'addBackground',
  'addWord',
  'delText',
  'delBackground',
  'delWord',
] as const

function textColors(theme: Theme): [string, string][] {
  const own = colorFields.filter((field) => !/Background|Word/.test(field)).map((field) => [field, theme[field]])
  const code = Object.entries(theme.code).map(([scope, color]) => [`code.${scope}`, color])
  return [...own, ...code].filter((entry): entry is [string, string] => entry[1] !== undefined)
}

/** Text of a changed line on its own backgrounds, code colours included. */
function inChange(theme: Theme, side: 'add' | 'del'): string[][] {
  const texts = textColors(theme).filter(([what]) => what === `${side}Text` || what.startsWith('code.'))
  return [theme[`${side}Background`], theme[`${side}Word`]].flatMap((ground) =>
    ground === undefined ? [] : texts.map(([what, color]) => [`${what} in ${side}`, color, ground]),
  )
}

function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(color: string): number {
  const [r, g, b] = linear(color)
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function linear(color: string | undefined): [number, number, number] {
  const index = /^ansi256\((\d+)\)$/.exec(color ?? '')?.[1]
  const hex = index === undefined ? (color ?? '') : indexedColor(Number(index))
  if (!/^#[0-9a-f]{6}$/.test(hex)) throw new Error(`${color} is no colour that can be measured`)
  const channel = (from: number) => {
    const value = Number.parseInt(hex.slice(from, from + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return [channel(1), channel(3), channel(5)]
}

type Linear = [number, number, number]

/** How people without one kind of cones see a colour (matrices of Machado, Oliveira and Fernandes, 2009). */
function seenBy(matrix: readonly Linear[]): (color: string | undefined) => Linear {
  return (color) => {
    const rgb = linear(color)
    const seen = matrix.map((row) =>
      Math.min(
        1,
        Math.max(
          0,
          row.reduce((sum, weight, i) => sum + weight * (rgb[i] ?? 0), 0),
        ),
      ),
    )
    return [seen[0] ?? 0, seen[1] ?? 0, seen[2] ?? 0]
  }
}
function protan() {
  return seenBy([
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ])
}
function deutan() {
  return seenBy([
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ])
}

/** ΔE of 1976; about 2 is just seen. */
function distance(a: Linear, b: Linear): number {
  const [p, q] = [lab(a), lab(b)]
  return Math.hypot(...p.map((value, i) => value - (q[i] ?? 0)))
}

function lab([r, g, b]: Linear): number[] {
  const f = (t: number) => (t > 216 / 24389 ? Math.cbrt(t) : (t * (24389 / 27) + 16) / 116)
  const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047)
  const y = f(0.2126 * r + 0.7152 * g + 0.0722 * b)
  const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883)
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)]
}

const palettes: Record<string, Record<string, string>> & { xterm: Record<string, string> } = {
  xterm: {
    black: '#000000',
    red: '#cd0000',
    green: '#00cd00',
    yellow: '#cdcd00',
    blue: '#0000ee',
    magenta: '#cd00cd',
    cyan: '#00cdcd',
    white: '#e5e5e5',
    redBright: '#ff0000',
    greenBright: '#00ff00',
    yellowBright: '#ffff00',
    blueBright: '#5c5cff',
    magentaBright: '#ff00ff',
    cyanBright: '#00ffff',
    whiteBright: '#ffffff',
  },
  console: {
    black: '#000000',
    red: '#aa0000',
    green: '#00aa00',
    yellow: '#aa5500',
    blue: '#0000aa',
    magenta: '#aa00aa',
    cyan: '#00aaaa',
    white: '#aaaaaa',
    redBright: '#ff5555',
    greenBright: '#55ff55',
    yellowBright: '#ffff55',
    blueBright: '#5555ff',
    magentaBright: '#ff55ff',
    cyanBright: '#55ffff',
    whiteBright: '#ffffff',
  },
}
