/** Runs ripgrep as a child process and hands out its records one by one. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { ToolFailure } from '@sluice/engine/ports'

export type RipgrepRun = {
  args: string[]
  /** Existing folder that relative paths and patterns start from. */
  cwd: string
  /** Byte that ends a record. */
  separator: number
  signal: AbortSignal
  /** Called in order; false ends the search. */
  onRecord(record: Buffer): boolean
}

/** `code` is 0 with matches, 1 without, 2 after any error; null when the search was ended by `onRecord`. */
export type RipgrepEnd = { code: number | null; stderr: string; tooLong: number }

/** Longest record that is kept (bytes); a longer one is dropped and counted in `tooLong`. */
const longestRecord = 64 * 1024 * 1024

/** Arguments that every search has: no configuration, hidden files but not `.git`, ignore files also without git. */
export const searchArgs = ['--no-config', '--hidden', '--glob', '!.git', '--no-require-git', '--sort', 'path']

/** Rejects with a ToolFailure when ripgrep is missing or the signal aborts; the process is gone by then. */
export async function runRipgrep(run: RipgrepRun): Promise<RipgrepEnd> {
  const program = await ripgrepPath()
  if (run.signal.aborted) throw interrupted()
  const { RIPGREP_CONFIG_PATH: _config, ...env } = process.env
  const child = spawn(program, run.args, { cwd: run.cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const records = recordSplitter(run.separator, longestRecord)
  let stopped = false
  let stderr = ''
  const stop = () => child.kill('SIGKILL')
  run.signal.addEventListener('abort', stop, { once: true })
  child.stdout.on('data', (chunk: Buffer) => {
    for (const record of records.push(chunk)) {
      if (stopped) return
      if (run.onRecord(record)) continue
      stopped = true
      stop()
    }
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    if (stderr.length < 8000) stderr += chunk
  })
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (exit) => resolve(exit))
    })
    if (run.signal.aborted && !stopped) throw interrupted()
    if (!stopped && code === null) throw new ToolFailure('The search program was killed from outside. Try again.')
    return { code: stopped ? null : code, stderr: stderr.slice(0, 8000), tooLong: records.tooLong }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new ToolFailure(
      'The search program ripgrep (rg) is missing: neither the packaged one nor one on the PATH was found. ' +
        'Ask the user to reinstall or to install ripgrep; until then search with bash and grep or find.',
    )
  } finally {
    run.signal.removeEventListener('abort', stop)
  }
}

/** The packaged program, or the system's where the package has none for this platform. */
async function ripgrepPath(): Promise<string> {
  try {
    const { rgPath } = await import('@vscode/ripgrep')
    return existsSync(rgPath) ? rgPath : 'rg'
  } catch {
    return 'rg'
  }
}

function interrupted(): ToolFailure {
  return new ToolFailure('The search was interrupted before it ended.', 'USER_ABORTED')
}

/** Cuts a stream of chunks into records; what does not end with the separator is never handed out. */
function recordSplitter(separator: number, longest: number): { push(chunk: Buffer): Buffer[]; tooLong: number } {
  let parts: Buffer[] = []
  let held = 0
  const splitter = {
    tooLong: 0,
    push(chunk: Buffer): Buffer[] {
      const records: Buffer[] = []
      for (let from = 0; from < chunk.length; ) {
        const at = chunk.indexOf(separator, from)
        const part = chunk.subarray(from, at < 0 ? chunk.length : at)
        held += part.length
        if (held <= longest) parts.push(part)
        else parts = []
        if (at < 0) break
        if (held <= longest) records.push(parts.length === 1 ? part : Buffer.concat(parts, held))
        else splitter.tooLong++
        parts = []
        held = 0
        from = at + 1
      }
      return records
    },
  }
  return splitter
}
