/** Runs a program that the person has chosen with a variable such as $EDITOR, on the terminal that was lent to it. */
import { type StdioOptions, spawn } from 'node:child_process'

export type ChosenProgram = {
  /** A command line by convention (`code --wait`), so a shell reads it. */
  line: string
  /** Handed over as one word behind it, whatever stands in it. */
  file?: string
  /** A file that is open for reading; default: the terminal. */
  stdin?: number
  env: NodeJS.ProcessEnv
}

/** What it ended with; a `problem` is what happened when it could not be started at all. */
export type ProgramEnd = { code: number | null; signal: NodeJS.Signals | null } | { problem: string }

export function runChosen({ line, file, stdin, env }: ChosenProgram): Promise<ProgramEnd> {
  const stdio = [stdin ?? 'inherit', 'inherit', 'inherit'] satisfies StdioOptions
  return new Promise((resolve) => {
    const child =
      process.platform === 'win32'
        ? spawn(file === undefined ? line : `${line} "${file}"`, { stdio, shell: true, env })
        : spawn('/bin/sh', file === undefined ? ['-c', line] : ['-c', `${line} "$1"`, 'sh', file], { stdio, env })
    child.once('error', (error) => resolve({ problem: `could not be started (${error.message})` }))
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
}

/** Null when it ended well, otherwise what happened, to be written behind its name. */
export function failureOf(end: ProgramEnd): string | null {
  if ('problem' in end) return end.problem
  if (end.code === 0) return null
  if (end.code === 127) return 'was not found'
  return end.signal === null ? `ended with code ${end.code}` : `was ended by ${end.signal}`
}
