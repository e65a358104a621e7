/** Instruction files: AGENTS.md of the person and, in a trusted folder, of the project from its root down to here. */
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import type { ContextSection, ContextSource } from '../../ports/index.ts'
import type { Omitted } from '../../protocol/index.ts'

export type InstructionOptions = {
  /** The person's own file, e.g. `$SLUICE_HOME/AGENTS.md`. */
  userFile: string
  /** Asked for each turn; false: nothing from the project is read (law 8). */
  trusted(): boolean
}

/** In each folder the first of these that exists counts. */
export const instructionNames = ['AGENTS.md', 'CLAUDE.md'] as const
const maxBytes = 64 * 1024

export function createInstructions(options: InstructionOptions): ContextSource {
  return {
    name: 'instructions',
    async load({ cwd }) {
      const sections: ContextSection[] = []
      const omitted: Omitted[] = []
      const add = (path: string, name: string) => {
        const content = readInstructions(path)
        if (content !== undefined) sections.push({ name, kind: 'instructions', content })
      }
      add(options.userFile, 'AGENTS.md of the person')
      for (const path of options.trusted() ? projectInstructionFiles(cwd) : []) {
        const outside = outsideTarget(path, cwd)
        if (outside === undefined) add(path, relative(cwd, path))
        else omitted.push({ what: relative(cwd, path), reason: `it is a link out of the project, to ${outside}` })
      }
      return { sections, omitted }
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

/**
 * Where an instruction file really lies when that is outside of the project: a cloned link could send any file of the
 * person to the model. Undefined when all is well.
 */
export function outsideTarget(path: string, cwd: string): string | undefined {
  try {
    const root = realpathSync(repositoryRoot(cwd) ?? cwd)
    const real = realpathSync(path)
    return real.startsWith(root.endsWith(sep) ? root : root + sep) ? undefined : real
  } catch {
    return undefined
  }
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
