/** `sluice doctor`: what this machine has and lacks for sluice, and how to get it. */
import { version } from 'sluice:version'
import { type Check, inspectMachine } from '../compose/health.ts'
import { findPaths } from '../paths.ts'
import { findWorkspace } from '../workspace.ts'
import type { Options } from './args.ts'
import { openOutput } from './output.ts'
import { UsageError } from './usage-error.ts'

/** Exit code 0 when nothing is missing that sluice cannot do without, else 1. */
export async function runDoctor(options: Options): Promise<void> {
  if (options.rest.length > 0) {
    throw new UsageError(`"${options.rest.join(' ')}" is not understood.`, 'Write: sluice doctor [--json]')
  }
  const checks = await inspectMachine({
    env: process.env,
    paths: findPaths(),
    cwd: findWorkspace(options.cwd ?? process.cwd()),
    stdin: process.stdin,
    stdout: process.stdout,
  })
  const ok = checks.every((check) => check.status !== 'missing')
  process.exitCode = ok ? 0 : 1
  const output = openOutput(() => {})
  if (options.json) return output.write(`${JSON.stringify({ ok, version, platform: platformName(), checks })}\n`)
  const { sanitizeForTerminal } = await import('@sluice/permissions-ui')
  const lines = [`sluice ${version} on ${platformName()}`, '', ...checks.flatMap(checkLines), '', summary(checks)]
  await output.write(`${lines.map((line) => sanitizeForTerminal(line, 'visible')).join('\n')}\n`)
}

const words: Record<Check['status'], string> = { ok: 'ok', warn: 'note', missing: 'MISSING' }

function checkLines({ name, status, detail, fix }: Check): string[] {
  const first = `  ${words[status].padEnd(8)} ${name.padEnd(18)} ${detail}`
  return fix === undefined ? [first] : [first, `${' '.repeat(30)}${fix}`]
}

function summary(checks: readonly Check[]): string {
  const missing = checks.filter((check) => check.status === 'missing').length
  if (missing === 0) return 'Nothing is missing that sluice needs.'
  return missing === 1 ? 'One thing is missing that sluice needs.' : `${missing} things are missing that sluice needs.`
}

function platformName(): string {
  return `${process.platform} ${process.arch}`
}
