/** Finds files of a workspace that a sandboxed command must not read or change, with one run of ripgrep. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { type Guarded, protectedNames } from '../../permission/protected-paths.ts'
import { ToolFailure } from '../../ports/index.ts'

/**
 * Absolute paths of environment files, of files that programs obey, and of the folders of such files; of nested
 * repositories their hooks and config. Not below `node_modules`. Rejects with a ToolFailure when the search fails, since
 * nothing may run without what it would have found.
 */
export async function findGuardedFiles(options: {
  place: Guarded
  ripgrep: string
  signal: AbortSignal
}): Promise<string[]> {
  const { cwd } = options.place
  const files = await listFiles(options.ripgrep, cwd, options.signal)
  const found = new Set<string>()
  for (const file of files) found.add(join(cwd, guardedPart(file)))
  return [...found]
}

const { folders, files } = protectedNames()
/** Guarded folders that commands may well change although an edit of them asks: git's own data, what package managers keep. */
export const leftToCommands: ReadonlySet<string> = new Set(
  '.git .hg .svn .cargo .bundle .yarn .mvn .direnv .mise .asdf'.split(' '),
)
const guardedFolders = new Set(folders.filter((name) => !leftToCommands.has(name)))
const environmentFiles = ['.env', '.env.*', '.env-*', '.env_*', '.envrc', '*.env']

const searchArguments = [
  '--files',
  '--hidden',
  // No file of the workspace decides what is found.
  '--no-ignore',
  '--no-config',
  '--no-messages',
  '--null',
  ...[...environmentFiles, ...files, ...[...guardedFolders].map((name) => `**/${name}/**`)].flatMap((glob) => [
    '--iglob',
    glob,
  ]),
  ...['**/.git/HEAD', '**/.git/config'].flatMap((glob) => ['--glob', glob]),
  '--glob',
  '!**/node_modules',
]

/** The folder rather than each file in it; of a repository, known by its HEAD, the hooks before there are any. */
function guardedPart(file: string): string {
  const names = file.split('/')
  for (let i = 0; i < names.length - 1; i++) {
    if (guardedFolders.has((names[i] ?? '').toLowerCase())) return names.slice(0, i + 1).join('/')
  }
  return /(^|\/)\.git\/HEAD$/.test(file) ? `${file.slice(0, -'HEAD'.length)}hooks` : file
}

function listFiles(ripgrep: string, cwd: string, signal: AbortSignal): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(ripgrep, searchArguments, { cwd, stdio: ['ignore', 'pipe', 'ignore'], signal })
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.on('error', (error) => reject(notSearched(signal.aborted ? 'it was interrupted' : error.message)))
    child.on('close', (code) => {
      // 1: nothing found; 2: something could not be read, which the command cannot read either.
      if (code === null) return reject(notSearched('the search was ended from outside'))
      resolve(
        Buffer.concat(chunks)
          .toString('utf8')
          .split('\0')
          .filter((path) => path !== '')
          .map((path) => path.replace(/^\.\//, '')),
      )
    })
  })
}

function notSearched(why: string): ToolFailure {
  return new ToolFailure(
    `The workspace could not be searched for files that the sandbox must guard: ${why}. The command was not run.`,
  )
}
