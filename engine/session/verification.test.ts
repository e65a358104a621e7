import { describe, expect, it } from 'vitest'
import type { ToolResult } from '../protocol/index.ts'
import { isVerification, verificationOf } from './verification.ts'

describe('a verification', () => {
  it.each([
    'npm test',
    'npm test -- cart',
    'npm run --silent lint',
    'pnpm typecheck',
    'CI=1 yarn test',
    'cd packages/a && npx vitest run',
    'node --test',
    'node --experimental-strip-types --test test/',
    'python3 -m pytest -q',
    'cargo clippy --all',
    'go test ./...',
    './gradlew clean check',
    'make -j4 test',
    'npx tsc --noEmit | head -50',
  ])('is `%s`', (command) => expect(isVerification(command)).toBe(true))

  it.each([
    'ls',
    'npm install',
    'cat test.txt',
    'echo npm test',
    'git commit -m "npm test"',
    'node server.js',
    'makefile test',
  ])('is not `%s`', (command) => expect(isVerification(command)).toBe(false))

  it('has the exit code, the time and the lines that matter', () => {
    const noise = Array.from({ length: 100 }, (_, i) => `ok ${i} works`)
    const content = [...noise.slice(0, 50), 'not ok 51 rounds', '  expected 109', ...noise.slice(50), '# fail 1'].join(
      '\n',
    )
    const result: ToolResult = { ok: false, summary: 'exit 1', content, metadata: { exitCode: 1, durationMs: 12 } }
    const found = verificationOf({ id: 'c', name: 'bash', input: { command: 'node --test' } }, result)
    expect(found).toMatchObject({ command: 'node --test', exitCode: 1, durationMs: 12, passed: false })
    expect(found?.importantOutput).toContain('not ok 51 rounds\n  expected 109')
    expect(found?.importantOutput).toMatch(/# fail 1$/)
    expect(found?.importantOutput.split('\n').length).toBeLessThanOrEqual(20)
  })

  it('is nothing that was refused before it ran', () => {
    const refused: ToolResult = { ok: false, summary: 'refused', content: 'no', metadata: { durationMs: 0 } }
    expect(verificationOf({ id: 'c', name: 'bash', input: { command: 'npm test' } }, refused)).toBeNull()
  })
})
