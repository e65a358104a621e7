/** Copies text: by the platform's own tool where this machine has the screen, and by the terminal (OSC 52) everywhere. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { release } from 'node:os'
import { delimiter, join } from 'node:path'

export type CopyResult = {
  ok: boolean
  /** One sentence for the person. */
  text: string
}

export type ClipboardOptions = {
  env: NodeJS.ProcessEnv
  /** Writes to the terminal; absent when there is none. */
  write?: (data: string) => void
  platform?: NodeJS.Platform
}

/** Never throws. A terminal does not say whether it took the text, so the sentence names the way it went. */
export async function copyText(text: string, options: ClipboardOptions): Promise<CopyResult> {
  const size = sizeText(text)
  const byTerminal = options.write !== undefined && copyByTerminal(text, options.env, options.write)
  for (const tool of clipboardTools(options.env, options.platform ?? process.platform)) {
    if (await pipeInto(tool, text, options.env)) return { ok: true, text: `copied ${size}` }
  }
  if (byTerminal) return { ok: true, text: `copied ${size} through the terminal` }
  if (options.write !== undefined) {
    return { ok: false, text: `${size} is more than the terminal takes; no clipboard program was found either` }
  }
  return { ok: false, text: 'no clipboard program was found (pbcopy, wl-copy, xclip, xsel, clip.exe)' }
}

/** Tools that reach the clipboard of the person's own screen, best first; none over ssh. */
export function clipboardTools(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string[][] {
  if (env.SSH_CONNECTION || env.SSH_TTY) return []
  const tools: string[][] = []
  if (platform === 'darwin') tools.push(['pbcopy'])
  if (platform === 'win32' || (platform === 'linux' && (env.WSL_DISTRO_NAME || /microsoft/i.test(release())))) {
    tools.push(['clip.exe'])
  }
  if (env.WAYLAND_DISPLAY) tools.push(['wl-copy'])
  if (env.DISPLAY) tools.push(['xclip', '-selection', 'clipboard'], ['xsel', '--clipboard', '--input'])
  return tools.filter(([name = '']) => isOnPath(name, env, platform))
}

/** The OSC 52 sequence for `text`, wrapped for GNU screen; null when it is longer than terminals take. */
export function clipboardSequence(text: string, env: NodeJS.ProcessEnv): string | null {
  const encoded = Buffer.from(text).toString('base64')
  if (encoded.length > longestCopy) return null
  const sequence = `\x1b]52;c;${encoded}\x07`
  // tmux reads OSC 52 itself; screen passes only what is wrapped, in small pieces.
  if (!env.STY || env.TMUX) return sequence
  const pieces = sequence.match(/[\s\S]{1,700}/g) ?? []
  return pieces.map((piece) => `\x1bP${piece}\x1b\\`).join('')
}

function copyByTerminal(text: string, env: NodeJS.ProcessEnv, write: (data: string) => void): boolean {
  const sequence = clipboardSequence(text, env)
  if (sequence === null) return false
  write(sequence)
  return true
}

function pipeInto([command = '', ...args]: string[], text: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['pipe', 'ignore', 'ignore'], env, windowsHide: true })
    // A tool that waits for a display that is gone must not keep the person waiting.
    const timer = setTimeout(() => child.kill('SIGKILL'), 3000)
    const done = (ok: boolean) => {
      clearTimeout(timer)
      resolve(ok)
    }
    child.once('error', () => done(false))
    child.once('exit', (code) => done(code === 0))
    child.stdin.on('error', () => {})
    // clip.exe reads UTF-16.
    child.stdin.end(command === 'clip.exe' ? Buffer.from(text, 'utf16le') : text)
  })
}

function isOnPath(name: string, env: NodeJS.ProcessEnv, platform: NodeJS.Platform): boolean {
  if (platform === 'win32') return true
  return (env.PATH ?? '').split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, name)))
}

function sizeText(text: string): string {
  const lines = text.replace(/\n$/, '').split('\n').length
  return lines > 1 ? `${lines} lines` : `${[...text].length} characters`
}

/** Base64 characters; xterm and others stop at about 100 kB. */
const longestCopy = 100_000
