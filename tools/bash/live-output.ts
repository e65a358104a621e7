/** Passes output on for the eye, a few times a second and never much at once. */

export type LiveOutput = {
  push(text: string): void
  /** Gives out what waits and falls silent for good. */
  end(): void
}

const interval = 30
const mostAtOnce = 16_384

/** `show` is called at most once in 30 ms; of more than 16 k characters in that time the last are shown. */
export function liveOutput(show: (chunk: string) => void): LiveOutput {
  let waiting = ''
  let timer: NodeJS.Timeout | undefined
  let last = Number.NEGATIVE_INFINITY
  let ended = false

  function flush(): void {
    timer = undefined
    if (waiting === '') return
    last = performance.now()
    const chunk = waiting
    waiting = ''
    show(chunk)
  }

  return {
    push(text) {
      if (ended || text === '') return
      waiting = text.length > mostAtOnce ? text.slice(-mostAtOnce) : (waiting + text).slice(-mostAtOnce)
      timer ??= setTimeout(flush, Math.max(0, last + interval - performance.now()))
    },
    end() {
      clearTimeout(timer)
      flush()
      ended = true
    },
  }
}
