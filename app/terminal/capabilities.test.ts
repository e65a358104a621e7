import { execFile } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { colorDepth, keepSize, readCapabilities, reflowOf, shadeOf, sizeOf, wantsColor } from './capabilities.ts'
import { bestMethod, notification } from './notify.ts'

const tty = { isTTY: true, columns: 80, rows: 24 }

describe('what a terminal can do', () => {
  test.each<[string, NodeJS.ProcessEnv, object]>([
    ['a usual one', { TERM: 'xterm-256color', LANG: 'de_DE.UTF-8' }, { fullScreen: true, color: true, unicode: true }],
    ['dumb', { TERM: 'dumb' }, { fullScreen: false, color: false }],
    ['NO_COLOR', { TERM: 'xterm', NO_COLOR: '1' }, { fullScreen: true, color: false }],
    ['NO_COLOR that is empty', { TERM: 'xterm', NO_COLOR: '' }, { color: true }],
    ['both', { TERM: 'xterm', NO_COLOR: '1', FORCE_COLOR: '1' }, { color: false }],
    ['the POSIX locale', { TERM: 'xterm', LC_ALL: 'C', LANG: 'en_US.UTF-8' }, { unicode: false }],
    ['no locale', { TERM: 'xterm' }, { unicode: true }],
    ['the Linux console', { TERM: 'linux', LANG: 'en_US.UTF-8' }, { unicode: false }],
    ['a light background', { COLORFGBG: '0;15' }, { background: 'light' }],
    ['a dark background', { COLORFGBG: '15;default;0' }, { background: 'dark' }],
    ['rubbish about the background', { COLORFGBG: 'x' }, { background: null }],
  ])('%s', (_name, env, expected) => {
    expect(readCapabilities(env, tty, tty)).toMatchObject(expected)
  })

  test('none without a terminal on both sides', () => {
    expect(readCapabilities({ TERM: 'xterm' }, {}, tty)).toMatchObject({ fullScreen: false })
    expect(readCapabilities({ TERM: 'xterm' }, tty, {})).toMatchObject({ fullScreen: false, color: false })
  })

  test('FORCE_COLOR gives colour where there is no terminal, 0 takes it', () => {
    expect(wantsColor({ FORCE_COLOR: '1' }, false)).toBe(true)
    expect(wantsColor({ FORCE_COLOR: '0' }, true)).toBe(false)
  })

  test('brightness decides between dark and light', () => {
    expect(shadeOf({ red: 0.1, green: 0.1, blue: 0.15 })).toBe('dark')
    expect(shadeOf({ red: 0.99, green: 0.96, blue: 0.89 })).toBe('light')
    expect(shadeOf({ red: 0, green: 0, blue: 1 })).toBe('dark')
  })
})

describe('the size', () => {
  test.each<[string, { columns?: number; rows?: number }, NodeJS.ProcessEnv, object]>([
    ['as reported', { columns: 120, rows: 36 }, {}, { columns: 120, rows: 36 }],
    ['zero', { columns: 0, rows: 0 }, {}, { columns: 80, rows: 24 }],
    ['from the environment', {}, { COLUMNS: '100', LINES: '30' }, { columns: 100, rows: 30 }],
    ['rubbish in the environment', {}, { COLUMNS: 'wide' }, { columns: 80, rows: 24 }],
  ])('%s', (_name, stdout, env, size) => {
    expect(sizeOf(stdout, env)).toEqual(size)
  })

  test('is mended before anybody else hears of a resize', () => {
    const stdout = Object.assign(new EventEmitter(), { columns: 0, rows: 0 })
    const seen: number[] = []
    stdout.on('resize', () => seen.push(stdout.columns))
    const stop = keepSize(stdout as unknown as NodeJS.WriteStream, {})
    expect([stdout.columns, stdout.rows]).toEqual([80, 24])
    stdout.columns = 0
    stdout.emit('resize')
    stdout.columns = 50
    stdout.emit('resize')
    stop()
    stdout.columns = 0
    stdout.emit('resize')
    expect(seen).toEqual([80, 50, 0])
  })
})

describe('notifications', () => {
  test.each<[NodeJS.ProcessEnv, string]>([
    [{ TERM_PROGRAM: 'iTerm.app' }, 'osc9'],
    [{ TERM: 'xterm-kitty' }, 'osc9'],
    [{ TERM: 'xterm-ghostty' }, 'osc9'],
    [{ TERM: 'foot' }, 'osc777'],
    [{ TERM: 'xterm-256color', VTE_VERSION: '7600' }, 'osc777'],
    [{ TERM: 'xterm-256color' }, 'bell'],
  ])('%j is reached by %s', (env, method) => {
    expect(bestMethod(env)).toBe(method)
  })

  test('say our own words only', () => {
    expect(notification('needs-you', 'osc9', {})).toBe('\x1b]9;sluice: a question waits for you\x07')
    expect(notification('done', 'osc777', {})).toBe('\x1b]777;notify;sluice;the turn is done\x07')
    expect(notification('failed', 'bell', {})).toBe('\x07')
    expect(notification('failed', 'off', { TERM: 'foot' })).toBe('')
  })

  test('are passed through tmux', () => {
    expect(notification('done', 'osc9', { TMUX: 'x' })).toBe('\x1bPtmux;\x1b\x1b]9;sluice: the turn is done\x07\x1b\\')
  })
})

describe('the number of colours', () => {
  const environments: NodeJS.ProcessEnv[] = [
    { TERM: 'xterm-256color', COLORTERM: 'truecolor' },
    { TERM: 'xterm-256color' },
    { TERM: 'tmux-256color' },
    { TERM: 'xterm' },
    { TERM: 'linux' },
    { TERM: 'xterm-kitty' },
    { TERM: 'vt52' },
    { TERM: 'vt52', COLORTERM: 'yes' },
    { TERM: 'dumb' },
    { TERM: 'dumb', FORCE_COLOR: '' },
    { TERM: 'xterm', FORCE_COLOR: '3' },
    { TERM: 'xterm', FORCE_COLOR: 'true' },
    { TERM: 'xterm-256color', FORCE_COLOR: '0' },
    { TERM: 'xterm-256color', FORCE_COLOR: 'false' },
    { TERM: 'xterm-256color', FORCE_COLOR: 'yes' },
    { TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app', TERM_PROGRAM_VERSION: '3.5.1' },
    { TERM: 'xterm-256color', TERM_PROGRAM: 'Apple_Terminal' },
    { TERM: 'xterm-256color', CI: 'true' },
    { TERM: 'xterm-256color', CI: 'true', GITHUB_ACTIONS: 'true' },
    {},
  ]

  test('is the one that the text library writes', async () => {
    const chalk = createRequire(import.meta.resolve('ink')).resolve('chalk')
    const program = `
      for (const env of ${JSON.stringify(environments)}) {
        for (const name of Object.keys(process.env)) delete process.env[name]
        Object.assign(process.env, env)
        for (const isTTY of [true, false]) {
          const { createSupportsColor } = await import('${pathToFileURL(join(dirname(chalk), 'vendor/supports-color/index.js'))}?' + Math.random())
          const support = createSupportsColor({ isTTY })
          process.stdout.write((support === false ? 0 : support.level) + "\\n")
        }
      }`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
    expect(environments.flatMap((env) => [true, false].map((tty) => colorDepth(env, tty)))).toEqual(
      stdout.trim().split('\n').map(Number),
    )
  })
})

test.each<[string, NodeJS.ProcessEnv, boolean, string]>([
  ['a usual one', { TERM: 'xterm-256color' }, true, 'but-cursor'],
  ['tmux', { TERM: 'screen-256color', TMUX: '/tmp/tmux' }, true, 'all'],
  ['xterm itself', { TERM: 'xterm-256color', XTERM_VERSION: 'XTerm(390)' }, true, 'none'],
  ['screen', { TERM: 'screen', STY: '1.pts' }, true, 'none'],
  ['the Linux console', { TERM: 'linux' }, true, 'none'],
  ['one that answers nothing', { TERM: 'xterm-256color' }, false, 'none'],
])('on a change of width %s reflows as expected', (_name, env, spoke, reflow) => {
  expect(reflowOf(env, spoke)).toBe(reflow)
})
