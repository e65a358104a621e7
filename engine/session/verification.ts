/** Recognises commands that check the work, and makes a structured result of their output. */
import { shorten, type ToolCall, type ToolResult, type VerificationResult } from '../protocol/index.ts'
import { checkLine } from './check-line.ts'

/**
 * The verification that a finished call was, or null when it was something else or never ran. It passed only when the exit
 * code is that of the check itself; where the code cannot tell, the result is `unknown`.
 */
export function verificationOf(call: ToolCall, result: ToolResult): VerificationResult | null {
  const command = (call.input as { command?: unknown } | null)?.command
  const { exitCode, durationMs } = result.metadata
  if (typeof command !== 'string' || (typeof exitCode !== 'number' && exitCode !== null)) return null
  const line = checkLine(command, isCheck)
  if (line === null) return null
  const passed = exitCode === 0 && line.proves
  // One that was killed, or ended for its time, has not passed; what was interrupted has not said anything.
  const broke = exitCode === null ? result.error !== undefined && result.error !== 'USER_ABORTED' : exitCode !== 0
  const unknown = !passed && !(broke && line.fails)
  return {
    command,
    exitCode,
    durationMs: typeof durationMs === 'number' ? durationMs : 0,
    passed,
    ...(unknown ? { unknown } : {}),
    importantOutput: importantLines(result.content),
  }
}

/** True when the words run tests, types, lint or a build by a name that is used for that, and do not only ask about it. */
export function isCheck(words: readonly string[]): boolean {
  const line = words.join(' ').replace(/^(\.\/)?node_modules\/\.bin\//, '')
  return !words.some((word) => asks.has(word)) && !listings.test(line) && checks.some((check) => check.test(line))
}

/** Tells something, or lists what would be checked. */
const asks: ReadonlySet<string> = new Set(
  '--help -h --version -V --list -list --listTests --list-tests --collect-only --co --dry-run --showConfig --print-config --init'.split(
    ' ',
  ),
)
const listings = /^((npx |pnpm exec )?vitest list|make( \S+)* -[a-z]*[nq]|ctest( \S+)* -N|tsc( \S+)* -v)\b/

const checks = [
  /^(npm|pnpm|yarn|bun)( run)?( --?\S+)* (test|tests|check|lint|typecheck|type-check|build|verify)\b/,
  /^(npm|yarn|bun|deno|cargo|go|swift|dotnet|mix|flutter|zig build) test\b/,
  /^(npx |pnpm exec |yarn |bunx )?(vitest|jest|mocha|ava|tap|tsc|eslint|biome (check|lint)|playwright test|cypress run)\b/,
  /^node( --?\S+)* --test\b/,
  /^((uv|poetry|pdm|hatch|pipenv) run )?(python3?( -m)? )?(pytest|unittest|tox|nox|ruff check|mypy|pyright|flake8)\b/,
  /^(cargo|go) (check|vet|build|clippy)\b/,
  /^(mvn|\.\/mvnw|gradle|\.\/gradlew)\b.*\b(test|check|verify|build)\b/,
  /^make( -\S+)* (test|tests|check|lint|all)\b/,
  /^(bundle exec )?(rspec|rake test|rails test)\b/,
  /^(ctest|phpunit|vendor\/bin\/phpunit|prove|bats|shellcheck)\b/,
]

const mostLines = 20
const mostChars = 2000

/** Lines that name failures, with the last lines, where runners put their summary; at most 20 lines. */
function importantLines(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  if (lines.length <= mostLines) return clip(lines.join('\n'))
  const tail = lines.slice(-8)
  const failures = lines
    .slice(0, -8)
    .filter((line) => /\b(fail(ed|ure|ing)?|error|panic|assert\w*|expected|✗|✖|×|not ok)\b/i.test(line))
  return clip([...failures.slice(0, mostLines - tail.length), ...tail].join('\n'))
}

function clip(text: string): string {
  return shorten(text, mostChars + 1)
}
