/** The terminal as one thing: opened before the first frame, lent to other programs, and given back at the end. */
import { type Capabilities, keepSize, type Reflow, readCapabilities, reflowOf, shadeOf } from './capabilities.ts'
import { type CopyResult, copyText } from './clipboard.ts'
import { type EditorResult, editText } from './editor.ts'
import { createInkStdin } from './ink-stdin.ts'
import { createKeyFeed, type KeyInput } from './input.ts'
import { createTerminalModes } from './modes.ts'
import { type NotifyEvent, type NotifyMethod, notification } from './notify.ts'
import { pageText } from './pager.ts'
import { type EndingSignal, installTerminalGuard, type TerminalGuard } from './restore.ts'
import { hookStops, stopJob } from './suspend.ts'

type InkSuspend = (work: () => Promise<void>) => Promise<void>

/** `background` is null when the terminal did not tell it. */
export type TerminalAnswers = { background: 'dark' | 'light' | null; kitty: boolean }

export interface Terminal {
  readonly capabilities: Capabilities
  /** Keys, pastes, wheel and focus, from the moment of opening. */
  readonly input: KeyInput
  /** For Ink's `render(tree, { stdin })`. */
  readonly stdin: NodeJS.ReadStream
  readonly guard: TerminalGuard
  /** The terminal's own answers; resolves when it has given them, or after a second without. */
  readonly answers: Promise<TerminalAnswers>
  /** What happens to the rows on the screen when the width changes, as far as known now. */
  reflow(): Reflow
  /** Call it right after `render`: switches the modes on and arms the guard. `alternate`: the alternate screen is used (default). */
  attach(instance: { unmount(): void }, options?: { alternate?: boolean }): void
  /** KeyProvider hands Ink's `suspendTerminal` over; until then nothing can be lent. */
  bindSuspend(suspend: InkSuspend): () => void
  /** Gives the terminal to `work` and repaints afterwards. One at a time. */
  lend<T>(work: () => Promise<T>): Promise<T>
  /** Ctrl+Z. Resolves when the shell has continued us. */
  suspend(): Promise<void>
  /** Paints the whole frame afresh. */
  repaint(): Promise<void>
  edit(text: string, name?: string): Promise<EditorResult>
  /** Shows a text in the person's pager until they leave it; null, or why that could not be. */
  page(text: string): Promise<string | null>
  copy(text: string): Promise<CopyResult>
  /** Only when the person looks elsewhere. */
  notify(event: NotifyEvent, method?: NotifyMethod): void
  setMouse(on: boolean): void
  readonly mouse: boolean
  /** KeyProvider reports what it saw. */
  sawFocus(focused: boolean): void
  sawKey(): void
  /** Restores the terminal and takes all hooks out; print goodbyes after it. */
  close(): void
}

export type TerminalOptions = {
  stdin: NodeJS.ReadStream
  stdout: NodeJS.WriteStream
  env: NodeJS.ProcessEnv
  /** Wheel reports; default on. */
  mouse?: boolean
  /** No escape sequence is ever written: for terminals that know none, and for screen readers. Do not `attach` then. */
  silent?: boolean
  /** A key, a paste or the wheel was used. */
  onKey?(): void
  /** After the terminal was restored, before the process dies by the signal. */
  onSignal?(signal: EndingSignal): void | Promise<void>
  describe?(error: unknown): string
}

/** Both streams must be terminals (`readCapabilities(…).fullScreen`). Raw mode is on from here: nothing typed is lost or echoed. */
export function openTerminal(options: TerminalOptions): Terminal {
  const { stdin, stdout, env } = options
  const silent = options.silent ?? false
  const write = (data: string) => {
    if (silent) return
    // A terminal that went away makes the stream fail; the signal that follows ends us.
    if (!stdout.destroyed && stdout.writable) stdout.write(data)
  }
  const ignore = () => {}
  stdout.on('error', ignore)
  const loosenSize = keepSize(stdout, env)
  const capabilities = readCapabilities(env, stdin, stdout)
  const modes = createTerminalModes(write, options.mouse ?? true)
  const guard = installTerminalGuard({
    cook: () => stdin.setRawMode(false),
    onSignal: options.onSignal,
    describe: options.describe,
  })

  let background: TerminalAnswers['background'] = null
  let kitty = false
  let spoke = false
  const answered = Promise.withResolvers<void>()
  const feed = createKeyFeed(({ reply }) => {
    spoke = true
    if (reply.kind === 'background') background = shadeOf(reply)
    else if (reply.kind === 'kitty') {
      kitty = true
      modes.setKeyboard('kitty')
    } else {
      // Device attributes come last: what was not answered by now never will be.
      if (!kitty && (env.TMUX || env.XTERM_VERSION)) modes.setKeyboard('other-keys')
      answered.resolve()
    }
  })
  let first = true
  const onData = (chunk: Buffer | string) => {
    const text = first ? asRaw(chunk) : chunk
    first = false
    feed.push(text)
  }
  const onGone = () => void guard.die('SIGHUP')
  stdin.on('data', onData)
  stdin.on('end', onGone)
  stdin.on('error', onGone)
  stdin.setRawMode(true)
  stdin.resume()
  // What was typed ahead was echoed: the first frame begins in the column where that left the cursor, on the alternate screen too.
  write('\r')
  // Background colour, keyboard protocol, and the fence that every terminal answers.
  write('\x1b]11;?\x1b\\\x1b[?u\x1b[c')
  const patience = setTimeout(() => answered.resolve(), 1000)
  patience.unref()

  let inkSuspend: InkSuspend | null = null
  let lending: Promise<unknown> | null = null
  let mouse = options.mouse ?? true
  let focused: boolean | null = null
  let lastKey = performance.now()

  async function lend<T>(work: () => Promise<T>): Promise<T> {
    if (inkSuspend === null || lending !== null) throw new Error('the terminal is not ours to lend right now')
    const releaseInterrupts = guard.holdInterrupts()
    let outcome: { value: T } | undefined
    try {
      modes.leave()
      feed.reset()
      lending = inkSuspend(async () => {
        outcome = { value: await work() }
        // Whatever ran may have left a scroll region, and the cursor in the middle of a row: our frame begins at its start.
        write('\x1b7\x1b[r\x1b8\r')
      })
      await lending
    } finally {
      lending = null
      releaseInterrupts()
      modes.enter()
    }
    if (outcome === undefined) throw new Error('the terminal could not be lent')
    return outcome.value
  }

  const suspend = async () => {
    if (inkSuspend === null || lending !== null) return
    await lend(stopJob)
  }
  const repaint = async () => {
    if (inkSuspend === null || lending !== null) return
    await lend(async () => {})
  }
  const unhookStops = hookStops(suspend, () => void repaint())

  return {
    capabilities,
    input: feed,
    stdin: createInkStdin(stdin),
    guard,
    answers: answered.promise.then(() => ({ background, kitty })),
    reflow: () => reflowOf(env, spoke),
    attach(instance, { alternate = true } = {}) {
      guard.arm({ leaveModes: modes.leave, unmount: () => instance.unmount(), alternate })
      modes.enter()
    },
    bindSuspend(next) {
      inkSuspend = next
      return () => {
        if (inkSuspend === next) inkSuspend = null
      }
    },
    lend,
    suspend,
    repaint,
    edit: (text, name) => editText(text, { lend, env, ...(name === undefined ? {} : { name }) }),
    page: (text) => pageText(text, { lend, env }),
    copy: (text) => copyText(text, { env, write }),
    notify(event, method = 'auto') {
      // Terminals without focus reports: somebody who has just typed is there.
      const away = focused === null ? performance.now() - lastKey > 30_000 : !focused
      if (away && silent && method !== 'off') stdout.write('\x07')
      else if (away) write(notification(event, method, env))
    },
    setMouse(on) {
      mouse = on
      modes.setMouse(on)
    },
    get mouse() {
      return mouse
    },
    sawFocus(now) {
      focused = now
    },
    sawKey() {
      lastKey = performance.now()
      options.onKey?.()
    },
    close() {
      clearTimeout(patience)
      unhookStops()
      guard.release()
      stdin.off('data', onData)
      stdin.off('end', onGone)
      stdin.off('error', onGone)
      stdin.pause()
      loosenSize()
    },
  }
}

/** What was typed before raw mode was on has line feeds where Enter was pressed; it comes before any answer of the terminal. */
function asRaw(chunk: Buffer | string): Buffer {
  const bytes = Buffer.from(chunk)
  for (let at = 0; at < bytes.length && bytes[at] !== 0x1b; at++) if (bytes[at] === 0x0a) bytes[at] = 0x0d
  return bytes
}
