import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { clipboardSequence, clipboardTools, copyText } from './clipboard.ts'

const root = mkdtempSync(join(tmpdir(), 'sluice-clipboard-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** A folder with programs that write what they get into `NAME.out`, or fail. */
function programs(scripts: Record<string, 'works' | 'fails'>): string {
  const folder = mkdtempSync(join(root, 'bin-'))
  for (const [name, behaviour] of Object.entries(scripts)) {
    const file = join(folder, name)
    writeFileSync(file, behaviour === 'works' ? `#!/bin/sh\n/bin/cat > "$0.out"\n` : '#!/bin/sh\nexit 1\n')
    chmodSync(file, 0o755)
  }
  return folder
}

describe('copying', () => {
  test('goes through the tool of the display, and through the terminal as well', async () => {
    const PATH = programs({ 'wl-copy': 'works' })
    const written: string[] = []
    const result = await copyText('héllo\nworld\n', {
      env: { PATH, WAYLAND_DISPLAY: 'wayland-0' },
      write: (data) => written.push(data),
      platform: 'linux',
    })
    expect(result).toEqual({ ok: true, text: 'copied 2 lines' })
    expect(readFileSync(join(PATH, 'wl-copy.out'), 'utf8')).toBe('héllo\nworld\n')
    expect(written).toEqual([`\x1b]52;c;${Buffer.from('héllo\nworld\n').toString('base64')}\x07`])
  })

  test('takes the next tool when one fails', async () => {
    const PATH = programs({ 'wl-copy': 'fails', xclip: 'works' })
    const result = await copyText('a', { env: { PATH, WAYLAND_DISPLAY: 'w', DISPLAY: ':0' }, platform: 'linux' })
    expect(result.ok).toBe(true)
    expect(readFileSync(join(PATH, 'xclip.out'), 'utf8')).toBe('a')
  })

  test('says when only the terminal was there to take it', async () => {
    const result = await copyText('abc', { env: { PATH: '' }, write: () => {}, platform: 'linux' })
    expect(result).toEqual({ ok: true, text: 'copied 3 characters through the terminal' })
  })

  test('says when nobody takes it', async () => {
    const env = { PATH: '' }
    expect((await copyText('a', { env, platform: 'linux' })).ok).toBe(false)
    const written: string[] = []
    const big = await copyText('x'.repeat(200_000), { env, write: (data) => written.push(data), platform: 'linux' })
    expect(big).toMatchObject({ ok: false })
    expect(written).toEqual([])
  })

  test('over ssh only the terminal reaches the person', () => {
    const PATH = programs({ 'wl-copy': 'works', pbcopy: 'works' })
    const env = { PATH, WAYLAND_DISPLAY: 'w', SSH_CONNECTION: '1.2.3.4' }
    expect(clipboardTools(env, 'linux')).toEqual([])
    expect(clipboardTools(env, 'darwin')).toEqual([])
  })

  test('macOS has its own tool', () => {
    expect(clipboardTools({ PATH: programs({ pbcopy: 'works' }) }, 'darwin')).toEqual([['pbcopy']])
  })

  test('is wrapped in pieces for screen, not for tmux', () => {
    const text = 'x'.repeat(3000)
    expect(clipboardSequence(text, { STY: '1.tty' })?.startsWith('\x1bP\x1b]52;c;')).toBe(true)
    expect(clipboardSequence(text, { STY: '1.tty' })?.split('\x1bP').length).toBeGreaterThan(5)
    expect(clipboardSequence(text, { TMUX: '/tmp/tmux' })?.startsWith('\x1b]52;c;')).toBe(true)
  })
})
