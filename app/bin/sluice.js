#!/usr/bin/env node
/** The command `sluice`: answers --version, makes a checkout ready, moves to a new enough Node and loads the bundle. */

// Plain JavaScript for Node 18: it has to run before anything is installed, built or new enough. An import statement
// would read every export of a built-in module, getters too, which costs 4 ms of each start; Node before 20.16 has no
// other way.
const builtin = async (name) => process.getBuiltinModule?.(name) ?? (await import(name)).default
const { readFileSync } = await builtin('node:fs')
const { join } = await builtin('node:path')
const { fileURLToPath } = await builtin('node:url')

const bin = fileURLToPath(new URL('.', import.meta.url))
const dist = join(bin, '..', 'dist')
const args = process.argv.slice(2)

if (args.length === 1 && (args[0] === '--version' || args[0] === '-v')) {
  process.stdout.write(`${JSON.parse(readFileSync(join(bin, '..', 'package.json'), 'utf8')).version}\n`)
} else {
  await launch()
}

async function launch() {
  const { checkoutAt, nodeIsNewEnough, ownNode, wantedNode, whatIsMissing, withoutNpmRun } = await import(
    './checkout.js'
  )
  const root = checkoutAt(join(bin, '..', '..'))
  if (root && whatIsMissing(root).length > 0) {
    const { prepare } = await import('./prepare.js')
    const code = await prepare(root)
    if (code !== 0) return leave(code)
  }
  if (!nodeIsNewEnough(process.versions.node)) {
    const newer = root && ownNode(root)
    if (newer) return runUnder(newer, wantedNode)
    const how = root
      ? `Its own Node (node_modules/.bin/node) does not run on this machine: install Node ${wantedNode} or newer.`
      : 'Install a newer Node from https://nodejs.org or with your version manager, then run sluice again.'
    process.stderr.write(`sluice needs Node ${wantedNode} or newer and this is ${process.versions.node}. ${how}\n`)
    return leave(2)
  }
  forgetNpm(root, withoutNpmRun)
  hideSqliteWarning()
  const module = await builtin('node:module')
  module.enableCompileCache?.(root ? join(dist, '.cache') : join(await cacheFolder(), 'sluice', 'compiled'))
  await load()
  // Node writes what it compiled when a process ends by itself; one that is killed would leave the next start slow.
  setTimeout(() => module.flushCompileCache?.(), 3000).unref()
}

async function load() {
  const main = new URL('../dist/main.js', import.meta.url)
  try {
    await import(main.href)
  } catch (error) {
    if (error?.code !== 'ERR_MODULE_NOT_FOUND' || !String(error.message).includes(fileURLToPath(main))) throw error
    process.stderr.write(
      `sluice is not installed completely: ${fileURLToPath(main)} is missing. Install the package again.\n`,
    )
    leave(2)
  }
}

function leave(code) {
  process.exitCode = code
}

/** Runs this launcher under another Node with the same terminal; ends as that process ends. */
async function runUnder(node, wantedNode) {
  const { spawn } = await builtin('node:child_process')
  const { constants } = await builtin('node:os')
  const { rememberTerminal } = await import('./put-back.js')
  const putBack = rememberTerminal({ args, env: process.env, stdin: process.stdin, stdout: process.stdout })
  const child = spawn(node, [...process.execArgv, fileURLToPath(import.meta.url), ...args], { stdio: 'inherit' })
  const forward = (signal) => child.kill(signal)
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, forward)
  child.on('error', (error) => {
    process.stderr.write(`sluice could not start ${node}: ${error.message}. Install Node ${wantedNode} or newer.\n`)
    leave(2)
  })
  child.on('exit', (code, signal) => {
    for (const name of signals) process.off(name, forward)
    if (signal === null) return leave(code)
    // The others it answers itself.
    if (!signals.includes(signal)) putBack()
    // For a signal that does not end this process by itself.
    leave(128 + constants.signals[signal])
    process.kill(process.pid, signal)
  })
}

/**
 * `npm start` runs in the checkout with npm's own settings and our packages first on PATH; sluice works where it was
 * called, and the commands it runs must find the person's own tools and settings.
 */
function forgetNpm(root, withoutNpmRun) {
  const { env } = process
  const started = env.npm_lifecycle_event === 'start' && env.npm_package_name === 'sluice-workspace'
  if (!started && env.npm_lifecycle_event !== 'npx') return
  const from = env.INIT_CWD
  const clean = withoutNpmRun(env, started ? root : null)
  for (const name of Object.keys(env)) if (!(name in clean)) delete env[name]
  Object.assign(env, clean)
  if (started && from) {
    process.chdir(from)
    env.PWD = from
  }
}

/** node:sqlite announces itself as experimental on Node 22 and 24.0; every other warning stays. */
function hideSqliteWarning() {
  const emitWarning = process.emitWarning
  process.emitWarning = function (warning, ...rest) {
    const type = typeof rest[0] === 'object' ? rest[0]?.type : rest[0]
    if (type === 'ExperimentalWarning' && /^SQLite\b/i.test(String(warning))) return
    emitWarning.call(this, warning, ...rest)
  }
}

async function cacheFolder() {
  const named = process.env.XDG_CACHE_HOME
  return named?.startsWith('/') ? named : join((await builtin('node:os')).homedir(), '.cache')
}
