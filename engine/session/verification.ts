/** Recognises commands that check the work, and makes a structured result of their output. */
import { shorten, type ToolCall, type ToolResult, type VerificationResult } from '../protocol/index.ts'

/** The verification that a finished call was, or null when it was something else or never ran. */
export function verificationOf(call: ToolCall, result: ToolResult): VerificationResult | null {
  const command = (call.input as { command?: unknown } | null)?.command
  const { exitCode, durationMs } = result.metadata
  if (typeof command !== 'string' || (typeof exitCode !== 'number' && exitCode !== null)) return null
  if (!isVerification(command)) return null
  return {
    command,
    exitCode,
    durationMs: typeof durationMs === 'number' ? durationMs : 0,
    passed: exitCode === 0,
    importantOutput: importantLines(result.content),
  }
}

/** True when some part of the line runs tests, types, lint or a build by a name that is used for that. */
export function isVerification(command: string): boolean {
  return command.split(/&&|\|\||;|\n|\|/).some((part) => {
    const words = part
      .trim()
      .split(/\s+/)
      .filter((word) => !/^[A-Z_][A-Z0-9_]*=/.test(word))
    return checks.some((check) => check.test(words.join(' ')))
  })
}

const checks = [
  /^(npm|pnpm|yarn|bun)( run)?( --?\S+)* (test|tests|check|lint|typecheck|type-check|build|verify)\b/,
  /^(npm|yarn|bun|deno|cargo|go|swift|dotnet|mix|flutter|zig build) test\b/,
  /^(npx |pnpm exec |yarn |bunx )?(vitest|jest|mocha|ava|tap|tsc|eslint|biome (check|lint)|playwright test|cypress run)\b/,
  /^node( --?\S+)* --test\b/,
  /^(python3?( -m)? )?(pytest|unittest|tox|nox|ruff check|mypy|pyright|flake8)\b/,
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
