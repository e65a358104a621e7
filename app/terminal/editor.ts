/** Edits a text in the person's own editor, on a private file that is gone afterwards. */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Lend } from './suspend.ts'

export type EditorResult = { ok: true; text: string } | { ok: false; problem: string }

export type EditorOptions = {
  /** Runs the editor while the terminal is lent to it. */
  lend: Lend
  env: NodeJS.ProcessEnv
  /** File name in the private folder: its ending tells editors the language. Default `prompt.md`. */
  name?: string
}

/** The text after the editor was left, without its last line break. A failing editor leaves the text alone. */
export async function editText(text: string, options: EditorOptions): Promise<EditorResult> {
  const editor = editorOf(options.env)
  const folder = await mkdtemp(join(tmpdir(), 'sluice-edit-'))
  try {
    const file = join(folder, options.name ?? 'prompt.md')
    await writeFile(file, text, { mode: 0o600 })
    const failure = await options.lend(() => runEditor(editor, file, options.env))
    if (failure !== null) return { ok: false, problem: `${editor} ${failure}; the text is unchanged. Set $EDITOR.` }
    return { ok: true, text: (await readFile(file, 'utf8')).replace(/\r?\n$/, '') }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { ok: false, problem: `the text could not be edited: ${reason}` }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** `$VISUAL`, else `$EDITOR`, else what every system has. */
export function editorOf(env: NodeJS.ProcessEnv): string {
  for (const value of [env.VISUAL, env.EDITOR]) if (value !== undefined && value.trim() !== '') return value
  return process.platform === 'win32' ? 'notepad' : 'vi'
}

/** Null when it ended well, otherwise what happened. */
function runEditor(editor: string, file: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  return new Promise((resolve) => {
    // The variable is a command line by convention (`code --wait`), so a shell reads it; the file name is not part of it.
    const child =
      process.platform === 'win32'
        ? spawn(`${editor} "${file}"`, { stdio: 'inherit', shell: true, env })
        : spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit', env })
    child.once('error', (error) => resolve(`could not be started (${error.message})`))
    child.once('close', (code, signal) => {
      if (code === 0) resolve(null)
      else if (code === 127) resolve('was not found')
      else resolve(signal === null ? `ended with code ${code}` : `was ended by ${signal}`)
    })
  })
}
