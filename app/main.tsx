/** The `sluice` command: reads the command line and loads only what that way of starting needs. */
import { version } from 'sluice:version'
import { helpText, type Options, parseArgs } from './cli/args.ts'
import { guardStdout } from './cli/output.ts'
import { UsageError } from './cli/usage-error.ts'

async function main(words: string[]): Promise<void> {
  const options = parseArgs(words)
  if (!['print', 'demo', 'chat'].includes(options.command)) guardStdout()
  switch (options.command) {
    case 'version':
      process.stdout.write(`${version}\n`)
      return
    case 'help':
      process.stdout.write(helpText())
      return
    case 'print':
      return (await import('./cli/print.ts')).runPrint(options)
    case 'demo':
      return options.print ? (await import('./cli/demo.ts')).runDemoPrint(options) : openScreen(options)
    case 'permissions':
      return (await import('./cli/permissions.ts')).runPermissions(options)
    case 'audit':
      return (await import('./cli/audit.ts')).runAudit(options)
    case 'sessions':
      return (await import('./cli/sessions.ts')).runSessions(options)
    case 'doctor':
      return (await import('./cli/doctor.ts')).runDoctor(options)
    case 'chat':
      return openScreen(options)
  }
}

/** The full-screen app needs a terminal on both sides; without one, piped stdin is a prompt. */
async function openScreen(options: Options): Promise<void> {
  if (process.stdin.isTTY && process.stdout.isTTY) return openTui(options)
  if (options.command === 'demo')
    throw new UsageError('The demo needs a terminal.', 'Without one, use: sluice demo --print')
  if (process.stdin.isTTY)
    throw new UsageError('The output is no terminal, and there is no prompt.', 'Write sluice -p "PROMPT".')
  return (await import('./cli/print.ts')).runPrint({ ...options, command: 'print', print: true })
}

async function openTui(options: Options): Promise<void> {
  if (!(process.stdout.columns > 0)) await (await import('./face.ts')).awaitSize(process.stdout)
  const { runTui } = await import('./tui.tsx')
  if (options.command !== 'demo') return runTui({ options })
  const { createDemoWorkspace, demoNotice, demoOptions, demoPrompt } = await import('./cli/demo.ts')
  const folder = createDemoWorkspace()
  return runTui({ options: demoOptions(options, folder), prompt: demoPrompt, notice: demoNotice(folder) })
}

main(process.argv.slice(2)).catch((thrown: unknown) => {
  const error = folderIsGone(thrown)
    ? new UsageError('The folder that you are in does not exist any more.', 'Go to another one, or make it again.')
    : thrown
  const usage = error instanceof UsageError
  const message = error instanceof Error ? error.message : String(error)
  const fix = usage ? error.fix : 'This is a bug of sluice.'
  const code = usage ? 2 : 1
  process.stderr.write(
    `sluice: ${message}${fix ? ` ${fix}` : ''}\n${usage || !(error instanceof Error) ? '' : `${error.stack}\n`}`,
  )
  const format = wantedFormat(process.argv.slice(2))
  const shape = { code: usage ? 'USAGE' : 'INTERNAL', message, hint: fix }
  if (format === 'json')
    process.stdout.write(`${JSON.stringify({ sessionId: null, stopReason: null, result: '', error: shape })}\n`)
  if (format === 'stream-json') {
    const time = new Date().toISOString()
    process.stdout.write(
      `${JSON.stringify({ v: 1, seq: 1, time, sessionId: null, turnId: null, type: 'error', error: shape })}\n`,
    )
  }
  process.exitCode = code
})

function folderIsGone(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).syscall === 'uv_cwd'
}

/** The format asked for even when the rest of the command line could not be read. */
function wantedFormat(words: string[]): string | undefined {
  const at = words.findIndex((word) => word === '--output-format' || word.startsWith('--output-format='))
  const word = words[at]
  return word === undefined ? undefined : word.includes('=') ? word.slice(word.indexOf('=') + 1) : words[at + 1]
}
