import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { bashCalls } from '../../fixtures/bash-calls.ts'
import { startPty } from '../../fixtures/screen/pty.ts'
import { callTool } from '../../fixtures/tool-context.ts'
import { bashTool } from './tool.ts'

const { workspace, run } = bashCalls()

/** Longer than anything takes that works; only what waits for `sleep 30` reaches it. */
const hang = 15_000

describe('field reports', () => {
  test('D07: 700 MB of output succeed in little memory and leave a note', { timeout: 120_000 }, async () => {
    const { cwd } = await workspace()
    const script = join(cwd, 'measure.mjs')
    writeFileSync(
      script,
      `import { toolContext, callTool } from ${importable('../../fixtures/tool-context.ts')}
       import { bashTool } from ${importable('./tool.ts')}
       const made = await toolContext()
       const { ok, summary, content, metadata } = await callTool(bashTool, { command: 'yes | head -c 700M' }, made.context)
       const { statSync } = await import('node:fs')
       const stored = statSync(metadata.artifact).size
       await made.cleanup()
       const rss = process.resourceUsage().maxRSS / 1024
       console.log(JSON.stringify({ ok, exitCode: metadata.exitCode, omitted: metadata.omittedBytes, length: content.length, note: content.slice(-400), stored, rss }))`,
    )
    const measured = JSON.parse(execFileSync(process.execPath, [script], { encoding: 'utf8' }))
    expect(measured).toMatchObject({ ok: true, exitCode: 0, stored: 256 * 1024 * 1024 })
    expect(measured.omitted).toBeGreaterThan(700 * 1024 * 1024 - 60_000)
    expect(measured.length).toBeLessThan(60_000)
    expect(measured.note).toContain('734.0 MB of the output are left out above; whole output: ')
    expect(measured.note).toContain('but only its first 268.4 MB were stored')
    expect(measured.rss).toBeLessThan(300)
  })

  test('D08: output is kept once, on disk: fifty long outputs do not stay in memory', async () => {
    const { cwd } = await workspace()
    const script = join(cwd, 'measure.mjs')
    writeFileSync(
      script,
      `import { toolContext, callTool } from ${importable('../../fixtures/tool-context.ts')}
       import { bashTool } from ${importable('./tool.ts')}
       const made = await toolContext()
       const kept = []
       const once = async () => kept.push(await callTool(bashTool, { command: 'seq 1 200000' }, made.context))
       await once()
       gc()
       const before = process.memoryUsage().heapUsed
       for (let i = 0; i < 50; i++) await once()
       gc()
       const heap = (process.memoryUsage().heapUsed - before) / 1e6
       await made.cleanup()
       console.log(JSON.stringify({ heap, ok: kept.every((one) => one.ok && one.metadata.omittedBytes > 1e6) }))`,
    )
    const measured = JSON.parse(execFileSync(process.execPath, ['--expose-gc', script], { encoding: 'utf8' }))
    expect(measured.ok).toBe(true)
    expect(measured.heap).toBeLessThan(50)
  })

  test('D09: in a terminal, nothing that a command runs can reach it; all of it fails fast', {
    timeout: 60_000,
  }, async () => {
    const { cwd } = await workspace()
    repository(cwd)
    writeFileSync(join(cwd, 'staged.txt'), 'x')
    execFileSync('git', ['add', 'staged.txt'], { cwd })
    const commands = [
      'git commit',
      'git log',
      'read x </dev/tty',
      'echo seen >/dev/tty',
      'git clone https://127.0.0.1:1/x.git',
    ]
    if (hasProgram('sudo')) commands.push('sudo -k true')
    const script = join(cwd, 'in-terminal.mjs')
    writeFileSync(
      script,
      `import { openSync, writeSync } from 'node:fs'
       import { toolContext, callTool } from ${importable('../../fixtures/tool-context.ts')}
       import { bashTool } from ${importable('./tool.ts')}
       writeSync(openSync('/dev/tty', 'w'), 'own terminal reached\\n')
       const made = await toolContext()
       made.context.cwd = ${JSON.stringify(cwd)}
       for (const command of ${JSON.stringify(commands)}) {
         const { ok, metadata } = await callTool(bashTool, { command, timeout_ms: 20000 }, made.context)
         console.log(command + ' -> ' + (metadata.timedOut ? 'hung' : ok ? 'ok' : 'failed'))
       }
       await made.cleanup()
       console.log('finished')`,
    )
    const terminal = startPty({ command: [process.execPath, script], cols: 120 })
    try {
      const screen = await terminal.until('finished', { ms: 50_000 })
      const lines = screen.split('\n').map((line) => line.trim())
      expect(lines).toEqual(
        expect.arrayContaining([
          'own terminal reached',
          'git commit -> failed',
          'git log -> ok',
          'read x </dev/tty -> failed',
          'echo seen >/dev/tty -> failed',
          'git clone https://127.0.0.1:1/x.git -> failed',
        ]),
      )
      expect(screen).not.toContain('hung')
      expect(lines).not.toContain('seen')
    } finally {
      await terminal.close()
    }
  })

  test('D10: an interactive rebase fails and leaves the history as it was', async () => {
    const { cwd, context } = await workspace()
    repository(cwd)
    const before = execFileSync('git', ['rev-parse', 'HEAD'], { cwd, encoding: 'utf8' })
    const result = await callTool(bashTool, { command: 'git rebase -i HEAD~2' }, context)
    expect(result.ok).toBe(false)
    expect(execFileSync('git', ['rev-parse', 'HEAD'], { cwd, encoding: 'utf8' })).toBe(before)
  })

  test.each([false, true])(
    'D11: a command that reads its input finds it empty (background: %s)',
    async (background) => {
      const started = performance.now()
      const result = await run({ command: 'cat; echo over', background })
      expect(performance.now() - started).toBeLessThan(hang)
      expect({ ok: result.ok, exitCode: result.metadata?.exitCode }).toEqual({ ok: true, exitCode: 0 })
      expect(result.content).toMatch(/^over\n/)
    },
  )

  test('D12: deleting the folder that a command went to does not matter to the next one', async () => {
    const { context } = await workspace()
    await callTool(bashTool, { command: 'mkdir d && cd d' }, context)
    await callTool(bashTool, { command: 'rm -rf d' }, context)
    const result = await callTool(bashTool, { command: 'echo hi' }, context)
    expect(result.content).toMatch(/^hi\n/)
  })

  test('D12: a workspace that is gone is a clear failure, each time', async () => {
    const { cwd, context } = await workspace()
    for (const _ of [1, 2]) {
      const result = await callTool(bashTool, { command: 'echo hi' }, context, {
        whileAsked: () => rmSync(cwd, { recursive: true, force: true }),
      })
      expect({ ok: result.ok, content: result.content }).toEqual({
        ok: false,
        content: `The workspace folder ${cwd} is gone (moved or deleted), so no command can run in it. Ask the person to put it back, or to start again in the folder that they mean.`,
      })
    }
  })

  test('D14: a cd does not outlive its call, and the result and the header say so', async () => {
    const { cwd, context } = await workspace()
    await mkdir(join(cwd, 'sub'))
    const first = await callTool(bashTool, { command: 'cd sub && pwd -P' }, context)
    const second = await callTool(bashTool, { command: 'pwd -P' }, context)
    expect(first.content.split('\n')[0]).toBe(await realpath(join(cwd, 'sub')))
    expect(first.content).toContain(`[cd does not outlive a call: the next command starts in ${cwd} again]`)
    expect(second.content.split('\n')[0]).toBe(cwd)
    expect(second.content).toContain(`· in ${cwd}]`)
    expect(second.content).not.toContain('outlive')
  })

  test('D17: of a progress bar the last state remains', async () => {
    const result = await run({ command: 'for i in $(seq 100); do printf "\\r%d%%" $i; done; echo' })
    expect(result.content).toMatch(/^100%\n\n\[exit 0/)
  })

  test('D19: a .env file of the project is not loaded, and keys of models are not handed on', async () => {
    const own = { OPENAI_API_KEY: 'sk-own', ANTHROPIC_API_KEY: 'sk-own', SOME_API_KEY: 'sk-own', SLUICE_MODEL: 'x' }
    const before = { ...process.env }
    Object.assign(process.env, own)
    try {
      const result = await run({ command: 'env' }, { files: { '.env': 'DB_OF_PROJECT=1\n' } })
      expect(result.content).not.toMatch(/DB_OF_PROJECT|sk-own|SLUICE_/)
      expect(result.content).toContain('PAGER=cat')
    } finally {
      for (const name of Object.keys(own)) delete process.env[name]
      Object.assign(process.env, before)
    }
  })

  test.each([
    ["bash -c 'kill -9 $$'", 'killed by SIGKILL', null, 'SIGKILL'],
    ['exit 3', 'exit 3', 3, null],
    ["bash -c 'kill -9 $$'; exit $?", 'exit 137 (SIGKILL)', 137, null],
    ['false | true', 'exit 0', 0, null],
    ['set -o pipefail; false | true', 'exit 1', 1, null],
    ['exit 255', 'exit 255', 255, null],
    ['no-such-program-here', 'exit 127', 127, null],
    ['echo "', 'exit 2', 2, null],
  ])('D20: %s is reported as %s', async (command, said, exitCode, signal) => {
    const result = await run({ command })
    expect(result.summary.split(' · ')[0]).toBe(said)
    expect({ exitCode: result.metadata?.exitCode, signal: result.metadata?.signal }).toEqual({ exitCode, signal })
    expect(result.ok).toBe(exitCode === 0)
  })
})

describe('what a project or an environment has planted does not run', () => {
  test('a file monitor in the configuration of a repository', async () => {
    const { cwd, context } = await workspace({ files: { 'evil.sh': '#!/bin/sh\ntouch planted\n' } })
    repository(cwd)
    execFileSync('chmod', ['+x', 'evil.sh'], { cwd })
    execFileSync('git', ['config', 'core.fsmonitor', './evil.sh'], { cwd })
    const result = await callTool(bashTool, { command: 'git status --short; ls planted' }, context)
    expect(result.content).toContain('?? evil.sh')
    expect(result.ok).toBe(false)
  })

  test('a folder that is made to look like a repository', async () => {
    const { cwd, context } = await workspace()
    execFileSync('git', ['init', '-q', '--bare', 'vendor'], { cwd })
    const result = await callTool(bashTool, { command: 'cd vendor && git rev-parse --git-dir' }, context)
    expect(result.content).toContain('cannot use bare repository')
  })

  test('startup files and exported functions', async () => {
    const { cwd, context } = await workspace({ files: { 'start.sh': 'touch planted\n' } })
    const planted = {
      BASH_ENV: join(cwd, 'start.sh'),
      'BASH_FUNC_ls%%': '() { echo planted; }',
      PS4: '$(touch planted)',
    }
    Object.assign(process.env, planted)
    try {
      const result = await callTool(bashTool, { command: 'set -x; ls' }, context)
      expect(result.content).toMatch(/^(\+ ls\nstart\.sh|start\.sh\n\+ ls)\n/)
    } finally {
      for (const name of Object.keys(planted)) delete process.env[name]
    }
  })
})

function hasProgram(name: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${name}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** The address of a module beside this test, as a literal for a script elsewhere. */
function importable(path: string): string {
  return JSON.stringify(pathToFileURL(join(import.meta.dirname, path)).href)
}

/** A repository with three commits and an identity of its own. */
function repository(cwd: string): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd, stdio: 'ignore' })
  git('init', '-q')
  for (const [name, value] of [
    ['user.name', 'Ada'],
    ['user.email', 'ada@example.org'],
    ['commit.gpgsign', 'false'],
  ] as const) {
    git('config', name, value)
  }
  for (const number of [1, 2, 3]) git('commit', '-q', '--allow-empty', '-m', `commit ${number}`)
}
