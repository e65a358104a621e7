/** stdout and stderr of a run whose reader may go away, and an end that loses nothing. */

export type Output = {
  /** Resolves when it is written, or when it is known that it cannot be. */
  write(text: string): Promise<void>
  note(text: string): void
  /** True once the reader of stdout has gone. */
  readonly gone: boolean
  /** Why results could not be written, other than that their reader has gone: a full disk, say. */
  readonly failed: string | null
}

/** `onGone` is called once when stdout takes nothing any more. */
export function openOutput(onGone: () => void): Output {
  let gone = false
  let failed: string | null = null
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (gone) return
    gone = true
    if (error.code !== 'EPIPE') failed = error.message
    onGone()
  })
  // Nobody reads the notes any more: no reason to stop.
  process.stderr.on('error', () => {})
  return {
    write(text) {
      if (gone) return Promise.resolve()
      return new Promise((resolve) => process.stdout.write(text, () => resolve()))
    },
    note(text) {
      process.stderr.write(`${text}\n`)
    },
    get gone() {
      return gone
    },
    get failed() {
      return failed
    },
  }
}

/** For commands that only print: a reader that has enough is no error, a disk that is full is one. */
export function guardStdout(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0)
    process.stderr.write(`sluice: the output could not be written: ${error.message}\n`)
    process.exit(1)
  })
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
