/** esbuild plugin: takes from Node's own modules just what is used, and the slow ones only once something is called. */
import { builtinModules, createRequire } from 'node:module'
import type { Plugin } from 'esbuild'

/**
 * Loading these takes long, and the first frame does without them. Their exports are proxies that load on first use.
 */
const late = new Set(['assert', 'child_process', 'crypto', 'dns', 'http', 'https', 'worker_threads', 'zlib'])

/**
 * An ESM import of a built-in module reads each of its exports, getters too: `node:process` opens three streams,
 * `node:crypto` loads WebCrypto, all for one name. `process.getBuiltinModule` reads nothing.
 */
export function leanBuiltins(): Plugin {
  const names = new Set(builtinModules)
  return {
    name: 'sluice-lean-builtins',
    setup(build) {
      build.onResolve({ filter: /^(node:)?[a-z_]+(\/[a-z_]+)?$/ }, ({ path, kind, importer }) => {
        const name = path.replace(/^node:/, '')
        if (!names.has(name) && !names.has(path)) return undefined
        const required = kind === 'require-call' || kind === 'require-resolve'
        if (required && !late.has(name)) return { path, external: true }
        const namespace = required ? 'sluice-builtin-required' : 'sluice-builtin'
        // A copy of its few lines for each importer: a shared one would be a chunk, and finding a file costs more.
        return { path: name, namespace, suffix: `?${importer}`, sideEffects: false }
      })
      build.onLoad({ filter: /.*/, namespace: 'sluice-builtin-required' }, ({ path }) => ({
        contents: `${lateBegins(path)}\nmodule.exports = late(builtin)\n`,
        loader: 'js',
      }))
      build.onLoad({ filter: /.*/, namespace: 'sluice-builtin' }, ({ path }) => ({
        contents: late.has(path) ? lateModule(path) : pickedModule(path),
        loader: 'js',
      }))
    },
  }
}

/** What takes the place of `require` in the bundle's chunks; costs nothing until it is called. */
export const requireBanner =
  "const require = (id) => process.getBuiltinModule(id) ?? process.getBuiltinModule('node:module').createRequire(import.meta.url)(id);"

/** Unused picks are dropped by the bundler, since a call that is marked pure has no effects. */
function pickedModule(name: string): string {
  return `const builtin = /* @__PURE__ */ process.getBuiltinModule('node:${name}')
const pick = (key) => builtin[key]
${exportsOf(name)
  .map(({ key }) => `export const ${key} = /* @__PURE__ */ pick('${key}')`)
  .join('\n')}
export default builtin
`
}

function lateModule(name: string): string {
  const lines = exportsOf(name).map(({ key, type }) =>
    type === 'function'
      ? `export const ${key} = /* @__PURE__ */ late(() => pick('${key}'))`
      : `export const ${key} = /* @__PURE__ */ pick('${key}')`,
  )
  return `${lateBegins(name)}
${lines.join('\n')}
export default /* @__PURE__ */ late(builtin)
`
}

function lateBegins(name: string): string {
  return `let loaded
const builtin = () => (loaded ??= process.getBuiltinModule('node:${name}'))
const pick = (key) => builtin()[key]
const late = (real) => {
  // A bound function: it can be called and constructed, and has no property of its own that a proxy must keep.
  const proxy = new Proxy((function () {}).bind(), {
    apply: (_, self, args) => Reflect.apply(real(), self, args),
    construct: (_, args, made) => Reflect.construct(real(), args, made === proxy ? real() : made),
    get: (_, key) => real()[key],
    has: (_, key) => key in real(),
  })
  return proxy
}`
}

function exportsOf(name: string): { key: string; type: string }[] {
  const exported = load(name) as Record<string, unknown>
  return Object.keys(exported)
    .filter((key) => /^[A-Za-z_$][\w$]*$/.test(key) && !reserved.has(key))
    .map((key) => ({ key, type: typeof exported[key] }))
}

const reserved = new Set(['default', 'delete', 'import', 'new', 'builtin', 'loaded', 'pick', 'late'])

function load(name: string): unknown {
  return createRequire(import.meta.url)(`node:${name}`)
}
