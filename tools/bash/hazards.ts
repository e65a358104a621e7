/** Says what a command's own arguments make of it: which ones write, delete, run programs or leave the workspace. */
import { posix } from 'node:path'
import { entry } from './entry.ts'
import { gitHazards, gitWrites } from './git-hazards.ts'
import { hazardTable, openEnded } from './hazard-table.ts'
import { operandsOf, riskyOptions } from './option-scan.ts'
import { awkHazards, sedHazards } from './script-hazards.ts'
import { programName } from './wrapped.ts'

/**
 * Sentences for a person; whenever there is one, no rule may let the command through silently.
 * `argv` is quote-removed; `cwd` is the canonical workspace root, against which paths count as outside.
 */
export function commandHazards(argv: readonly string[], cwd: string | undefined): string[] {
  const program = programName([{ value: argv[0] ?? '' }])
  const args = argv.slice(1)
  const leaves = (path: string) => isOutside(path, cwd)
  const table = entry(hazardTable, program)
  const check = entry(checks, program)
  const open = entry(openEnded, program)
  return [
    ...(open === undefined ? [] : [`\`${program}\`: ${open}`]),
    ...(table ? riskyOptions(program, args, table) : []),
    ...(check?.(args, leaves) ?? []),
    ...(writers.has(program) ? pathHazards(program, args, leaves) : []),
    ...(builtins.has(program) ? subscriptHazards(program, args) : []),
    ...(table || check ? [] : wordsThatRun(program, args)),
    ...args.filter(isSensitive).map((arg) => `${arg} is a way around the rules on files`),
  ]
}

/** Files that the program itself is told to write, as they were written in its arguments. */
export function writtenByProgram(argv: readonly string[]): string[] {
  const program = programName([{ value: argv[0] ?? '' }])
  const args = argv.slice(1)
  if (program === 'tee') return operandsOf(args).filter((file) => file !== '/dev/null')
  if (program === 'git') return gitWrites(args)
  const settings = settingsOf(program, args)
  if (settings !== undefined) return [settings]
  if (program === 'dd')
    return args.flatMap((arg) => (arg.startsWith('of=') && arg !== 'of=/dev/null' ? [arg.slice(3)] : []))
  return []
}

/** Files of settings and hooks that a program changes without being given their names. */
function settingsOf(program: string, args: readonly string[]): string | undefined {
  if (!/^(?:p?npm|yarn|pip3?|pre-commit|lefthook|husky)$/.test(program)) return undefined
  const [first = '', second = ''] = operandsOf(args)
  const sets = /^(?:set|delete|rm|unset|edit|fix)$/.test(second) && /^(?:config|c)$/.test(first)
  if (/^p?npm$/.test(program) && (sets || first === 'set')) return '~/.npmrc'
  if (program === 'yarn' && sets) return '~/.yarnrc'
  if (/^pip3?$/.test(program) && sets) return '~/.config/pip/pip.conf'
  if (/^(?:pre-commit|lefthook|husky)$/.test(program) && /^(?:install|uninstall|init|add|set)$/.test(first))
    return '.git/hooks'
  return undefined
}

/** Long options that name a program or code to load, whatever the program that has them. */
function wordsThatRun(program: string, args: readonly string[]): string[] {
  const runs = args.filter((arg) => arg.startsWith('-') && loads.test(arg))
  return [...new Set(runs)].map((arg) => `\`${program} ${arg}\` runs another program or loads code`)
}

const loads =
  /^--?(?:pager|editor|browser|shell|wrapper|plugin|require|import|loader|exec|execute|run-command|compress-program|node-options|script-shell)(?:=|$)/

type Check = (args: readonly string[], leaves: (path: string) => boolean) => string[]

const checks: Record<string, Check> = {
  git: gitHazards,
  sed: sedHazards,
  awk: awkHazards,
  gawk: awkHazards,
  mawk: awkHazards,
  nawk: awkHazards,
  'original-awk': awkHazards,
  tee: (args) => writtenByProgram(['tee', ...args]).map((path) => `\`tee\` writes ${path}`),
  dd: (args) => writtenByProgram(['dd', ...args]).map((path) => `\`dd\` writes ${path}`),
  fdfind: (args) => riskyOptions('fd', args, hazardTable.fd ?? {}),
  // `tar xIf PROGRAM FILE`: the first argument may be options without a dash.
  tar: (args) => {
    const letters = args[0] ?? ''
    return /^[A-Za-z]+$/.test(letters) && /[FIP]/.test(letters) ? riskyOptions('tar', [`-${letters}`], tarLetters) : []
  },
  date: (args) =>
    operandsOf(args, 'dfrs', ['date', 'reference']).some((operand) => !operand.startsWith('+'))
      ? ['`date` with this argument sets the clock']
      : [],
  chmod: (args) =>
    args.some((arg) => /^[ugoa]*[+=][a-zA-Z]*s|^0?[2-7]\d{3}$/.test(arg))
      ? ['`chmod` lets others run a file with the rights of its owner']
      : [],
  hostname: (args) => (operandsOf(args, 'F').length > 0 ? ['`hostname NAME` sets the host name'] : []),
  less: (args) => plusCommands('less', args),
  more: (args) => plusCommands('more', args),
  uniq: (args) => secondOperandIsOutput('uniq', operandsOf(args, 'fsw', ['skip-fields', 'skip-chars', 'check-chars'])),
  xxd: (args) => secondOperandIsOutput('xxd', operandsOf(args, 'cglnos')),
  grep: (args, leaves) => outsidePatternFile('grep', args, leaves),
  egrep: (args, leaves) => outsidePatternFile('egrep', args, leaves),
  fgrep: (args, leaves) => outsidePatternFile('fgrep', args, leaves),
  rg: (args, leaves) => outsidePatternFile('rg', args, leaves),
  curl: (args) =>
    args.some((arg) => /^@|[=<]@|^-[dF]@|^file:/i.test(arg)) ? ['`curl` is told to read a local file'] : [],
  make: (args) =>
    args.some((arg) => /^(SHELL|\.SHELLFLAGS|MAKEFLAGS|MAKEFILES|CC|CXX|LD|AR)\s*[:?+]?=/.test(arg))
      ? ['`make` is told which programs to run']
      : [],
  pytest: (args) => pytestPlugins(args),
  node: (args) => (args.some((arg) => /^data:/.test(arg)) ? ['`node` is given code in an address'] : []),
  sqlite3: (args) =>
    args.some((arg) =>
      /^-{1,2}(cmd|init|newline)\b|(^|\n)\s*\.(shell|system|once|output|open|load|import|excel|read)|\b(load_extension|writefile|edit)\s*\(/.test(
        arg,
      ),
    )
      ? ['`sqlite3` is told to run a program or touch other files']
      : [],
  psql: (args) =>
    args.some((arg) => /\\[!oigw]|\\copy|\bprogram\b/i.test(arg)) ? ['`psql` is told to run a program'] : [],
  mysql: (args) => (args.some((arg) => /\\!|\bsystem\b/i.test(arg)) ? ['`mysql` is told to run a program'] : []),
}

const tarLetters = {
  risky: { I: 'runs another program', F: 'runs another program', P: 'writes outside the folder that it extracts into' },
}

/** Programs whose paths are worth a look, since they create, change or delete files. */
const writers = new Set(
  'cp mv ln install rsync rm rmdir unlink mkdir touch chmod chown chgrp truncate shred tee dd mktemp split csplit patch unzip tar cpio'.split(
    ' ',
  ),
)

/** Builtins of bash that evaluate a subscript inside a literal argument. */
const builtins = new Set(
  'printf test [ read let unset wait declare typeset local export readonly mapfile readarray getopts'.split(' '),
)

function subscriptHazards(program: string, args: readonly string[]): string[] {
  const evaluated = args.some((arg) => (program === 'let' ? /[$`]/ : /\[[\s\S]*[$`]/).test(arg))
  return evaluated ? [`\`${program}\` evaluates what stands in brackets of its arguments`] : []
}

function pathHazards(program: string, args: readonly string[], leaves: (path: string) => boolean): string[] {
  const paths = args.flatMap((arg) => pathsIn(arg))
  return [
    ...paths.filter(leaves).map((path) => `\`${program}\` touches ${path}, which is outside the workspace`),
    ...paths.filter(isProtected).map((path) => `\`${program}\` touches ${path}, which settings or hooks live in`),
  ]
}

/** The argument itself, or the value of `--name=value`, `name=value` and `-nvalue`. */
function pathsIn(arg: string): string[] {
  const value = /^(?:--?[\w-]+|\w+)=([\s\S]*)$/.exec(arg)?.[1] ?? /^-[A-Za-z]([./~][\s\S]*)$/.exec(arg)?.[1]
  if (value !== undefined) return [value]
  return arg.startsWith('-') ? [] : [arg]
}

/** Judged by the text alone: links are the business of whoever opens the file. */
function isOutside(path: string, cwd: string | undefined): boolean {
  if (/^\/dev\/(null|stdout|stderr|stdin)$/.test(path)) return false
  if (path.startsWith('~')) return true
  const normal = posix.normalize(path)
  if (!normal.startsWith('/')) return normal === '..' || normal.startsWith('../')
  return cwd === undefined || !(normal === cwd || normal.startsWith(cwd === '/' ? '/' : `${cwd}/`))
}

function isProtected(path: string): boolean {
  return posix
    .normalize(path)
    .toLowerCase()
    .split('/')
    .some((part) => protectedNames.has(part))
}

const protectedNames = new Set(['.git', '.sluice', '.vscode', '.idea', '.mcp.json', '.husky', '.claude', '.cursor'])

/** Paths that lead around every rule on files, or to secrets, whatever program opens them. */
function isSensitive(arg: string): boolean {
  return arg.includes('/') && waysAround.test(arg)
}

const waysAround =
  /(^|[=:@])\/+(proc\/+(self|thread-self|\d+)\/+(environ|root|cwd|fd|mem|maps|task|map_files)|dev\/+(fd|tcp|udp|mem|kmem|sd|nvme|disk)|etc\/+(shadow|gshadow|sudoers))\b/

function plusCommands(program: string, args: readonly string[]): string[] {
  return args.some((arg) => arg.startsWith('+')) ? [`\`${program} +…\` runs a command of the viewer`] : []
}

function secondOperandIsOutput(program: string, operands: string[]): string[] {
  return operands.length > 1 ? [`\`${program}\` writes its second file`] : []
}

function outsidePatternFile(program: string, args: readonly string[], leaves: (path: string) => boolean): string[] {
  const files = args.flatMap((arg, at) => {
    const long = /^--(?:file|exclude-from|ignore-file)(?:=([\s\S]*))?$/.exec(arg)
    if (long) return [long[1] ?? args[at + 1] ?? '']
    const short = /^-[a-zA-Z]*?f([\s\S]*)$/.exec(arg)
    return short ? [short[1] === '' ? (args[at + 1] ?? '') : (short[1] ?? '')] : []
  })
  return files.filter(leaves).map((path) => `\`${program}\` reads ${path}, which is outside the workspace`)
}

function pytestPlugins(args: readonly string[]): string[] {
  const plugins = args.flatMap((arg, at) =>
    arg === '-p' ? [args[at + 1] ?? ''] : /^-p./.test(arg) ? [arg.slice(2)] : [],
  )
  return plugins.some((plugin) => !plugin.startsWith('no:')) ? ['`pytest -p` loads code'] : []
}
