/** Runs npm and Node for the launcher, free of a surrounding npm run, and passes signals on. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, dirname } from 'node:path'
import { withoutNpmRun } from './checkout.js'

const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP']

/**
 * `npm WAY` in `root` with every dependency that the checkout needs, whatever NODE_ENV or the user's npm settings say.
 * Resolves to {code, signal, notFound, output}; `signal` is the number of the signal that ended it, `output` its end.
 */
export function runNpm(root, way) {
  const env = withoutNpmRun(process.env, root)
  delete env.NODE_ENV
  // npm starts `node` by name; the folders of our own packages are not on this PATH, since they may be replaced.
  env.PATH = [env.PATH, dirname(process.execPath)].filter(Boolean).join(delimiter)
  const args = [
    way,
    '--include=dev',
    '--include=optional',
    // No package of the lockfile needs its install script, so none gets to run.
    '--ignore-scripts',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    ...(way === 'install' ? ['--no-save'] : []),
  ]
  const { npm_execpath: cli, npm_node_execpath: node } = process.env
  if (cli && /npm-cli\.[cm]?js$/.test(cli) && existsSync(cli)) {
    const runner = node && existsSync(node) ? node : process.execPath
    return run(runner, [cli, ...args], { cwd: root, env, capture: true })
  }
  const windows = process.platform === 'win32'
  return run(windows ? 'npm.cmd' : 'npm', args, { cwd: root, env, capture: true, shell: windows })
}

/** Runs a TypeScript file of the checkout under `node`; what it prints goes to our stderr. */
export function runNode(node, root, file) {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const asks = node === process.execPath && ((major === 22 && minor < 18) || (major === 23 && minor < 6))
  const flags = asks ? ['--experimental-strip-types', '--disable-warning=ExperimentalWarning'] : []
  return run(node, [...flags, file], { cwd: root, env: withoutNpmRun(process.env, root), capture: false })
}

function run(command, args, { cwd, env, capture, shell = false }) {
  return new Promise((resolve) => {
    const stdio = capture ? ['ignore', 'pipe', 'pipe'] : ['ignore', 2, 'inherit']
    const child = spawn(command, args, { cwd, env, shell, stdio })
    let output = ''
    const keep = (chunk) => {
      output = (output + chunk).slice(-64_000)
    }
    child.stdout?.setEncoding('utf8').on('data', keep)
    child.stderr?.setEncoding('utf8').on('data', keep)
    let asked
    const forward = (signal) => {
      asked = signal
      child.kill(signal)
    }
    for (const signal of passedOn) process.on(signal, forward)
    const end = (result) => {
      for (const signal of passedOn) process.off(signal, forward)
      resolve({ code: null, signal: 0, notFound: false, output, ...result })
    }
    child.on('error', (error) => end({ notFound: error.code === 'ENOENT', output: `${output}\n${error.message}` }))
    child.on('close', (code, signal) => {
      const name = signal ?? asked
      end({ code, signal: name ? constants.signals[name] : 0 })
    })
  })
}
