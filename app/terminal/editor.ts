/** Edits a text in the person's own editor, on a private file that is gone afterwards. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { failureOf, runChosen } from './chosen-program.ts'
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
    const failure = failureOf(await options.lend(() => runChosen({ line: editor, file, env: options.env })))
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
