/** Instruction files: AGENTS.md of the person and, in a trusted folder, of the project from its root down to here. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { ContextSection, ContextSource } from '../../ports/index.ts'

export type InstructionOptions = {
  /** The person's own file, e.g. `$SLUICE_HOME/AGENTS.md`. */
  userFile: string
  /** False: nothing from the project is read (law 8). */
  trusted: boolean
}

/** In each folder the first of these that exists counts. */
export const instructionNames = ['AGENTS.md', 'CLAUDE.md'] as const
const maxBytes = 64 * 1024

export function createInstructions(options: InstructionOptions): ContextSource {
  return {
    name: 'instructions',
    async load({ cwd }) {
      const sections: ContextSection[] = []
      const add = (path: string, name: string) => {
        const content = readInstructions(path)
        if (content !== undefined) sections.push({ name, kind: 'instructions', content })
      }
      add(options.userFile, 'AGENTS.md of the person')
      if (options.trusted) for (const path of projectInstructionFiles(cwd)) add(path, relative(cwd, path))
      return { sections }
    },
  }
}

/** Existing instruction files from the repository's root down to `cwd`, outermost first. */
export function projectInstructionFiles(cwd: string): string[] {
  const folders = [cwd]
  const root = repositoryRoot(cwd)
  for (let folder = cwd; root !== undefined && folder !== root; ) {
    folder = dirname(folder)
    folders.unshift(folder)
  }
  return folders.flatMap((folder) => {
    const found = instructionNames.map((name) => join(folder, name)).find((path) => existsSync(path))
    return found === undefined ? [] : [found]
  })
}

function repositoryRoot(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder
    if (dirname(folder) === folder) return undefined
  }
}

function readInstructions(path: string): string | undefined {
  try {
    if (!statSync(path).isFile()) return undefined
    const bytes = readFileSync(path)
    const text = bytes.subarray(0, maxBytes).toString('utf8').trim()
    if (text === '') return undefined
    return bytes.length > maxBytes ? `${text}\n[cut after ${maxBytes} bytes]` : text
  } catch {
    return undefined
  }
}
