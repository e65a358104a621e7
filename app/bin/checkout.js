/** What the launcher knows of a checkout: whether this is one, what is missing in it, and which Node it brings. */

// As in sluice.js: an import statement of a built-in module would cost every start some milliseconds.
const builtin = async (name) => process.getBuiltinModule?.(name) ?? (await import(name)).default
const { existsSync, readdirSync, readFileSync, statSync } = await builtin('node:fs')
const { delimiter, dirname, join } = await builtin('node:path')

export const wantedNode = '22.16'

/** Whether a version such as `22.16.0` is enough; FTS5 came to node:sqlite with 22.16. */
export function nodeIsNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 22 || (major === 22 && minor >= 16)
}

/** `root` when it is the folder of sluice's own repository, else null. */
export function checkoutAt(root) {
  try {
    return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).name === 'sluice-workspace' ? root : null
  } catch {
    return null
  }
}

/** The Node that the checkout's packages bring, or null; runs even where the machine's own is too old. */
export function ownNode(root) {
  const path = join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node')
  return existsSync(path) ? path : null
}

/** In this order: `packages` (not installed, or older than the lockfile), `bundle` (not built, or older than a source). */
export function whatIsMissing(root) {
  const missing = []
  const installed = modified(join(root, 'node_modules', '.package-lock.json'))
  if (installed === 0 || installed < modified(join(root, 'package-lock.json'))) missing.push('packages')
  else if (!nodeIsNewEnough(process.versions.node) && !ownNode(root)) missing.push('packages')

  const built = existsSync(join(root, 'app', 'dist', 'main.js')) ? modified(join(root, 'app', 'dist', '.stamp')) : 0
  if (missing.length > 0 || built < installed || sources.some((path) => newerBelow(join(root, path), built)))
    missing.push('bundle')
  return missing
}

/** Everything that ends in the bundle. */
const sources = ['engine', 'tools', 'permissions-ui', 'app', 'fixtures/scripts', 'fixtures/workspaces/demo']
const notSources = new Set(['node_modules', 'dist', 'bin'])

/** Written for speed, since it runs at every start: names without a dot are taken for folders first. */
function newerBelow(folder, time) {
  let names
  try {
    names = readdirSync(folder)
  } catch (error) {
    return error.code === 'ENOTDIR' && modified(folder) > time
  }
  return names.some((name) => {
    if (notSources.has(name) || name.endsWith('.test.ts') || name.endsWith('.test.tsx')) return false
    const path = `${folder}/${name}`
    if (!name.includes('.')) return newerBelow(path, time)
    const stat = statSync(path, { throwIfNoEntry: false })
    return stat !== undefined && (stat.isDirectory() ? newerBelow(path, time) : stat.mtimeMs > time)
  })
}

function modified(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

/**
 * The environment without what a surrounding `npm run` or `npx` added: its lifecycle, its settings for its own run
 * and, for a script of this checkout, the folders of our packages on PATH. Registry, proxy and cache settings stay.
 */
export function withoutNpmRun(env, root) {
  const kept = Object.entries(env).filter(([name]) => !npmRunOnly.test(name))
  const result = Object.fromEntries(kept)
  if (root && result.PATH !== undefined) {
    const ours = new Set()
    for (let folder = root, below = ''; folder !== below; below = folder, folder = dirname(folder))
      ours.add(join(folder, 'node_modules', '.bin'))
    const stays = (folder) => !ours.has(folder) && !folder.endsWith('node-gyp-bin')
    result.PATH = result.PATH.split(delimiter).filter(stays).join(delimiter)
  }
  return result
}

// npm hands its options to scripts as npm_config_*, where the next npm takes them for the person's wish: an outer
// --silent, --omit=dev or --workspace must not decide how packages are installed here.
const npmRunOnly = new RegExp(
  `^(npm_(lifecycle|package|command|execpath|node_execpath|old).*|INIT_CWD|NODE|COLOR|npm_config_(${[
    'also|dev|dry_run|global|global_prefix|global_style|globalconfig|if_present|ignore_scripts|include',
    'include_workspace_root|init_module|install_links|install_strategy|json|legacy_bundling|local_prefix|location',
    'loglevel|long|node_gyp|npm_version|omit|only|optional|os|cpu|libc|package_lock|package_lock_only|parseable',
    'prefix|production|progress|save.*|script_shell|silent|user_agent|workspace|workspaces|workspaces_update|yes',
  ].join('|')}))$`,
  'i',
)
