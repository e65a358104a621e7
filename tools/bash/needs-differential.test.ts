// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what looks like a placeholder is shell code
/** Compares what the analysis says with what bash really runs, for random lines. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commandNeeds } from './needs.ts'

let folder = ''
let runs = 0
const [bash = '', version = '0'] = spawnSync('bash', ['-c', 'echo "$BASH" "${BASH_VERSINFO[0]}"'], { encoding: 'utf8' })
  .stdout.trim()
  .split(' ')
/** The handler that writes commands down came with bash 4. */
const withHandler = test.skipIf(Number(version) < 4)

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-differential-')))
})

afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }))

/** Every argv that bash looks for a program for. There are none on PATH, so none runs; a handler writes them down. */
async function whatBashRuns(line: string): Promise<string[][]> {
  // What one line leaves in the background must not write into the next one's log.
  const log = join(folder, `log-${runs++}`)
  writeFileSync(log, '')
  const child = spawn(bash, ['--noprofile', '--norc', '-c', '--', line], {
    cwd: folder,
    stdio: 'ignore',
    detached: true,
    env: {
      PATH: '/nonexistent',
      LOG: log,
      // One write per command: what a pipe runs side by side must not mix.
      'BASH_FUNC_command_not_found_handle%%': `() { local a s=''; for a in "$@"; do s+="$a"$'\\x1f'; done; builtin printf '%s\\x1e' "$s" >> "$LOG"; }`,
    },
  })
  const ended = once(child, 'exit')
  const limit = setTimeout(() => child.kill('SIGKILL'), 5_000)
  await ended
  clearTimeout(limit)
  endGroup(child.pid)
  return readFileSync(log, 'utf8')
    .split('\x1e')
    .slice(0, -1)
    .map((argv) => argv.split('\x1f').slice(0, -1))
}

/** What a line has put into the background must not outlive it. */
function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // Nobody is left.
  }
}

const words = [
  'cmda',
  'cmdb',
  'x',
  '-rf',
  'a=b',
  '1',
  "'q q'",
  '"d d"',
  '"d\\"d"',
  '\\c',
  "''",
  'é',
  '#h',
  'x#y',
  '[',
  '{}',
  '!',
]
const separators = [' ', ' ', ' ', '\t', ';', '\n', '|', '||', '&&', ' \\\n', '\\\n']
const expansions = [
  '$x',
  '"$x"',
  '~',
  '*',
  '?',
  '{a,b}',
  "$'a'",
  '$"a"',
  '${x:-y}',
  '\\',
  "'",
  '"',
  '`',
  '$',
  '>',
  '<',
  '&',
  '(',
  ')',
]
const benign = ['2>&1', '>/dev/null', '2>/dev/null', '>&2']

withHandler(
  'bash (4 or later) runs no other words than those of a line that is called plain',
  async () => {
    const fragment = fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...words) },
      { weight: 8, arbitrary: fc.constantFrom(...separators) },
      { weight: 1, arbitrary: fc.constantFrom(...expansions) },
      { weight: 1, arbitrary: fc.constantFrom(...benign) },
    )
    let plain = 0
    await fc.assert(
      fc.asyncProperty(fc.array(fragment, { minLength: 1, maxLength: 14 }), async (fragments) => {
        const line = fragments.join('')
        const needs = await commandNeeds(line)
        fc.pre(needs.every((need) => need.plain))
        plain++
        const listed = needs.map((need) => JSON.stringify(need.argv))
        for (const argv of await whatBashRuns(line)) expect(listed, line).toContain(JSON.stringify(argv))
      }),
      { numRuns: 250, maxSkipsPerRun: 100 },
    )
    expect(plain).toBeGreaterThanOrEqual(250)
  },
  120_000,
)

/** Lines of every construct that can hold commands, nested in one another. */
const { line: nestedLine } = fc.letrec<{ line: string }>((tie) => ({
  line: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(
      'cmda',
      'cmdb x',
      'cmdc "y z"',
      "'cmdd' q",
      'cmd\\e',
      '"cmdf" -x',
      '! cmdg',
      'X=1 cmdh',
      'cmdi $NONE',
    ),
    ...[
      '@; @',
      '@ && @',
      '@ || @',
      '@ | @',
      '@ |& @',
      '@\n@',
      '@ & @',
      '( @ )',
      '{ @; }',
      'if @; then @; else @; fi',
      'until @; do @; break; done',
      'for i in $(@); do @; done',
      'for ((i=0; i<1; i++)); do @; done',
      'case x in y) @;; x) @;; esac',
      'f() { @; } ; @',
      'time @',
      'v=$(@)',
      'echo "$(@)"',
      'echo "${NONE:-$(@)}"',
      'echo ${NONE:=`cmdj`} $(@)',
      // Within `$((` bash guesses anew when it meets a `case`, so only a simple command stands there.
      'echo $(( $(cmdn) + 0 )) ; @',
      'echo "a`cmdk "l"`b" <(@)',
      '[[ -n $(@) ]]',
      'cmdl <<E\n$(@)\nE\n',
      'cmdm <<< "$(@)"',
      '{ @; } >/dev/null 2>&1',
      'exec 3< <(@)',
    ].map((shape) => fc.array(tie('line'), { minLength: 3, maxLength: 3 }).map((inner) => filled(shape, inner))),
    fc.tuple(fc.constantFrom('eval', 'trap -- ', 'command eval'), tie('line')).map(([before, inner]) => {
      const after = before.startsWith('trap') ? ' EXIT' : ''
      return `${before} '${inner.replaceAll("'", "'\\''")}'${after}`
    }),
  ),
}))

function filled(shape: string, inner: string[]): string {
  let next = 0
  return shape.replaceAll('@', () => inner[next++ % inner.length] ?? '')
}

withHandler(
  'every program that bash would start is listed, however deep in the line it is',
  async () => {
    let started = 0
    await fc.assert(
      fc.asyncProperty(nestedLine, async (line) => {
        const needs = await commandNeeds(line)
        const names = needs.map(({ argv, text }) => argv?.[0] ?? /^(?:X=1 )?(\S+)/.exec(text)?.[1])
        // Past a certain depth the analysis says that it stopped looking.
        if (needs.some((need) => need.hazards.some((hazard) => hazard.includes('too deeply')))) return
        const ran = await whatBashRuns(line)
        started += ran.length
        for (const [name = ''] of ran) expect(names, line).toContain(name)
      }),
      { numRuns: 200 },
    )
    expect(started).toBeGreaterThan(100)
  },
  120_000,
)

withHandler('the comparison itself sees what bash runs', async () => {
  expect((await whatBashRuns(`cmda 'b c' "" | cmdd; x=$(cmde)`)).map(String).sort()).toEqual([
    'cmda,b c,',
    'cmdd',
    'cmde',
  ])
})
