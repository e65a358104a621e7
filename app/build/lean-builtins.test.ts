/** Built-in modules in a bundle: the same things as ever, without reading or loading what is not used. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, expect, test } from 'vitest'
import { leanBuiltins, requireBanner } from './lean-builtins.ts'

const world = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-builtins-')))
afterAll(() => rmSync(world, { recursive: true, force: true }))

/** Bundles and runs a module; resolves to what it printed as JSON. */
async function run(source: string): Promise<unknown> {
  const outfile = join(mkdtempSync(join(world, 'bundle-')), 'main.mjs')
  await build({
    stdin: { contents: source, resolveDir: world },
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile,
    logLevel: 'silent',
    banner: { js: requireBanner },
    plugins: [leanBuiltins()],
  })
  return JSON.parse(execFileSync(process.execPath, [outfile], { encoding: 'utf8' }))
}

test('named, default and namespace imports mean the real thing', async () => {
  expect(
    await run(`
      import { join, sep as separator } from 'node:path'
      import fs, { existsSync, promises } from 'fs'
      import * as os from 'node:os'
      import process, { argv } from 'node:process'
      import { readFile } from 'node:fs/promises'
      const real = (name) => process.getBuiltinModule(name)
      console.log(JSON.stringify([
        join('a', 'b') + separator, fs === real('fs'), existsSync === real('fs').existsSync,
        promises.readFile === readFile, os.EOL, process === globalThis.process, argv === process.argv,
      ]))`),
  ).toEqual(['a/b/', true, true, true, '\n', true, true])
})

test('late modules are called, constructed, promisified and compared like the real ones', async () => {
  expect(
    await run(`
      import { ChildProcess, execFile, spawnSync } from 'node:child_process'
      import crypto, { createHash, randomUUID, constants } from 'node:crypto'
      import assert, { AssertionError, equal } from 'node:assert'
      import { Agent } from 'node:http'
      import { promisify } from 'node:util'
      const { stdout } = await promisify(execFile)(process.execPath, ['-e', 'console.log(1)'])
      class Mine extends Agent {}
      let thrown
      try { equal(1, 2) } catch (error) { thrown = error instanceof AssertionError }
      assert(true)
      console.log(JSON.stringify([
        stdout, spawnSync(process.execPath, ['-e', '0']).status, createHash('sha256').update('').digest('hex').slice(0, 8),
        crypto.createHash('md5').update('').digest('hex').slice(0, 4), randomUUID().length, constants.RSA_PKCS1_PADDING,
        thrown, new Mine() instanceof Agent, execFile(process.execPath, ['-e', '0']) instanceof ChildProcess, typeof createHash,
      ]))`),
  ).toEqual(['1\n', 0, 'e3b0c442', 'd41d', 36, 1, true, true, true, 'function'])
})

test('nothing of a late module is loaded before it is used', async () => {
  expect(
    await run(`
      import { createHash } from 'node:crypto'
      import { spawn } from 'node:child_process'
      const loaded = () => process.moduleLoadList.some((name) => /NativeModule (crypto|child_process)$/.test(name))
      const before = loaded()
      createHash('sha256')
      console.log(JSON.stringify([before, loaded(), typeof spawn]))`),
  ).toEqual([false, true, 'function'])
})

test('getters that nobody asked for are not read', async () => {
  expect(
    await run(`
      import process, { env } from 'node:process'
      const opened = process.moduleLoadList.includes('NativeModule tty')
      console.log(JSON.stringify([opened, env === process.env]))`),
  ).toEqual([false, true])
})

test('CommonJS packages find built-in modules too, the late ones when they are used', async () => {
  expect(
    await run(`
      const { basename } = require('path')
      const assert = require('assert')
      const loaded = () => process.moduleLoadList.includes('NativeModule assert')
      const before = loaded()
      assert.equal(1, 1)
      assert(true)
      console.log(JSON.stringify([basename('/a/b'), require('node:fs') === process.getBuiltinModule('fs'), before, loaded()]))`),
  ).toEqual(['b', true, false, true])
})
