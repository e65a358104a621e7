/** The stdin that Ink gets: it switches the real one's raw mode, and never reads a key. */
import { Readable } from 'node:stream'

type Terminal = Pick<NodeJS.ReadStream, 'setRawMode' | 'ref' | 'unref' | 'resume' | 'pause'>

/**
 * A readable that stays silent: keys go from the real stdin to the key feed. While Ink has raw mode off (a suspended
 * terminal), the real one is not read at all, so another program gets every key.
 */
export function createInkStdin(real: Terminal): NodeJS.ReadStream {
  const silent = new Readable({ read() {} })
  return Object.assign(silent, {
    isTTY: true,
    isRaw: false,
    fd: 0,
    setRawMode(on: boolean) {
      real.setRawMode(on)
      if (on) real.resume()
      else real.pause()
      return silent
    },
    ref: () => real.ref(),
    unref: () => real.unref(),
  }) as unknown as NodeJS.ReadStream
}
