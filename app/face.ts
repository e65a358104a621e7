/** How the app shows itself: on a screen of its own, at the end of the normal one, or as lines. */

export type Face = 'full' | 'inline' | 'linear'

export type FaceWish = { inline: boolean; screenReader: boolean }

/** Lines where somebody listens, where the cursor cannot be moved, and where the terminal does not know its own size. */
export function faceOf(wish: FaceWish, env: NodeJS.ProcessEnv, size: { columns?: number; rows?: number }): Face {
  const known = (size.columns ?? 0) > 0 || Number(env.COLUMNS) > 0
  if (wish.screenReader || env.INK_SCREEN_READER === 'true' || env.TERM === 'dumb' || !known) return 'linear'
  return wish.inline ? 'inline' : 'full'
}

/** Some terminals are told their size a moment after the program was started in them. Waits for it, at most `ms`. */
export async function awaitSize(stdout: NodeJS.WriteStream, ms = 200): Promise<void> {
  if (stdout.columns > 0) return
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    stdout.once('resize', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
