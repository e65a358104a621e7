/** `sluice demo`: a small broken project in a temporary folder, the scripted model, the real tools. */
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { demoWorkspace } from 'sluice:demo'
import { setUp } from '../compose/setup.ts'
import type { Options } from './args.ts'
import { printTurn } from './print.ts'

export const demoPrompt = 'The cart total drifts by a cent. Find out why, fix it, and run the tests.'

export function demoNotice(folder: string): string {
  return `This is the demo. It works in ${folder}. The model is scripted; tools, files, tests and your approvals are real.`
}

/** Copies the demo project into a new temporary folder and returns its canonical path. */
export function createDemoWorkspace(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-demo-')))
  for (const [path, text] of Object.entries(demoWorkspace)) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return folder
}

/** The options of a demo run in `folder`; the person's own model, rules and mode stay out of it. */
export function demoOptions(options: Options, folder: string): Options {
  return {
    ...options,
    model: 'scripted:demo',
    cwd: folder,
    permissionMode: 'default',
    allow: [],
    deny: [],
    continue: false,
    resume: undefined,
  }
}

export async function runDemoPrint(options: Options): Promise<void> {
  const folder = createDemoWorkspace()
  process.stderr.write(`sluice: ${demoNotice(folder)}\n`)
  const demo = demoOptions(options, folder)
  const setup = await setUp(demo)
  await printTurn(setup, demo, demoPrompt, (request) => ({
    decision: { type: 'allow', digest: request.digest },
    decidedBy: 'demo',
  }))
}
