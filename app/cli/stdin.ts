/** Piped standard input, if there is any. */
import { fstatSync } from 'node:fs'

/** An open pipe on which nothing comes is the parent's forgotten one, not a prompt; known tools wait as long. */
const firstByteMs = 3000

/**
 * All of piped stdin as text; undefined when stdin is a terminal, closed or /dev/null.
 * With `optional`, a pipe on which nothing arrives within three seconds counts as none and `onWait` is told.
 */
export async function readPipedStdin(optional: boolean, onWait: (text: string) => void): Promise<string | undefined> {
  try {
    if (process.stdin.isTTY) return undefined
    const stat = fstatSync(0)
    if (stat.isCharacterDevice()) return undefined
  } catch {
    return undefined
  }
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const timer = optional
      ? setTimeout(() => {
          onWait('Nothing came on standard input for 3 s; going on without it (use < /dev/null to say so at once).')
          stop()
          resolve(undefined)
        }, firstByteMs)
      : undefined
    const stop = () => {
      process.stdin.removeAllListeners()
      process.stdin.pause()
      process.stdin.unref?.()
    }
    process.stdin.on('data', (chunk: Buffer) => {
      clearTimeout(timer)
      chunks.push(chunk)
    })
    const end = () => {
      clearTimeout(timer)
      resolve(Buffer.concat(chunks).toString('utf8'))
    }
    process.stdin.on('end', end)
    process.stdin.on('error', end)
  })
}
