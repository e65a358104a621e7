/** esbuild plugin: what of the libraries would slow the first frame is replaced in the bundle, never in node_modules. */
import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'

/** One library file and the rewrite of its text; the rewrite throws when the text is not the one it was made for. */
export type LibraryPatch = { library: string; file: RegExp; rewrite(source: string): string }

/**
 * Characters that are one column wide alone and never join a neighbour of this set into a wider cluster: Latin,
 * punctuation, arrows, box drawing, blocks and the marks the app draws. Anything else takes the library's slow road.
 */
export const oneColumn =
  '\\u0020-\\u007e\\u00a1-\\u00ac\\u00ae-\\u024f\\u2010-\\u2015\\u2018-\\u2027\\u2030-\\u205e\\u20ac\\u2190-\\u22ff\\u2500-\\u25fc\\u2605\\u2606\\u2713\\u2717\\u276f'

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

export const libraryPatches: readonly LibraryPatch[] = [stringWidthPatch, yogaPatch]

/** Applies the patches; the build fails when a library changed, or when one that is expected never came by. */
export function startFast(patches: readonly LibraryPatch[] = libraryPatches): Plugin {
  return {
    name: 'sluice-start-fast',
    setup(build) {
      const seen = new Map<string, string>()
      for (const patch of patches) {
        build.onLoad({ filter: patch.file }, async ({ path }) => {
          seen.set(patch.library, path)
          try {
            return { contents: patch.rewrite(await readFile(path, 'utf8')), loader: 'js' }
          } catch (error) {
            return { errors: [{ text: changed(patch.library, path, error) }] }
          }
        })
      }
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
