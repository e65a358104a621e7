import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bashCalls } from '../../fixtures/bash-calls.ts'
import { callTool, prepareTool } from '../../fixtures/tool-context.ts'
import { bashTool } from './tool.ts'

const { workspace, run } = bashCalls()

describe('what a call gives back', () => {
  test('both streams, the exit code, the duration and the folder', async () => {
    const { cwd, context } = await workspace()
    const result = await callTool(bashTool, { command: 'echo out; echo err >&2; exit 3' }, context)
    const { durationMs, pid, ...metadata } = result.metadata as { durationMs: number; pid: number }
    expect(result.content.split('\n').slice(0, 2).sort()).toEqual(['err', 'out'])
    expect(result.content).toMatch(/\n\n\[exit 3 · [\d.]+ m?s · in .+\/workspace\]$/)
    expect(metadata).toEqual({
      exitCode: 3,
      signal: null,
      cwd,
      timedOut: false,
      omittedBytes: 0,
      artifact: null,
      stillRunning: [],
    })
    expect(durationMs).toBeGreaterThanOrEqual(0)
    expect(pid).toBeGreaterThan(0)
    expect({ ok: result.ok, error: result.error }).toEqual({ ok: false, error: 'TOOL_EXECUTION_FAILED' })
    expect(result.blocks).toEqual([
      { type: 'command', command: 'echo out; echo err >&2; exit 3', cwd, timeoutMs: 120_000 },
      { type: 'output', text: expect.stringContaining('out\n'), exitCode: 3 },
    ])
  })

  test('success is exit code 0, and the fingerprint of what ran is the prepared one', async () => {
    const { cwd, context } = await workspace()
    const result = await callTool(bashTool, { command: 'true' }, context)
    expect({ ok: result.ok, error: result.error, applied: result.applied }).toEqual({
      ok: true,
      error: undefined,
      applied: `bash ${cwd}\ntrue`,
    })
    expect(result.prepared?.fingerprint).toBe(result.applied)
    expect(result.content).toMatch(/^\(no output\)\n\n\[exit 0/)
  })

  test('live output arrives while the command runs, whole and in order', async () => {
    const { context, outputs } = await workspace()
    await callTool(bashTool, { command: 'for i in 1 2 3; do echo "line $i"; sleep 0.1; done' }, context)
    expect(outputs.join('')).toBe('line 1\nline 2\nline 3\n')
    expect(outputs.length).toBeGreaterThan(1)
  })

  test('characters that are cut between two writes stay whole', async () => {
    const result = await run({
      command: String.raw`printf '\xf0\x9f'; sleep 0.2; printf '\x9a\x80 caf\xc3'; sleep 0.1; printf '\xa9\n'`,
    })
    expect(result.content).toMatch(/^🚀 café\n/)
  })

  test('bytes that are no text are named instead of shown', async () => {
    const result = await run({ command: `head -c 4000 /dev/zero | tr '\\0' '\\377'` })
    expect(result.content).toMatch(/^\[binary output, not shown\]\n/)
  })

  test('a command that begins with a dash is a command and no option of bash', async () => {
    const result = await run({ command: '-x; echo after' })
    expect(result.content).toContain('-x: command not found')
    expect(result.content).toContain('after\n')
  })
})

describe('what is refused before anything runs', () => {
  test.each([
    ['an empty command', '  \n ', 'The command is empty. Give the command line to run.'],
    ['a NUL character', 'echo a\0b', 'The command holds a NUL character, which no program can be given.'],
    [
      'more than the system takes as one argument',
      `echo ${'x'.repeat(140_000)}`,
      'The command is longer than 128 kB. Write it to a script file and run that.',
    ],
  ])('%s', async (_what, command, message) => {
    const result = await run({ command })
    expect({ ok: result.ok, content: result.content, applied: result.applied }).toEqual({
      ok: false,
      content: message,
      applied: undefined,
    })
  })

  test('a call that was aborted before its turn', async () => {
    const { cwd, context } = await workspace({ signal: AbortSignal.abort() })
    const result = await callTool(bashTool, { command: 'touch made' }, context)
    expect({ error: result.error, made: existsSync(join(cwd, 'made')) }).toEqual({ error: 'USER_ABORTED', made: false })
  })
})

describe('what a person decides on', () => {
  test('the title is one line, the block is the whole command', async () => {
    const { cwd, context } = await workspace()
    const command = `echo one\necho two\necho ${'three '.repeat(80)}`
    const prepared = await prepareTool(bashTool, { command, timeout_ms: 900_000 }, context)
    expect(prepared.title).toBe('echo one … +2 lines')
    expect(prepared.blocks).toEqual([{ type: 'command', command, cwd, timeoutMs: 600_000 }])
    expect(prepared.needs).toHaveLength(3)
  })

  test('an edited command is analysed again, runs instead, and the result tells the model', async () => {
    const { cwd, context } = await workspace()
    const result = await callTool(bashTool, { command: 'rm -rf build' }, context, {
      amendment: { editedCommand: 'echo kept' },
    })
    expect(result.prepared?.needs).toEqual([
      { type: 'command', argv: ['echo', 'kept'], plain: true, hazards: [], writes: [], text: 'echo kept' },
    ])
    expect(result.applied).toBe(`bash ${cwd}\necho kept`)
    expect(result.content).toContain(
      '[the person changed this command before it ran; proposed: rm -rf build ; ran: echo kept]',
    )
  })

  test('an amendment without a command leaves it as it was', async () => {
    const { cwd, context } = await workspace()
    const result = await callTool(bashTool, { command: 'echo same' }, context, { amendment: {} })
    expect(result.applied).toBe(`bash ${cwd}\necho same`)
    expect(result.content).not.toContain('changed')
  })
})
