import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { checkout, type PtyOptions, type PtySession, startPty } from '../../fixtures/screen/pty.ts'
import { bundle } from '../build/bundle.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-terminal-'))
const program = join(folder, 'main.js')
beforeAll(() => bundle({ root: checkout, entry: join(checkout, 'app/terminal/probe.tsx'), outdir: folder }))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let open: PtySession[] = []
afterEach(async () => {
  for (const session of open) await session.close()
  open = []
})

function start(options: PtyOptions = {}): PtySession {
  const session = startPty({ command: [process.execPath, program], ...options })
  open.push(session)
  return session
}

/** The sequences that put a terminal back, whatever was on. */
const restores = [
  '\x1b[<u',
  '\x1b[?1006l',
  '\x1b[?1000l',
  '\x1b[?1004l',
  '\x1b[?2004l',
  '\x1b[?1049l',
  '\x1b[?25h',
  '\x1b[0m',
]

/** A suspended program takes back what it switched on; a keyboard protocol that was never on is not among it. */
const suspends = ['\x1b[?1006l', '\x1b[?1000l', '\x1b[?1004l', '\x1b[?2004l', '\x1b[?1049l', '\x1b[?25h']

function expectRestored(session: PtySession, sequences = restores): void {
  const raw = session.raw()
  const last = raw.lastIndexOf('\x1b[?1049h')
  for (const sequence of sequences) expect(raw.lastIndexOf(sequence), JSON.stringify(sequence)).toBeGreaterThan(last)
  expect(session.terminal.buffer.active.type).toBe('normal')
}

describe('the terminal is put back', () => {
  test('after an orderly end, and what is printed then stays', async () => {
    const session = start()
    await session.until('probe is ready')
    expect(session.terminal.buffer.active.type).toBe('alternate')
    session.press('ctrl+q')
    expect(await session.ended()).toEqual({ code: 0, signal: 0 })
    expectRestored(session)
    expect(session.screen()).toBe('goodbye')
  })

  test.each([
    ['an error while rendering', '\x1bOQ', 'broken in an effect', 1],
    ['an error in a timer', '\x1bOR', 'broken in a timer', 1],
    ['a rejected promise', '\x1bOS', 'broken promise', 1],
    ['an exit out of the blue', '\x1b[15~', '', 7],
  ])('A20: after %s', async (_name, key, message, code) => {
    const session = start()
    await session.until('probe is ready')
    session.type(key)
    expect(await session.ended()).toEqual({ code, signal: 0 })
    expectRestored(session)
    expect(session.screen()).toContain(message)
    expect(session.screen()).not.toContain('probe is ready')
  })

  test.each([
    ['SIGTERM', 15],
    ['SIGHUP', 1],
    ['SIGINT', 2],
  ] as const)('after %s, and the process dies by it', async (name, signal) => {
    const session = start()
    await session.until('probe is ready')
    process.kill(session.pid, name)
    expect(await session.ended()).toEqual({ code: 0, signal })
    expectRestored(session)
    expect(session.screen()).toContain(`closing after ${name}`)
  })

  test('with the line discipline as it was', async () => {
    const session = start({ command: ['/bin/sh', '-c', `stty sane; "$0" "$1"; stty -a`, process.execPath, program] })
    await session.until('probe is ready')
    session.type('\x1bOR')
    await session.ended()
    expect(session.screen()).toMatch(/[^-]icanon/)
    expect(session.screen()).toMatch(/[^-]\becho\b/)
    expect(session.screen()).toMatch(/[^-]isig/)
  })
})

describe('suspending', () => {
  test('A22: gives the shell a sane terminal, and paints afresh on fg', async () => {
    const session = start({ command: ['bash', '--noprofile', '--norc', '-i'], env: { PS1: 'shell> ' } })
    await session.until('shell> ')
    session.type('stty sane\r')
    session.type(`'${process.execPath}' '${program}'\r`)
    await session.until('probe is ready')
    session.type('a')
    await session.until(/keys: a/)
    session.press('ctrl+z')
    await session.until(/Stopped/)
    expectRestored(session, suspends)
    session.type('stty -a | tr ";" "\\n" | grep icanon; echo looked\r')
    expect(await session.until(/^looked/m)).toMatch(/(^|\s)icanon/m)
    const before = session.raw().length
    session.type('fg\r')
    await session.until(/keys: a \| ctrl\+z/)
    expect(session.terminal.buffer.active.type).toBe('alternate')
    expect(session.raw().slice(before)).toContain('probe is ready')
    session.type('b')
    await session.until(/keys: a \| ctrl\+z \| b/)
    session.press('ctrl+q')
    await session.until('goodbye')
  })

  test('goes on where no shell controls jobs', async () => {
    const session = start()
    await session.until('probe is ready')
    session.press('ctrl+z')
    await session.until(/keys: ctrl\+z/)
    session.type('b')
    await session.until(/ctrl\+z \| b/)
  })

  test.each(['SIGTSTP', 'SIGSTOP'] as const)('%s from outside ends in the same frame after fg', async (name) => {
    const session = start({ command: ['bash', '--noprofile', '--norc', '-i'], env: { PS1: 'shell> ' } })
    await session.until('shell> ')
    session.type(`'${process.execPath}' '${program}'\r`)
    const pid = Number(/process (\d+)/.exec(await session.until(/process \d+$/m))?.[1])
    session.type('a')
    await session.until(/keys: a/)
    process.kill(pid, name)
    await session.until(/Stopped/)
    // What cannot be caught cannot restore either; the shell still works.
    if (name === 'SIGTSTP') expectRestored(session, suspends)
    session.type('fg\r')
    await session.until((screen) => /^probe is ready/.test(screen) && /keys: a/.test(screen) && !/shell>/.test(screen))
    session.type('b')
    await session.until(/keys: a \| b/)
    session.press('ctrl+q')
    await session.until('goodbye')
  })
})

describe('keys', () => {
  test('that are typed before the first frame arrive', async () => {
    const session = start({ typeAhead: 'fix\r', env: { PROBE_BUSY_MS: '300' } })
    await session.until(/keys: f \| i \| x \| return/)
  })

  test('arrive in order from one write, a lone Esc last', async () => {
    const session = start()
    await session.until('probe is ready')
    session.type('hi\r\x1b')
    await session.until(/keys: h \| i \| return \| escape/)
  })

  test('pastes and the wheel come through their own ways', async () => {
    const session = start()
    await session.until('probe is ready')
    session.paste('y')
    session.type('\x1b[<64;3;4M')
    await session.until(/keys: pasted y \| wheel up/)
  })
})

describe('the editor', () => {
  const editor = join(folder, 'editor.sh')

  test('gets the terminal and gives back the text', async () => {
    writeFileSync(
      editor,
      '#!/bin/sh\nstty -a | grep -c "[^-]icanon"\nprintf " edited\\n\\n" >> "$2"\necho "$1 $(ls -l "$2" | cut -c1-10)"\nread line\n',
      { mode: 0o755 },
    )
    const session = start({ env: { VISUAL: `${editor} --wait`, EDITOR: 'false' } })
    await session.until('probe is ready')
    session.type('\x1b[17~')
    await session.until('--wait -rw-------')
    expect(session.terminal.buffer.active.type).toBe('normal')
    // Every key is the editor's, and Ctrl+C is not ours.
    session.type('not for us\r')
    await session.until(/"ok":true,"text":"the text edited\\n"/)
    expect(session.screen()).not.toContain('not for us')
  })

  test('that fails leaves the text alone and says so', async () => {
    const session = start({ cols: 200, env: { VISUAL: '', EDITOR: '/no/such/editor' } })
    await session.until('probe is ready')
    session.type('\x1b[17~')
    await session.until(/"ok":false.*no\/such\/editor was not found/)
  })

  test('that is left with Ctrl+C does not take us along', async () => {
    writeFileSync(editor, '#!/bin/sh\necho editing\nsleep 60\n', { mode: 0o755 })
    const session = start({ env: { VISUAL: editor } })
    await session.until('probe is ready')
    session.type('\x1b[17~')
    await session.until('editing')
    // A shell that is just starting its next program may miss the first one; a person presses again.
    const pressing = setInterval(() => session.press('ctrl+c'), 100)
    await session.until(/"ok":false/).finally(() => clearInterval(pressing))
    session.type('b')
    await session.until(/\| b/)
  })
})

describe('the pager', () => {
  const script = (path: string, lines: string) => writeFileSync(path, `#!/bin/sh\n${lines}\n`, { mode: 0o755 })

  test('gets the terminal, its keys and a text without control characters, and the screen comes back', async () => {
    const pager = join(folder, 'pager.sh')
    script(
      pager,
      'stty -a < /dev/tty | grep -c "[^-]icanon"\necho "pager $1 LESS=$LESS"\ncat -v\necho "end of it"\nread line < /dev/tty\necho "heard $line"',
    )
    const text = 'first line\n\x1b]0;owned\x07\x1b[31msecond\x1b[0m line\x1b[2J'
    const session = start({ env: { PAGER: `${pager} --quiet`, LESS: undefined, PROBE_TEXT: text } })
    await session.until('probe is ready')
    session.type('\x1b[21~')
    await session.until('end of it')
    expect(session.terminal.buffer.active.type).toBe('normal')
    expect(session.screen()).toContain('1\npager --quiet LESS=-R\nfirst line\nsecond line\nend of it')
    session.type('not for us\r')
    await session.until('keys: f10 | paged null')
    expect(session.terminal.buffer.active.type).toBe('alternate')
    expect(session.raw()).toContain('heard not for us')
    expect(session.raw()).not.toContain('owned')
    session.type('b')
    await session.until(/paged null \| b/)
  })

  test('keeps the settings of less that are there', async () => {
    const session = start({ env: { PAGER: 'echo "LESS=$LESS"', LESS: '-FX' } })
    await session.until('probe is ready')
    session.type('\x1b[21~')
    await session.until('paged null')
    expect(session.raw()).toContain('LESS=-FX')
  })

  test.each(['less', 'more'])('is %s where $PAGER is not set and nothing better is there', async (name) => {
    const only = mkdtempSync(join(folder, `only-${name}-`))
    script(join(only, name), `echo "this is ${name}"`)
    const session = start({ env: { PAGER: undefined, PATH: only } })
    await session.until('probe is ready')
    session.type('\x1b[21~')
    await session.until('paged null')
    expect(session.raw()).toContain(`this is ${name}`)
  })

  test('that fails says so', async () => {
    const session = start({ cols: 200, env: { PAGER: '/no/such/pager' } })
    await session.until('probe is ready')
    session.type('\x1b[21~')
    await session.until(/paged \/no\/such\/pager was not found\. Set \$PAGER\./)
  })
})

test('a terminal that reports no size is laid out as 80 × 24', async () => {
  const session = start({ command: ['/bin/sh', '-c', `stty cols 0 rows 0; "$0" "$1"`, process.execPath, program] })
  await session.until('probe is ready')
  session.type('a')
  await session.until(/keys: a/)
})

test('a keyboard protocol is used where the terminal has it, and never beyond the own screen', async () => {
  const session = start()
  await session.until('probe is ready')
  session.type('\x1b[?0u')
  session.type('a')
  await session.until(/keys: a/)
  expect(session.raw()).toContain('\x1b[>1u')
  session.type('\x1b[122;5u')
  await session.until(/keys: a \| ctrl\+z/)
  await session.until(() => session.raw().lastIndexOf('\x1b[>1u') > session.raw().lastIndexOf('\x1b[?1049l'))
  const raw = session.raw()
  const left = raw.indexOf('\x1b[?1049l')
  expect(raw.lastIndexOf('\x1b[<u', left)).toBeGreaterThan(raw.indexOf('\x1b[>1u'))
})

test('a notification is rung only while the person looks elsewhere', async () => {
  const session = start({ env: { TERM_PROGRAM: 'WezTerm' } })
  await session.until('probe is ready')
  session.type('\x1b[I\x1b[18~')
  await session.until(/keys: f7/)
  expect(session.raw()).not.toContain('\x1b]9;')
  session.type('\x1b[O\x1b[18~')
  await session.until(/keys: f7 \| f7/)
  expect(session.raw()).toContain('\x1b]9;sluice: a question waits for you\x07')
})
