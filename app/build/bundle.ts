/** The esbuild run: a split ESM bundle, moved into place so that sessions that are running keep their chunks. */
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build, type Message, type Metafile } from 'esbuild'
import { leanBuiltins, requireBanner } from './lean-builtins.ts'
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
/** `outputs` is esbuild's record of what each chunk was made of and imports. */
export type Bundled = { bytes: number; chunks: number; outputs: Metafile['outputs'] }

/** The source files that are loaded at once with the chunk that `entry` (a path of the checkout) begins. */
export function loadedWith(outputs: Metafile['outputs'], entry: string): string[] {
  const first = Object.keys(outputs).find((chunk) => outputs[chunk]?.entryPoint === entry)
  if (!first) throw new Error(`No chunk begins with ${entry}.`)
  const seen = new Set([first])
  for (const chunk of seen)
    for (const { path, kind } of outputs[chunk]?.imports ?? [])
      if (kind === 'import-statement' && path in outputs) seen.add(path)
  return [...new Set([...seen].flatMap((chunk) => Object.keys(outputs[chunk]?.inputs ?? {})))].sort()
}

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
    const stamp = join(outdir, '.stamp')
    const before = modified(stamp)
    moveIntoPlace(staging, outdir)
    forgetOldChunks(outdir, new Set(Object.keys(outputs).map((file) => basename(file))), before, started)
    // What V8 compiled of the old chunks is of no use any more.
    rmSync(join(outdir, '.cache'), { recursive: true, force: true })
    writeFileSync(stamp, `${started.toISOString()} node ${process.versions.node}\n`)
    utimesSync(stamp, started, started)
    const scripts = Object.entries(outputs).filter(([file]) => file.endsWith('.js'))
    return { bytes: scripts.reduce((sum, [, output]) => sum + output.bytes, 0), chunks: scripts.length, outputs }
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}

async function run(root: string, entry: string, outdir: string): Promise<Metafile['outputs']> {
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
      // Node 22 has both; without this, Ink's literals would become a `new RegExp` for each character it paints.
      supported: { 'regexp-set-notation': true, 'regexp-unicode-property-escapes': true },
      // esbuild cannot see through the UMD wrappers that some packages have as their main file.
      mainFields: ['module', 'main'],
      jsx: 'automatic',
      minify: true,
      sourcemap: 'linked',
      sourcesContent: false,
      legalComments: 'none',
      entryNames: '[name]',
      chunkNames: 'chunk-[hash]',
      metafile: true,
      logLevel: 'silent',
      external: ['@vscode/ripgrep', '@anthropic-ai/sandbox-runtime'],
      // Set here and not in the environment of the process: the commands that the agent runs would inherit it.
      define: { 'process.env.NODE_ENV': '"production"' },
      banner: { js: requireBanner },
      plugins: [virtualModulesForEsbuild(root), startFast(), leanBuiltins()],
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

/**
 * Removes what has not been current for a day. A chunk that was current until now has a time after the last stamp; it
 * gets one just before the new stamp, from which its day counts.
 */
function forgetOldChunks(outdir: string, current: Set<string>, lastStamp: number, started: Date) {
  const retired = new Date(started.getTime() - 1)
  for (const name of readdirSync(outdir)) {
    const path = join(outdir, name)
    const leftover = /^chunk-.*\.js(\.map)?$/.test(name) ? !current.has(name) : name.startsWith('.building-')
    if (!leftover) continue
    const since = modified(path)
    if (since < started.getTime() - keepOldChunksMs && since < lastStamp) rmSync(path, { recursive: true, force: true })
    else if (since >= lastStamp) utimesSync(path, retired, retired)
  }
}

function modified(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
