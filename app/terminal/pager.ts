/** Shows a text in the person's own pager, from a private file that is gone afterwards. */
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sanitizeForTerminal } from '@sluice/permissions-ui'
import { failureOf, runChosen } from './chosen-program.ts'
import type { Lend } from './suspend.ts'

export type PagerOptions = {
  /** Runs the pager while the terminal is lent to it. */
  lend: Lend
  env: NodeJS.ProcessEnv
}

/**
 * Resolves when the pager was left: null, or why it could not show the text. Control characters are taken out, since not
 * every pager does that and `less -r` does not either.
 */
export async function pageText(text: string, { lend, env }: PagerOptions): Promise<string | null> {
  const { line, name } = pagerOf(env)
  const folder = await mkdtemp(join(tmpdir(), 'sluice-page-'))
  try {
    const path = join(folder, 'transcript.txt')
    const shown = sanitizeForTerminal(text, 'output')
    await writeFile(path, shown.endsWith('\n') ? shown : `${shown}\n`, { mode: 0o600 })
    const file = await open(path)
    try {
      // Pagers read what they show from stdin and keys from the terminal.
      const end = await lend(() => runChosen({ line, stdin: file.fd, env: { ...env, LESS: env.LESS ?? '-R' } }))
      // Ctrl+C is a way to leave one.
      if ('code' in end && (end.signal === 'SIGINT' || end.code === 130)) return null
      const failure = failureOf(end)
      return failure === null ? null : `${name} ${failure}. Set $PAGER.`
    } finally {
      await file.close()
    }
  } catch (error) {
    return `the text could not be shown: ${error instanceof Error ? error.message : String(error)}`
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** `$PAGER`, else `less`, else what every system has. */
function pagerOf(env: NodeJS.ProcessEnv): { line: string; name: string } {
  const { PAGER } = env
  if (PAGER !== undefined && PAGER.trim() !== '') return { line: PAGER, name: PAGER }
  if (process.platform === 'win32') return { line: 'more', name: 'more' }
  return { line: 'if command -v less >/dev/null 2>&1; then exec less; else exec more; fi', name: 'less' }
}
