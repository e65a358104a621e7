/** One call back after a while, which can be taken back and never keeps the program alive. */
export function realAfter(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms)
  timer.unref()
  return () => clearTimeout(timer)
}
