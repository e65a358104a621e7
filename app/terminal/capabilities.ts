/** What the terminal can do, as far as it shows from outside and from its answers at the start. */

export type Capabilities = {
  /** Both ends are a terminal that can move its cursor. */
  fullScreen: boolean
  color: boolean
  /** How many there are: 0 none, 1 sixteen, 2 256, 3 all. */
  depth: ColorDepth
  /** False where box-drawing characters would come out as rubbish. */
  unicode: boolean
  /** From COLORFGBG until the terminal itself has answered. */
  background: 'dark' | 'light' | null
}

export type ColorDepth = 0 | 1 | 2 | 3
export type Size = { columns: number; rows: number }
type Output = { isTTY?: boolean; columns?: number; rows?: number }

export function readCapabilities(env: NodeJS.ProcessEnv, stdin: { isTTY?: boolean }, stdout: Output): Capabilities {
  const dumb = env.TERM === 'dumb'
  const depth = colorDepth(env, stdout.isTTY === true)
  const color = depth > 0 && wantsColor(env, stdout.isTTY === true && !dumb)
  return {
    fullScreen: stdin.isTTY === true && stdout.isTTY === true && !dumb,
    color,
    depth: color ? depth : 0,
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

/**
 * How many colours the text library will write for this environment; a theme of more would be bent to them without regard
 * to what can be read. A test compares it with the library itself.
 */
export function colorDepth(env: NodeJS.ProcessEnv, isTty: boolean): ColorDepth {
  const { FORCE_COLOR: force, TERM: term = '' } = env
  if (force === 'false') return 0
  if (force !== undefined && /^\d+$/.test(force)) return asDepth(Number(force))
  const forced = force === '' || force === 'true'
  if (env.TF_BUILD !== undefined && env.AGENT_NAME !== undefined) return 1
  if (!isTty && !forced) return 0
  const least = forced ? 1 : 0
  if (term === 'dumb') return least
  if (env.CI !== undefined) return inCi(env, least)
  if (env.TEAMCITY_VERSION !== undefined) return /^(9\.0*[1-9]\d*\.|\d{2,}\.)/.test(env.TEAMCITY_VERSION) ? 1 : 0
  if (env.COLORTERM === 'truecolor' || /^(xterm-kitty|xterm-ghostty|wezterm)$/.test(term)) return 3
  if (env.TERM_PROGRAM === 'iTerm.app') return Number.parseInt(env.TERM_PROGRAM_VERSION ?? '', 10) >= 3 ? 3 : 2
  if (env.TERM_PROGRAM === 'Apple_Terminal' || /-256(color)?$/i.test(term)) return 2
  if (/^screen|^xterm|^vt100|^vt220|^rxvt|color|ansi|cygwin|linux/i.test(term)) return 1
  return env.COLORTERM === undefined ? least : 1
}

/**
 * What happens to the rows on the screen when the width changes: nothing but a cut, or they are wrapped anew; some terminals
 * leave the row of the cursor as it is.
 */
export type Reflow = 'none' | 'all' | 'but-cursor'

/** `spoke` tells whether the terminal has answered any question: those that reflow all do. */
export function reflowOf(env: NodeJS.ProcessEnv, spoke: boolean): Reflow {
  if (env.TMUX) return 'all'
  const { TERM: term = '' } = env
  if (!spoke || env.XTERM_VERSION || env.STY || /^(linux|st|screen)(-|$)/.test(term)) return 'none'
  return 'but-cursor'
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

function inCi(env: NodeJS.ProcessEnv, least: ColorDepth): ColorDepth {
  const has = (names: readonly string[]) => names.some((name) => env[name] !== undefined)
  if (has(['GITHUB_ACTIONS', 'GITEA_ACTIONS', 'CIRCLECI'])) return 3
  if (has(['TRAVIS', 'APPVEYOR', 'GITLAB_CI', 'BUILDKITE', 'DRONE']) || env.CI_NAME === 'codeship') return 1
  return least
}

function asDepth(level: number): ColorDepth {
  return level >= 3 ? 3 : level === 2 ? 2 : level === 1 ? 1 : 0
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
