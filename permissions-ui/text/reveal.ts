/** What hides in plain sight: long runs of blanks that push text out of view. */

/**
 * Runs of more than 40 blanks become `·x300` (`→·x300` with tabs in them), runs of more than eight line feeds `⏎x12`.
 * Expects text that was sanitised as `visible`.
 */
export function revealBlanks(text: string): string {
  const spaces =
    text.length > 40 ? text.replace(blankRun, (run) => ` ${run.includes('→') ? '→' : ''}·x${run.length} `) : text
  return spaces.includes(manyFeeds) ? spaces.replace(feedRun, (run) => `\n⏎x${run.length}\n`) : spaces
}

// A tab arrives as an arrow with blanks up to the next stop.
const blankRun = /[ →]{41,}/g
const manyFeeds = '\n'.repeat(9)
const feedRun = /\n{9,}/g
