/** What the terminal can do, as far as it shows from outside and from its answers at the start. */

export type Capabilities = {
  /** Both ends are a terminal that can move its cursor. */
  fullScreen: boolean
  color: boolean
  /** False where box-drawing characters would come out as rubbish. */
  unicode: boolean
  /** From COLORFGBG until the terminal itself has answered. */
  background: 'dark' | 'light' | null
}

export type Size = { columns: number; rows: number }
type Output = { isTTY?: boolean; columns?: number; rows?: number }

export function readCapabilities(env: NodeJS.ProcessEnv, stdin: { isTTY?: boolean }, stdout: Output): Capabilities {
  const dumb = env.TERM === 'dumb'
  return {
    fullScreen: stdin.isTTY === true && stdout.isTTY === true && !dumb,
    color: wantsColor(env, stdout.isTTY === true && !dumb),
    unicode: speaksUnicode(env),
    background: backgroundFromEnv(env),
  }
}

/** NO_COLOR beats FORCE_COLOR beats what the terminal is. */
export function wantsColor(env: NodeJS.ProcessEnv, able: boolean): boolean {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false'
  return able
}

/** Dark or light by perceived brightness; parts from 0 to 1. */
export function shadeOf(color: { red: number; green: number; blue: number }): 'dark' | 'light' {
  return 0.2126 * color.red + 0.7152 * color.green + 0.0722 * color.blue > 0.5 ? 'light' : 'dark'
}

/** The size to lay out for: 80×24 where a terminal reports nothing or zero. */
export function sizeOf(stdout: Output, env: NodeJS.ProcessEnv = {}): Size {
  return {
    columns: positive(stdout.columns) ?? positive(Number(env.COLUMNS)) ?? 80,
    rows: positive(stdout.rows) ?? positive(Number(env.LINES)) ?? 24,
  }
}

/**
 * Gives a terminal that reports no size one that can be laid out, now and after every resize. Ink would otherwise start a
 * program on each frame to find the size out.
 */
export function keepSize(stdout: NodeJS.WriteStream, env: NodeJS.ProcessEnv): () => void {
  const mend = () => {
    if (positive(stdout.columns) !== undefined && positive(stdout.rows) !== undefined) return
    const size = sizeOf(stdout, env)
    stdout.columns = size.columns
    stdout.rows = size.rows
  }
  mend()
  stdout.prependListener('resize', mend)
  return () => stdout.off('resize', mend)
}

/** `COLORFGBG=15;0`: the last number is the background; 7 and 9 to 15 are light. */
function backgroundFromEnv(env: NodeJS.ProcessEnv): 'dark' | 'light' | null {
  const last = env.COLORFGBG?.split(';').at(-1)
  if (last === undefined || !/^\d+$/.test(last)) return null
  const number = Number(last)
  return number === 7 || (number >= 9 && number <= 15) ? 'light' : 'dark'
}

function speaksUnicode(env: NodeJS.ProcessEnv): boolean {
  if (env.TERM === 'linux') return false
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG
  // Containers often set nothing at all, in terminals that are UTF-8 like all others.
  if (!locale) return true
  return /utf-?8/i.test(locale)
}

function positive(value: number | undefined): number | undefined {
  return value !== undefined && Number.isFinite(value) && value > 0 ? Math.floor(value) : undefined
}
