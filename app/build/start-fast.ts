/** esbuild plugin: what of the libraries would slow the first frame is replaced in the bundle, never in node_modules. */
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { Loader, Plugin } from 'esbuild'
import { oneColumn } from './one-column.ts'

/** One library file and the rewrite of its text; the rewrite throws when the text is not the one it was made for. */
export type LibraryPatch = { library: string; file: RegExp; rewrite(source: string): string }

const asciiTest = '/^[\\u0020-\\u007E]*$/.test(string)'
const emojiPattern = 'const rgiEmojiRegex = /^\\p{RGI_Emoji}$/v;'
const emojiUse = 'rgiEmojiRegex.test(segment)'
const wasmText = /data:application\/octet-stream;base64,([A-Za-z0-9+/=]{1000,})/
const yogaStart = 'loadYoga = loadYoga || {};'

/** Compiling `\p{RGI_Emoji}` takes 35 ms and box drawing alone would cause it. */
export const stringWidthPatch: LibraryPatch = {
  library: 'string-width',
  file: /[\\/]string-width[\\/]index\.js$/,
  rewrite(source) {
    const fast = replaceOnce(
      source,
      asciiTest,
      `(ambiguousIsNarrow ? /^[${oneColumn}]*$/ : /^[\\u0020-\\u007E]*$/).test(string)`,
    )
    const lazy = replaceOnce(
      fast,
      emojiPattern,
      'let compiledEmoji; const isEmoji = (segment) => (compiledEmoji ??= new RegExp("^\\\\p{RGI_Emoji}$", "v")).test(segment);',
    )
    return replaceOnce(lazy, emojiUse, 'isEmoji(segment)')
  },
}

/** Yoga fetches its own bytes from a data URL, which loads the whole of undici; the bytes are handed over instead. */
export const yogaPatch: LibraryPatch = {
  library: 'yoga-layout',
  file: /[\\/]yoga-layout[\\/]dist[\\/]binaries[\\/]yoga-wasm-base64-esm\.js$/,
  rewrite(source) {
    const encoded = wasmText.exec(source)?.[1]
    if (!encoded) throw new Error('the wasm as a base64 data URL')
    const without = replaceOnce(source, encoded, '')
    const handed = replaceOnce(
      without,
      yogaStart,
      'loadYoga = loadYoga || {}; loadYoga.wasmBinary = loadYoga.wasmBinary || bytes;',
    )
    return `import bytes from ${JSON.stringify(`sluice-wasm:${encoded}`)};\n${handed}`
  },
}

const sanitizeStart = 'const sanitizeAnsi = (text) => {'

/** Ink cleans every text node twice a frame, nearly always the ones of the frame before: what came of it is remembered. */
export const sanitizePatch: LibraryPatch = {
  library: 'ink',
  file: /[\\/]ink[\\/]build[\\/]sanitize-ansi\.js$/,
  rewrite(source) {
    const remembered = `const cleaned = new Map();
const sanitizeAnsi = (text) => {
    if (!/[\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f]/.test(text)) return text;
    const known = cleaned.get(text);
    if (known !== undefined) return known;
    const clean = cleanWhole(text);
    if (cleaned.size >= 4000) cleaned.clear();
    cleaned.set(text, clean);
    return clean;
};
const cleanWhole = (text) => {`
    return replaceOnce(source, sanitizeStart, remembered)
  },
}

/** Ink splits every text of a frame into styled cells, twice where a box cuts them; few rows of a frame need that. */
export const outputPatch: LibraryPatch = {
  library: 'ink',
  file: /[\\/]ink[\\/]build[\\/]output\.js$/,
  rewrite(source) {
    const rows = replaceOnce(
      source,
      'const row = [];',
      'if (joined[y] !== undefined) { output.push(undefined); continue; }\n            const row = [];',
    )
    const planned = replaceOnce(
      rows,
      'const output = [];',
      'const joined = joinedRows(this.operations, this.width, this.height, intersectClips);\n        const output = [];',
    )
    const written = replaceOnce(
      planned,
      'for (const operation of this.operations) {',
      'for (const operation of joined.includes(undefined) ? this.operations : []) {',
    )
    const spared = replaceOnce(
      written,
      'const { text, transformers } = operation;',
      'const { text, transformers } = operation;\n        if (!needsCells(operation, output)) return;',
    )
    const done = replaceOnce(
      spared,
      '.map(line => {\n            // See',
      '.map((line, y) => {\n            if (joined[y] !== undefined) return joined[y];\n            // See',
    )
    return `${done}\nimport { joinedRows, needsCells } from ${JSON.stringify(joinedRowsFile)}\n`
  },
}

export const libraryPatches: readonly LibraryPatch[] = [stringWidthPatch, yogaPatch, sanitizePatch, outputPatch]

/** Files that may split text into characters: what Ink measures and paints with, and our own. */
const splitsText =
  /[\\/]node_modules[\\/](ink|string-width|slice-ansi|wrap-ansi|cli-truncate|@alcalzone[\\/]ansi-tokenize)[\\/].*\.js$|[\\/](permissions-ui|app)[\\/].*\.tsx?$/

/** Applies the patches; the build fails when a library changed, or when one that is expected never came by. */
export function startFast(patches: readonly LibraryPatch[] = libraryPatches): Plugin {
  return {
    name: 'sluice-start-fast',
    setup(build) {
      const seen = new Set<string>()
      const filter = new RegExp(
        [splitsText, ...patches.map((patch) => patch.file)].map(({ source }) => source).join('|'),
      )
      build.onLoad({ filter }, async ({ path }) => {
        const original = await readFile(path, 'utf8')
        let contents = original
        for (const patch of patches.filter(({ file }) => file.test(path))) {
          seen.add(patch.library)
          try {
            contents = patch.rewrite(contents)
          } catch (error) {
            return { errors: [{ text: changed(patch.library, path, error) }] }
          }
        }
        if (splitsText.test(path) && path !== fastSegmenter) contents = withFastSegmenter(contents)
        return contents === original ? undefined : { contents, loader: loaders[extname(path)] ?? 'js' }
      })
      build.onResolve({ filter: /^sluice-wasm:/ }, ({ path }) => ({ path, namespace: 'sluice-wasm' }))
      build.onLoad({ filter: /.*/, namespace: 'sluice-wasm' }, ({ path }) => ({
        contents: Buffer.from(path.slice('sluice-wasm:'.length), 'base64'),
        loader: 'binary',
      }))
      // Ink names the package for developers who have it; in a bundle the name would be resolved at every start.
      build.onResolve({ filter: /^react-devtools-core$/ }, ({ path }) => ({ path, namespace: 'sluice-absent' }))
      build.onLoad({ filter: /.*/, namespace: 'sluice-absent' }, () => ({
        contents: 'export default { initialize() {}, connectToDevTools() {} }\n',
        loader: 'js',
      }))
      build.onEnd((result) => {
        if (result.errors.length > 0) return
        const missing = patches.filter((patch) => !seen.has(patch.library))
        return { errors: missing.map((patch) => ({ text: neverCame(patch) })) }
      })
    },
  }
}

const joinedRowsFile = join(import.meta.dirname, 'joined-rows.ts')
const fastSegmenter = join(import.meta.dirname, 'fast-segmenter.ts')
const loaders: Record<string, Loader> = { '.ts': 'ts', '.tsx': 'tsx' }

function withFastSegmenter(source: string): string {
  const fast = source.replaceAll('new Intl.Segmenter(', 'new FastSegmenter(')
  if (fast === source) return source
  // At the end, so that lines keep their numbers; imports count from the beginning all the same.
  return `${fast}\nimport { FastSegmenter } from ${JSON.stringify(fastSegmenter)}\n`
}

function replaceOnce(source: string, what: string, by: string): string {
  const parts = source.split(what)
  if (parts.length !== 2) throw new Error(`\`${what.slice(0, 80)}\` ${parts.length - 1} times instead of once`)
  return parts.join(by)
}

function changed(library: string, path: string, error: unknown): string {
  const found = error instanceof Error ? error.message : String(error)
  return `${library} is not the version that app/build/start-fast.ts was written for: ${path} should hold ${found}. Look at the new source, adapt the patch and pin the version.`
}

function neverCame(patch: LibraryPatch): string {
  return `${patch.library} is no longer part of the bundle as ${patch.file.source}; take its patch out of app/build/start-fast.ts or point it at the new file.`
}
