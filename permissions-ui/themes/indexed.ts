/** A theme in the 240 fixed colours of terminals that know no others. */
import type { Theme } from '../theme.ts'

/**
 * Each text colour becomes the nearest of the palette that is no harder to read. The palette has hardly any tints for
 * backgrounds: changed lines get the one that keeps its hue, changed words are underlined instead.
 */
export function indexed(theme: Theme, shade: 'dark' | 'light'): Theme {
  const text = (value: string | undefined) => (value?.startsWith('#') ? named(nearest(value, shade)) : value)
  const [add, del] = theme.name === 'high-contrast' ? [] : grounds[shade][theme.name === 'color-blind' ? 1 : 0]
  return {
    ...theme,
    accent: text(theme.accent),
    accent2: text(theme.accent2),
    muted: text(theme.muted),
    ok: text(theme.ok),
    bad: text(theme.bad),
    warn: text(theme.warn),
    addText: text(theme.addText),
    addBackground: add === undefined ? undefined : named(add),
    addWord: undefined,
    delText: text(theme.delText),
    delBackground: del === undefined ? undefined : named(del),
    delWord: undefined,
    code: Object.fromEntries(Object.entries(theme.code).map(([scope, value]) => [scope, text(value)])),
  }
}

/** `#rrggbb` of a palette entry from 16 to 255, which are the same in every terminal. */
export function indexedColor(index: number): string {
  const channels =
    index >= 232
      ? Array.from({ length: 3 }, () => 8 + 10 * (index - 232))
      : [36, 6, 1].map((step) => levels[Math.floor((index - 16) / step) % 6] ?? 0)
  return `#${channels.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

const levels = [0, 95, 135, 175, 215, 255]

/** Added and removed, in green and red, then in blue and orange. */
const grounds = {
  dark: [
    [22, 52],
    [17, 52],
  ],
  light: [
    [194, 224],
    [195, 230],
  ],
} as const

function named(index: number): string {
  return `ansi256(${index})`
}

function nearest(color: string, shade: 'dark' | 'light'): number {
  const [red, green, blue] = channelsOf(color)
  const own = brightness([red, green, blue])
  let best = shade === 'dark' ? 231 : 16
  let least = Number.POSITIVE_INFINITY
  for (let index = 16; index < 256; index++) {
    const [r, g, b] = channelsOf(indexedColor(index))
    const other = brightness([r, g, b])
    if (shade === 'dark' ? other < own : other > own) continue
    const distance = (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2
    if (distance < least) {
      least = distance
      best = index
    }
  }
  return best
}

/** Relative luminance, near enough to compare two colours of one hue. */
function brightness([red, green, blue]: [number, number, number]): number {
  return 0.2126 * red ** 2.2 + 0.7152 * green ** 2.2 + 0.0722 * blue ** 2.2
}

function channelsOf(color: string): [number, number, number] {
  const at = (from: number) => Number.parseInt(color.slice(from, from + 2), 16)
  return [at(1), at(3), at(5)]
}
