/** The modules that exist only in a build: the demo's files and the version, for esbuild and vitest alike. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { Plugin as EsbuildPlugin } from 'esbuild'
import type { Plugin as VitePlugin } from 'vite'

export const virtualNames = ['sluice:demo', 'sluice:version'] as const
export type VirtualName = (typeof virtualNames)[number]

/** The source text of one virtual module of the checkout at `root`, and the files it was made from. */
export function virtualModule(root: string, name: VirtualName): { contents: string; files: string[] } {
  if (name === 'sluice:version') {
    const file = join(root, 'app', 'package.json')
    const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string }
    return { contents: `export const version = ${JSON.stringify(version)}\n`, files: [file] }
  }
  const scripts = textsBelow(join(root, 'fixtures', 'scripts'), (path) => /^[^/]+\.json$/.test(path))
  const workspace = textsBelow(join(root, 'fixtures', 'workspaces', 'demo'), () => true)
  const byName = scripts.map((file): TextFile => ({ ...file, path: file.path.replace(/\.json$/, '') }))
  return {
    contents: `export const scripts = ${record(byName)}\nexport const demoWorkspace = ${record(workspace)}\n`,
    files: [...scripts, ...workspace].map((file) => file.absolute),
  }
}

export function virtualModulesForEsbuild(root: string): EsbuildPlugin {
  return {
    name: 'sluice-virtual-modules',
    setup(build) {
      build.onResolve({ filter: /^sluice:/ }, ({ path, importer }) =>
        isVirtual(path)
          ? // The version is one line, copied to where it is used: shared, it would be a chunk of its own.
            { path, namespace: 'sluice', suffix: path === 'sluice:version' ? `?${importer}` : '', sideEffects: false }
          : { errors: [{ text: `There is no module "${path}"; the build makes ${virtualNames.join(' and ')}.` }] },
      )
      build.onLoad({ filter: /.*/, namespace: 'sluice' }, ({ path }) => {
        try {
          const { contents, files } = virtualModule(root, path as VirtualName)
          return { contents, loader: 'js', watchFiles: files }
        } catch (error) {
          return { errors: [{ text: error instanceof Error ? error.message : String(error) }] }
        }
      })
    },
  }
}

export function virtualModulesForVite(root: string): VitePlugin {
  return {
    name: 'sluice-virtual-modules',
    enforce: 'pre',
    resolveId: (id) => (isVirtual(id) ? `\0${id}` : undefined),
    load(id) {
      const name = id.replace(/^\0/, '')
      if (id === name || !isVirtual(name)) return undefined
      const { contents, files } = virtualModule(root, name)
      for (const file of files) this.addWatchFile(file)
      return contents
    },
  }
}

type TextFile = { path: string; absolute: string; text: string }

function isVirtual(id: string): id is VirtualName {
  return (virtualNames as readonly string[]).includes(id)
}

/** Files below `folder` in a fixed order; an empty or missing folder is an error, since the demo would be empty. */
function textsBelow(folder: string, wanted: (path: string) => boolean): TextFile[] {
  let entries: string[] = []
  try {
    entries = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const files = entries
    .map((absolute) => ({ absolute, path: relative(folder, absolute).split(sep).join('/') }))
    .filter((file) => wanted(file.path))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
  if (files.length === 0) throw new Error(`The demo is made from the files in ${folder}, and there are none.`)
  return files.map((file) => ({ ...file, text: readFileSync(file.absolute, 'utf8') }))
}

function record(files: TextFile[]): string {
  return JSON.stringify(Object.fromEntries(files.map((file) => [file.path, file.text])), null, 1)
}
