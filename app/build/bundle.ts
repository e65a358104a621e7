/** The esbuild run: a split ESM bundle, moved into place so that sessions that are running keep their chunks. */
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, type Message } from 'esbuild'
import { startFast } from './start-fast.ts'
import { virtualModulesForEsbuild } from './virtual.ts'

export type BundleOptions = {
  /** The checkout. */
  root: string
  /** Default `app/main.tsx`; the output is named `main.js` whatever it is. */
  entry?: string
  /** Default `app/dist`. */
  outdir?: string
}
export type Bundled = { bytes: number; chunks: number }

/** Chunks that no build writes any more stay this long for sessions that may still load them. */
const keepOldChunksMs = 24 * 60 * 60 * 1000

/** Builds and puts the result in place, `main.js` last; throws an Error whose message is for people. */
export async function bundle(options: BundleOptions): Promise<Bundled> {
  const { root } = options
  const outdir = options.outdir ?? join(root, 'app', 'dist')
  // The stamp gets the time before the first source was read, so that a change during the build is noticed.
  const started = new Date()
  mkdirSync(outdir, { recursive: true })
  const staging = mkdtempSync(join(outdir, '.building-'))
  try {
    const outputs = await run(root, options.entry ?? join(root, 'app', 'main.tsx'), staging)
    moveIntoPlace(staging, outdir)
    forgetOldChunks(outdir, new Set(readdirNames(outputs)))
    const stamp = join(outdir, '.stamp')
    writeFileSync(stamp, `${started.toISOString()} node ${process.versions.node}\n`)
    utimesSync(stamp, started, started)
    const scripts = Object.entries(outputs).filter(([file]) => file.endsWith('.js'))
    return { bytes: scripts.reduce((sum, [, output]) => sum + output.bytes, 0), chunks: scripts.length }
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}

type Outputs = Record<string, { bytes: number }>

async function run(root: string, entry: string, outdir: string): Promise<Outputs> {
  try {
    const result = await build({
      absWorkingDir: root,
      entryPoints: { main: entry },
      outdir,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node22',
      jsx: 'automatic',
      minify: true,
      sourcemap: 'linked',
      sourcesContent: false,
      legalComments: 'none',
      entryNames: '[name]',
      chunkNames: 'chunk-[hash]',
      metafile: true,
      logLevel: 'silent',
      external: ['@vscode/ripgrep'],
      // Set here and not in the environment of the process: the commands that the agent runs would inherit it.
      define: { 'process.env.NODE_ENV': '"production"' },
      banner: {
        js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
      },
      plugins: [virtualModulesForEsbuild(root), startFast()],
    })
    return result.metafile.outputs
  } catch (error) {
    const messages = (error as { errors?: Message[] }).errors
    throw messages ? new Error(messages.map(sentence).join('\n')) : error
  }
}

function sentence({ text, location }: Message): string {
  if (!location) return text
  return `${location.file}:${location.line}:${location.column + 1}: ${text}\n    ${location.lineText.trim()}`
}

/** Chunks first: at any moment the `main.js` that is there finds everything it names. */
function moveIntoPlace(from: string, to: string) {
  const names = readdirSync(from)
  const last = (name: string) => Number(name.startsWith('main.js'))
  for (const name of names.sort((a, b) => last(a) - last(b))) renameSync(join(from, name), join(to, name))
}

function forgetOldChunks(outdir: string, current: Set<string>) {
  const oldest = Date.now() - keepOldChunksMs
  for (const name of readdirSync(outdir)) {
    const path = join(outdir, name)
    const leftover = /^chunk-.*\.js(\.map)?$/.test(name) ? !current.has(name) : name.startsWith('.building-')
    if (leftover && statSync(path).mtimeMs < oldest) rmSync(path, { recursive: true, force: true })
  }
}

function readdirNames(outputs: Outputs): string[] {
  return Object.keys(outputs).map((file) => file.slice(file.lastIndexOf('/') + 1))
}
