/** stdout and stderr of a run whose reader may go away, and an end that loses nothing. */

export type Output = {
  /** Resolves when the reader has room again. */
  write(text: string): Promise<void>
  note(text: string): void
  /** True once the reader of stdout has gone. */
  readonly gone: boolean
}

/** `onGone` is called once when stdout's reader has closed it. */
export function openOutput(onGone: () => void): Output {
  let gone = false
  process.stdout.on('error', () => {
    if (gone) return
    gone = true
    onGone()
  })
  // Nobody reads the notes any more: no reason to stop.
  process.stderr.on('error', () => {})
  return {
    write(text) {
      if (gone) return Promise.resolve()
      return new Promise((resolve) => {
        if (process.stdout.write(text)) resolve()
        else {
          process.stdout.once('drain', resolve)
          process.stdout.once('error', () => resolve())
        }
      })
    },
    note(text) {
      process.stderr.write(`${text}\n`)
    },
    get gone() {
      return gone
    },
  }
}

/** Ends the process once everything written has reached the reader; `process.exit` alone would cut a pipe off. */
export function leave(code: number): void {
  process.exitCode = code
  const done = () => process.exit(code)
  if (process.stdout.destroyed || process.stdout.writableEnded) {
    done()
    return
  }
  // A reader that neither reads nor closes must not keep us for ever.
  setTimeout(done, 30_000).unref()
  process.stdout.write('', done)
}
