/** What the build makes up: the version and the demo's files. */
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { version } from 'sluice:version'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { virtualModulesForEsbuild } from './virtual.ts'

function checkoutWith(files: Record<string, string>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-virtual-')))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

async function evaluate(root: string, source: string): Promise<unknown> {
  const result = await build({
    stdin: { contents: source, resolveDir: root },
    bundle: true,
    write: false,
    format: 'esm',
    logLevel: 'silent',
    plugins: [virtualModulesForEsbuild(root)],
  })
  return import(`data:text/javascript,${encodeURIComponent(result.outputFiles[0]?.text ?? '')}`)
}

test('the bundle carries the scripts by name and the demo project by path, text for text', async () => {
  const root = checkoutWith({
    'fixtures/scripts/demo.json': '{"say": "“hi” \\n"}',
    'fixtures/scripts/long-answer.json': '[]',
    'fixtures/scripts/README.md': 'not a script',
    'fixtures/workspaces/demo/package.json': '{}\n',
    'fixtures/workspaces/demo/src/cart.js': 'export const total = `$&`\r\n',
  })
  const demo = await evaluate(root, "export * from 'sluice:demo'")
  expect({ ...(demo as object) }).toEqual({
    scripts: { demo: '{"say": "“hi” \\n"}', 'long-answer': '[]' },
    demoWorkspace: { 'package.json': '{}\n', 'src/cart.js': 'export const total = `$&`\r\n' },
  })
})

test('an empty demo is an error that names the folder', async () => {
  const root = checkoutWith({ 'fixtures/scripts/demo.json': '{}' })
  await expect(evaluate(root, "export * from 'sluice:demo'")).rejects.toThrow(
    `The demo is made from the files in ${join(root, 'fixtures/workspaces/demo')}, and there are none.`,
  )
})

test('a misspelt name is an error that says which there are', async () => {
  await expect(evaluate(checkoutWith({}), "export * from 'sluice:dmeo'")).rejects.toThrow(
    'There is no module "sluice:dmeo"; the build makes sluice:demo and sluice:version.',
  )
})

test('tests read the same modules as the bundle', async () => {
  const root = resolve(import.meta.dirname, '../..')
  const built = (await evaluate(root, "export * from 'sluice:version'")) as { version: string }
  expect(version).toBe(built.version)
  expect(version).toMatch(/^\d+\.\d+\.\d+/)
})
