/** Ctrl+Z: gives the terminal back, stops the whole job as the shell expects it, and takes the terminal again on `fg`. */

export type Lend = <T>(work: () => Promise<T>) => Promise<T>

/** Stops this process and everything else in its job until the shell continues it. Resolves when it runs again. */
export async function stopJob(): Promise<void> {
  if (process.platform === 'win32') return
  const continued = new Promise<void>((resolve) => {
    process.once('SIGCONT', resolve)
    // Where no shell controls jobs the kernel ignores the stop, and no SIGCONT will ever come. While we are stopped
    // this timer stands still, too.
    setTimeout(() => {
      process.off('SIGCONT', resolve)
      resolve()
    }, 300)
  })
  // Without a listener the default action stops us.
  const listeners = process.listeners('SIGTSTP')
  process.removeAllListeners('SIGTSTP')
  // The group, as the terminal itself does it: `npm start` and the launcher must stop, or the shell waits for them.
  process.kill(0, 'SIGTSTP')
  await continued
  for (const listener of listeners) process.on('SIGTSTP', listener)
}

/**
 * Handles stops that come from outside (`kill -TSTP`, `kill -STOP`): gives the terminal back before the first, and paints
 * afresh after both. Returns a function that takes the hooks out.
 */
export function hookStops(suspend: () => Promise<void>, repaint: () => void): () => void {
  if (process.platform === 'win32') return () => {}
  let stopping = false
  const onStop = () => {
    if (stopping) return
    stopping = true
    void suspend().finally(() => {
      stopping = false
    })
  }
  const onContinue = () => {
    if (!stopping) repaint()
  }
  process.on('SIGTSTP', onStop)
  process.on('SIGCONT', onContinue)
  return () => {
    process.off('SIGTSTP', onStop)
    process.off('SIGCONT', onContinue)
  }
}
