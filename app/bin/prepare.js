/** Makes a checkout ready: installs its packages and builds the bundle; `node app/bin/prepare.js` does it too. */
import { existsSync, realpathSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkoutAt, nodeIsNewEnough, ownNode, wantedNode, whatIsMissing } from './checkout.js'
import { takeLock } from './lock.js'
import { runNode, runNpm } from './run.js'

/**
 * Does what `whatIsMissing(root)` names and resolves to an exit code: 0 ready, 1 it failed, 2 this machine lacks
 * something, 128 + n when a signal ended it. Two processes at once do it once. Everything it says goes to stderr.
 */
export async function prepare(root) {
  if (whatIsMissing(root).length === 0) return 0
  let lock
  try {
    lock = await takeLock(join(root, 'app', 'dist', '.preparing'), (pid) =>
      say(`process ${pid} is making this checkout ready; waiting for it`),
    )
  } catch (error) {
    say(explain(String(error), root))
    return 1
  }
  try {
    // Whoever held the lock may have done all of it.
    const missing = whatIsMissing(root)
    if (missing.length === 0) return 0
    const started = Date.now()
    if (missing.includes('packages') || !existsSync(join(root, 'node_modules', 'esbuild'))) {
      const code = await install(root)
      if (code !== 0) return code
    }
    const code = await build(root)
    if (code === 0) say(`ready after ${((Date.now() - started) / 1000).toFixed(1)} s`)
    return code
  } finally {
    lock.release()
  }
}

async function install(root) {
  const record = join(root, 'node_modules', '.package-lock.json')
  const again = existsSync(record)
  const doing = again ? 'updating packages' : 'installing packages, once'
  // `ci` empties node_modules first: right for a fresh clone, but a failed update should leave the old packages.
  const [first, second] = again ? ['install', 'ci'] : ['ci', 'install']
  let result = await patiently(doing, runNpm(root, first))
  if (result.code !== 0 && !result.signal && !result.notFound && !knownFailure(result.output)) {
    say(`npm ${first} failed, trying npm ${second}:\n${lastLines(result.output)}`)
    result = await patiently(doing, runNpm(root, second))
  }
  if (result.signal) return 128 + result.signal
  if (result.notFound) {
    say(
      `npm was not found, and packages are installed with it. It comes with Node: install Node ${wantedNode} or newer from https://nodejs.org, then run this again.`,
    )
    return 2
  }
  if (result.code !== 0) {
    say(`${explain(result.output, root)}\nnpm said:\n${lastLines(result.output)}`)
    return 1
  }
  // npm does not rewrite its record when nothing changed; a lockfile that was merely touched would stay newer for ever.
  const now = new Date()
  if (existsSync(record)) utimesSync(record, now, now)
  return 0
}

async function build(root) {
  const nodes = [ownNode(root), nodeIsNewEnough(process.versions.node) ? process.execPath : null].filter(Boolean)
  say('building …')
  for (const node of nodes) {
    const result = await runNode(node, root, join(root, 'app', 'build.ts'))
    if (result.notFound) continue
    if (result.signal) return 128 + result.signal
    return result.code === 0 ? 0 : 1
  }
  say(
    `building needs Node ${wantedNode} or newer. This is Node ${process.versions.node}, and the Node that the packages bring does not run on this machine (${process.platform} ${process.arch}). Install a newer Node from https://nodejs.org, then run this again.`,
  )
  return 2
}

/** What npm may report, and what a person can do about it; the same in every way of installing. */
const failures = [
  [/ENOSPC|EDQUOT/, () => 'the disk is full. Packages need about 600 MB: free some space, then run this again.'],
  [
    /EACCES|EPERM|EROFS/,
    (root) => `files in ${root} cannot be written. Give yourself write access to that folder, then run this again.`,
  ],
  [
    /CERT_|SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)/,
    () =>
      'the package registry presents a certificate that Node does not trust. Behind a proxy, set NODE_EXTRA_CA_CERTS to its certificate file, then run this again.',
  ],
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|ENOTCACHED/,
    () =>
      'the package registry cannot be reached. Packages are downloaded once; check the connection (or the proxy: "npm config get proxy", "npm config get registry"), then run this again.',
  ],
  [
    /E401|E403|ENEEDAUTH/,
    () => 'the package registry refuses access. Check "npm config get registry" and log in to it, then run this again.',
  ],
]

function knownFailure(output) {
  return failures.find(([pattern]) => pattern.test(output))
}

function explain(output, root) {
  const known = knownFailure(output)
  if (known) return `packages could not be installed: ${known[1](root)}`
  return `packages could not be installed. Run "npm ci" in ${root} to see more.`
}

/** Shows that something goes on: every second on a terminal, twice a minute in a log. */
async function patiently(doing, work) {
  const live = process.stderr.isTTY
  const started = Date.now()
  if (!live) say(`${doing} …`)
  const show = () => {
    const seconds = Math.round((Date.now() - started) / 1000)
    if (live) process.stderr.write(`\rsluice: ${doing} … ${seconds} s`)
    else say(`${doing} … ${seconds} s`)
  }
  if (live) show()
  const timer = setInterval(show, live ? 1000 : 30_000)
  try {
    return await work
  } finally {
    clearInterval(timer)
    if (live) process.stderr.write('\n')
  }
}

function lastLines(output) {
  return output.trim().split('\n').slice(-12).join('\n')
}

function say(text) {
  process.stderr.write(`sluice: ${text}\n`)
}

if (process.argv[1] && realpathSync(process.argv[1]) === realpathSync(fileURLToPath(import.meta.url))) {
  const root = checkoutAt(fileURLToPath(new URL('../..', import.meta.url)))
  if (root) process.exitCode = await prepare(root)
}
