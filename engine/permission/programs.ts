/** What programs are, for rules: wrappers, shells, interpreters and builtins that no short rule may cover. */
import { baseName } from './paths.ts'

/** How a wrapper's command line is laid out in front of the command that it runs. */
export type WrapperLayout = {
  /** Options that take the next word as their value. */
  values: readonly string[]
  /** Words that belong to the wrapper itself before the command: the 5 of `timeout 5 make`. */
  operands: number
  /** `NAME=value` words may stand before the command. */
  assignments?: boolean
  /** Options after which the rest is no longer one literal command: no rule but the exact one covers it. */
  opaque?: readonly string[]
}

export type ProgramNature = 'wrapper' | 'shell' | 'interpreter' | 'builtin' | 'ordinary'

/** The name under which a program is known: without its folder, its `.exe` and its version (`python3.12` is `python`). */
export function programName(word: string): string {
  const base = baseName(word)
  // Nearly every name ends here: what follows is about names with a dot or a digit.
  if (natures.has(base) || !/[.\d]/.test(base)) return base
  const name = base.replace(/\.exe$/i, '')
  if (natures.has(name)) return name
  if (/^ld(?:-[\w.-]+)?\.so(?:\.\d+)*$/.test(name)) return 'ld.so'
  const bare = name.replace(/[-.]?\d[\d.]*(?:t|-\d+)?$/, '')
  return natures.has(bare) ? bare : name
}

export function programNature(word: string): ProgramNature {
  return natures.get(programName(word)) ?? 'ordinary'
}

/** Where the wrapped command of `argv` begins; null when the layout is not known, is opaque, or nothing is wrapped. */
export function wrappedStart(argv: readonly string[]): number | null {
  const layout = layouts.get(programName(argv[0] ?? ''))
  if (!layout) return null
  let operands = layout.operands
  let ended = false
  for (let i = 1; i < argv.length; i++) {
    const word = argv[i] as string
    if (!ended && word === '--') {
      ended = true
    } else if (!ended && word.startsWith('-')) {
      if (layout.opaque?.some((option) => isOption(word, option))) return null
      if (layout.values.includes(word)) i++
    } else {
      if (layout.assignments && /^[A-Za-z_]\w*=/.test(word)) continue
      if (operands === 0) return i
      operands--
      ended = true
    }
  }
  return null
}

/**
 * What an interpreter or shell runs: `fixed` is the index of the word that names it (a script, `-m module`, `--test`), so
 * a rule that reaches beyond that word knows the program; `inline` means code in the command line or from standard input.
 */
export function interpretedProgram(argv: readonly string[]): { fixed: number } | { inline: true } {
  const name = programName(argv[0] ?? '')
  const flags = harmlessFlags.get(name)
  for (let i = 1; i < argv.length; i++) {
    const word = argv[i] as string
    if (word === '-') return { inline: true }
    if (!word.startsWith('-') && !word.startsWith('+')) return { fixed: i }
    if (name === 'python' && word === '-m' && i + 1 < argv.length) return { fixed: i + 1 }
    if (name === 'node' && word === '--test') {
      return argv.slice(i + 1).every(isTestRunnerWord) ? { fixed: i } : { inline: true }
    }
    if ((word === '--version' || word === '-V' || word === '--help') && argv.length === 2) return { fixed: i }
    if (word === '-v' && name === 'node' && argv.length === 2) return { fixed: i }
    if (!flags?.has(word)) return { inline: true }
  }
  return { inline: true }
}

/** How many leading words only say "run the following": 2 for `poetry run`, 3 for `docker compose run`, 0 for others. */
export function runnerLength(argv: readonly string[]): number {
  const name = programName(argv[0] ?? '')
  let longest = 0
  for (const runner of runners) {
    if (runner[0] === name && runner.every((word, i) => i === 0 || argv[i] === word)) {
      longest = Math.max(longest, runner.length)
    }
  }
  return longest
}

/** `-S`, `-Sx`, `-vS` and `--split-string=x` all say the option. */
function isOption(word: string, option: string): boolean {
  if (option.startsWith('--')) return word === option || word.startsWith(`${option}=`)
  return /^-[A-Za-z]/.test(word) && word.includes(option.slice(1))
}

function isTestRunnerWord(word: string): boolean {
  if (!word.startsWith('-')) return true
  return (
    /^--test-(?:name-pattern|skip-pattern|only|concurrency|timeout|shard|force-exit)(?:=|$)/.test(word) ||
    /^--test-reporter=(?:spec|tap|dot|junit|lcov)$/.test(word) ||
    word === '--experimental-test-coverage' ||
    word === '--watch'
  )
}

const plainWrapper: WrapperLayout = { values: [], operands: 0 }

/** Wrappers whose command can be found; all others in `opaqueWrappers` cannot be looked into. */
const layouts = new Map<string, WrapperLayout>([
  ['command', { ...plainWrapper, opaque: ['-v', '-V'] }],
  ['builtin', plainWrapper],
  ['exec', { values: ['-a'], operands: 0 }],
  [
    'env',
    { values: ['-u', '--unset', '-C', '--chdir'], operands: 0, assignments: true, opaque: ['-S', '--split-string'] },
  ],
  ['nohup', plainWrapper],
  ['nice', { values: ['-n', '--adjustment'], operands: 0 }],
  ['ionice', { values: ['-c', '--class', '-n', '--classdata'], operands: 0, opaque: ['-p', '-P', '-u'] }],
  ['timeout', { values: ['-s', '--signal', '-k', '--kill-after'], operands: 1 }],
  ['stdbuf', { values: ['-i', '--input', '-o', '--output', '-e', '--error'], operands: 0 }],
  ['setsid', plainWrapper],
  ['time', { values: ['-f', '--format', '-o', '--output'], operands: 0 }],
  ['caffeinate', { values: ['-t', '-w'], operands: 0 }],
  [
    'sudo',
    {
      values: sudoValues(),
      operands: 0,
      assignments: true,
      opaque: ['-e', '--edit', '-i', '--login', '-s', '--shell'],
    },
  ],
  ['doas', { values: ['-u', '-C'], operands: 0, opaque: ['-s'] }],
])

function sudoValues(): string[] {
  return [
    '-u',
    '--user',
    '-g',
    '--group',
    '-h',
    '--host',
    '-p',
    '--prompt',
    '-C',
    '-D',
    '--chdir',
    '-r',
    '-t',
    '-T',
    '-U',
  ]
}

const opaqueWrappers =
  'xargs watch flock unshare nsenter chroot strace ltrace valgrind script busybox toybox parallel su runuser pkexec run0 ' +
  'systemd-run dbus-run-session dbus-launch xvfb-run firejail bwrap proot fakeroot fakechroot faketime torsocks torify ' +
  'proxychains proxychains4 tsocks ssh mosh rsh autossh sshpass unbuffer expect entr direnv nix-shell cross-env env-cmd ' +
  'dotenv dotenvx rlwrap screen tmux zellij at batch crontab start-stop-daemon setarch linux32 linux64 i386 x86_64 prlimit ' +
  'cpulimit sg newgrp setpriv capsh run-parts chronic ifne hyperfine perf rr choom uclampset chrt taskset numactl tini ' +
  'dumb-init gosu su-exec cgexec cgclassify trickle cmd winpty arch watchexec chpst setuidgid softlimit envdir s6-setuidgid ' +
  'catchsegv gdb gdbserver lldb ld.so coproc aa-exec sem pee nodemon pm2 forever concurrently run-p run-s onchange ' +
  'execlineb with-contenv schroot vagrant lxc-attach lxc open xdg-open ' +
  'systemd-inhibit fswatch inotifywait'

const shells =
  'bash sh dash zsh ksh mksh pdksh ash yash fish tcsh csh rbash elvish nu nushell pwsh powershell osh oil xonsh'

const interpreters =
  'node nodejs deno bun python pypy ipython ruby jruby perl php php-cgi lua luajit tclsh wish Rscript R julia swift scala ' +
  'groovy ghci runghc runhaskell elixir iex erl escript osascript awk gawk mawk nawk original-awk java jshell irb npx bunx ' +
  'pnpx uvx pipx tsx ts-node coffee octave ed ex vi vim view nvim emacs nano micro m4 dc sqlite sqlite3 guile racket sbcl ' +
  'clisp clojure bb ocaml crystal dart kotlin kotlinc gnuplot janet raku rakudo zx babel-node electron'

const builtins =
  'cd pushd popd dirs eval source . export typeset declare local readonly set unset alias unalias printf test [ [[ read ' +
  'readarray mapfile let getopts trap hash enable shopt complete compgen compopt bind history fc jobs fg bg disown suspend ' +
  'wait kill caller ulimit umask exit return shift break continue times logout help type'

/** Options before a script that change nothing about what is run. */
const harmlessFlags = new Map<string, ReadonlySet<string>>([
  ['python', new Set(['-u', '-B', '-O', '-OO', '-s', '-S', '-E', '-I', '-q', '-v'])],
  ['node', new Set(['--no-warnings', '--enable-source-maps', '--trace-warnings', '--trace-uncaught'])],
  ['bash', new Set(['-e', '-u', '-x', '-eu', '-ex', '-eux', '--noprofile', '--norc'])],
  ['npx', new Set(['-y', '--yes', '--no-install', '--no'])],
  ['sh', new Set(['-e', '-u', '-x', '-eu', '-ex', '-eux'])],
])

const runners: readonly (readonly string[])[] = [
  ['npm', 'exec'],
  ['npm', 'x'],
  ['pnpm', 'exec'],
  ['pnpm', 'dlx'],
  ['yarn', 'exec'],
  ['yarn', 'dlx'],
  ['bun', 'x'],
  ['bun', 'run'],
  ['deno', 'run'],
  ['deno', 'eval'],
  ['go', 'run'],
  ['go', 'tool'],
  ['poetry', 'run'],
  ['uv', 'run'],
  ['uv', 'tool', 'run'],
  ['pipenv', 'run'],
  ['pdm', 'run'],
  ['hatch', 'run'],
  ['rye', 'run'],
  ['pixi', 'run'],
  ['conda', 'run'],
  ['bundle', 'exec'],
  ['rbenv', 'exec'],
  ['pyenv', 'exec'],
  ['asdf', 'exec'],
  ['mise', 'exec'],
  ['mise', 'x'],
  ['rustup', 'run'],
  ['composer', 'exec'],
  ['mix', 'run'],
  ['dotnet', 'exec'],
  ['nix', 'run'],
  ['nix', 'shell'],
  ['nix', 'develop'],
  ['docker', 'run'],
  ['docker', 'exec'],
  ['docker', 'compose', 'run'],
  ['docker', 'compose', 'exec'],
  ['podman', 'run'],
  ['podman', 'exec'],
  ['kubectl', 'exec'],
  ['kubectl', 'run'],
  ['aws-vault', 'exec'],
  ['doppler', 'run'],
  ['op', 'run'],
  ['git', 'bisect', 'run'],
  ['git', 'submodule', 'foreach'],
]

const natures = new Map<string, ProgramNature>([
  ...names(interpreters, 'interpreter'),
  ...names(shells, 'shell'),
  ...names(builtins, 'builtin'),
  ...names(opaqueWrappers, 'wrapper'),
  ...[...layouts.keys()].map((name): [string, ProgramNature] => [name, 'wrapper']),
])

function names(list: string, nature: ProgramNature): [string, ProgramNature][] {
  return list.split(' ').map((name) => [name, nature])
}
