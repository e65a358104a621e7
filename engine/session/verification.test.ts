import { describe, expect, it } from 'vitest'
import type { ToolResult, VerificationResult } from '../protocol/index.ts'
import { verificationOf } from './verification.ts'

const firstCode = '$' + '{PIPESTATUS[0]}'

type State = 'passed' | 'failed' | 'unknown' | 'none'

function stateOf(command: string, result: Partial<ToolResult> & { exitCode: number | null }): State {
  const { exitCode, ...rest } = result
  const whole: ToolResult = { ok: exitCode === 0, summary: '', content: '', metadata: { exitCode }, ...rest }
  const found = verificationOf({ id: 'c', name: 'bash', input: { command } }, whole)
  return found === null ? 'none' : named(found)
}

const named = ({ passed, unknown }: VerificationResult): State => (unknown ? 'unknown' : passed ? 'passed' : 'failed')

/** What exit codes 0 and 1 of the line mean. */
const bothOf = (command: string) => [stateOf(command, { exitCode: 0 }), stateOf(command, { exitCode: 1 })]

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
    'uv run pytest',
    'cargo clippy --all',
    'go test -v ./...',
    './gradlew clean check',
    'make -j4 test',
    './node_modules/.bin/tsc -p .',
    // Alone in a chain, whatever stands around it: 0 means that all of it passed.
    'npm ci && npm test && echo done',
    'cd app; npm test',
    'cd app\nnpm test\n',
    '(cd app && npm test)',
    '{ npm test; }',
    '[[ -f package.json ]] && npm test',
    'echo "a; b" && npm test # all of it',
    'npm test \\\n  -- cart',
    'npm run lint && npm test',
    // Its output goes elsewhere, its exit code does not.
    'npm test > out.log 2>&1',
    'npm test &> out.log',
    'npm test&>out.log',
    'npm test </dev/null 2>/dev/null',
    'cat list | xargs echo | npm test',
    // What only wraps it.
    'timeout 5 npm test',
    'timeout -k 3 --signal=KILL 60s npm test',
    'env CI=1 FOO="a b" npm test',
    'env -u CI npm test',
    'nice -n 10 npm test',
    'time npm test',
    'A=1 timeout 5 env B=2 nice npm test',
    // What looks after the code of a pipe.
    'set -o pipefail; npm test | tail -5',
    'set -euo pipefail\nnpm test 2>&1 | tee out.log',
    'set -o pipefail && npm test | tail -5',
    `npm test 2>&1 | tail -5; exit ${firstCode}`,
    'npm test; exit $?',
    'npm test || exit 1',
    'npm test || { echo no; exit 1; }\necho yes',
    'set -e; npm test; echo done',
  ])('that passes with 0 and may have failed with 1: `%s`', (command) =>
    expect(bothOf(command)).toEqual(['passed', 'failed']),
  )

  it.each([
    ['npm test 2>&1 | tail -5', ['unknown', 'unknown']],
    ['npx tsc --noEmit | head -50', ['unknown', 'unknown']],
    ['npm test |& grep -c ok', ['unknown', 'unknown']],
    ['npm test || true', ['unknown', 'failed']],
    ['npm test || npm run lint', ['unknown', 'failed']],
    ['npm test; echo done', ['unknown', 'unknown']],
    ['npm test; echo "exit $?"', ['unknown', 'unknown']],
    ['npm test\necho done', ['unknown', 'unknown']],
    ['npm test > out.log 2>&1 &', ['unknown', 'unknown']],
    ['npm test & wait', ['unknown', 'unknown']],
    ['! npm test', ['unknown', 'unknown']],
    ['if npm test; then echo good; else echo bad; fi', ['unknown', 'unknown']],
    ['set -e\nif [ -f x ]; then\nnpm test\nfi', ['unknown', 'unknown']],
    ['for d in a b; do (cd $d && npm test); done', ['unknown', 'unknown']],
    ['while ! npm test; do sleep 1; done', ['unknown', 'unknown']],
    // In front of the last of a chain, `set -e` lets a failure pass.
    ['set -e; cd app && npm test; echo done', ['unknown', 'unknown']],
    ['set -e; npm test | tail; echo done', ['unknown', 'unknown']],
    // One of two is not known.
    ['npm run lint; npm test', ['unknown', 'failed']],
    ['npm test | tail -3; npm run lint', ['unknown', 'failed']],
    ['npm test | tail -3 && npm run lint', ['unknown', 'failed']],
    ['echo "$(npm test)"; npm run build; ls', ['unknown', 'unknown']],
    ['cat <<EOF\nx\nEOF\nnpm test', ['unknown', 'unknown']],
    ['check() { npm test; }; check', ['unknown', 'unknown']],
  ] as [string, State[]][])('whose result cannot be known from the code of the line: `%s`', (command, states) =>
    expect(bothOf(command)).toEqual(states),
  )

  it.each([
    'ls',
    'npm install',
    'cat test.txt',
    'echo npm test',
    'echo "npm test; npm test"',
    "grep 'npm test && x' README.md",
    'git commit -m "npm test"',
    'node server.js',
    'makefile test',
    'ls # npm test',
    'npm test --help',
    'npx vitest --version',
    'npx vitest list',
    'jest --listTests',
    'pytest --collect-only -q',
    'timeout 5 npx playwright test --list',
    'make -n test',
    'cargo test -- --list',
    'timeout 5 ls',
    '',
  ])('is not `%s`', (command) => expect(bothOf(command)).toEqual(['none', 'none']))

  it('that was ended for its time has failed; one that was interrupted, or goes on, is not known', () => {
    expect(stateOf('npm test', { exitCode: null, error: 'TOOL_TIMEOUT' })).toBe('failed')
    expect(stateOf('npm test', { exitCode: null, error: 'TOOL_EXECUTION_FAILED' })).toBe('failed')
    expect(stateOf('npm test; sleep 99', { exitCode: null, error: 'TOOL_TIMEOUT' })).toBe('unknown')
    expect(stateOf('npm test', { exitCode: null, error: 'USER_ABORTED' })).toBe('unknown')
    expect(stateOf('npm test', { exitCode: null, ok: true })).toBe('unknown')
  })

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
