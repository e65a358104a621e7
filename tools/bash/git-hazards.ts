/** What git can do beyond its subcommand's name: run programs from arguments, take another configuration, destroy work. */
import { entry } from './entry.ts'
import { operandsOf, riskyOptions } from './option-scan.ts'

const otherConfig = 'makes git obey a configuration from elsewhere'
const runs = 'runs another program'
const discards = 'throws work away'
const rewrites = 'rewrites or deletes history'

/** Sentences about risky arguments of `git ARGS`; `outside` tells whether a path leaves the workspace. */
export function gitHazards(args: readonly string[], outside: (path: string) => boolean): string[] {
  const { globals, subcommand, rest } = splitGit(args)
  const own = entry(subcommands, subcommand)
  return [
    ...globalHazards(globals, outside),
    // `--text` is an option of its own and not short for `--textconv`.
    ...riskyOptions(
      `git ${subcommand}`,
      rest.filter((arg) => arg !== '--text'),
      { risky: everywhere },
    ),
    ...(typeof own === 'function' ? own(`git ${subcommand}`, rest) : own ? [`\`git ${subcommand}\` ${own}`] : []),
    ...(rest.some((arg) => /^[\w+.-]+::|^ssh:\/\/-/.test(arg)) ? ['a git address of this form runs a program'] : []),
  ]
}

/** Options that mean the same danger under every subcommand that knows them. */
const everywhere = {
  output: 'writes a file',
  'ext-diff': runs,
  textconv: runs,
  'open-files-in-pager': runs,
  'upload-pack': runs,
  'receive-pack': runs,
  exec: runs,
  extcmd: runs,
  'no-index': 'compares files outside the repository',
  template: otherConfig,
  'separate-git-dir': otherConfig,
  config: otherConfig,
}

/** `name` is the subcommand with `git` in front. */
type Check = (name: string, rest: readonly string[]) => string[]

const subcommands: Record<string, string | Check> = {
  grep: risky('efABCmO', { O: runs, f: 'reads its patterns from a file' }),
  diff: risky('OSGlU', { O: 'reads an order file' }),
  log: risky('OSGLnlU', { O: 'reads an order file' }),
  show: risky('OSGlU', { O: 'reads an order file' }),
  archive: risky('o', { o: 'writes a file', remote: 'asks another host' }),
  clone: risky('bcjou', { c: otherConfig, u: runs }),
  rebase: risky('xsXCO', { x: runs, i: 'opens an editor', interactive: 'opens an editor' }),
  branch: risky('u', {
    d: rewrites,
    D: rewrites,
    m: rewrites,
    M: rewrites,
    C: rewrites,
    f: rewrites,
    delete: rewrites,
    move: rewrites,
    force: rewrites,
    'edit-description': 'opens an editor',
  }),
  tag: risky('mFu', { d: rewrites, f: rewrites, delete: rewrites, force: rewrites }),
  push: (name, rest) => [
    ...risky('o', {
      f: rewrites,
      force: rewrites,
      'force-with-lease': rewrites,
      d: rewrites,
      delete: rewrites,
      mirror: rewrites,
      prune: rewrites,
    })(name, rest),
    ...(operandsOf(rest, 'o').some((operand) => /^[+:]/.test(operand)) ? [`this \`${name}\` ${rewrites}`] : []),
  ],
  checkout: (name, rest) => {
    const operands = operandsOf(rest, 'bB')
    const paths = rest.includes('--') || operands.includes('.') || (operands.length > 1 && !rest.includes('-b'))
    return [
      ...risky('bB', { f: discards, force: discards, B: rewrites, ours: discards, theirs: discards })(name, rest),
      ...(paths ? [`\`${name}\` of paths ${discards}`] : []),
    ]
  },
  switch: risky('cC', {
    f: discards,
    force: discards,
    'discard-changes': discards,
    C: rewrites,
    'force-create': rewrites,
  }),
  restore: discards,
  reset: risky('', { hard: discards, merge: discards, keep: discards }),
  clean: (name, rest) =>
    rest.some((arg) => /^(-[a-z]*n[a-z]*|--dry-run)$/.test(arg)) ? [] : [`\`${name}\` deletes files`],
  rm: 'deletes files',
  stash: first(/^(drop|clear)$/, discards),
  worktree: first(/^(add|remove|move|prune|repair)$/, 'writes or deletes folders elsewhere'),
  submodule: first(/^(foreach|update|add|deinit|set-url|init|sync)$/, 'runs or fetches from other repositories'),
  bisect: first(/^(run|visualize|view)$/, runs),
  remote: first(/^(add|set-url|remove|rm|rename|set-head|set-branches|prune|update)$/, 'changes where git connects to'),
  reflog: first(/^(expire|delete|drop)$/, rewrites),
  notes: first(/^(remove|prune|merge|edit)$/, rewrites),
  maintenance: first(/^(start|stop|register|unregister)$/, 'changes what runs in the background'),
  config: (name, rest) => {
    const reading = rest.some((arg) => /^(--get|--get-all|--get-regexp|--get-urlmatch|--list|-l|get|list)$/.test(arg))
    return reading ? [] : [`\`${name}\` changes settings that can run programs`]
  },
  gc: risky('', { prune: rewrites }),
  help: (name, rest) => (rest.length > 0 ? [`\`${name}\` opens a viewer program`] : []),
  hook: runs,
  difftool: runs,
  mergetool: runs,
  instaweb: runs,
  'web--browse': runs,
  daemon: 'opens a network port',
  'http-backend': runs,
  'send-email': runs,
  'filter-branch': rewrites,
  'filter-repo': rewrites,
  'update-ref': rewrites,
  'symbolic-ref': rewrites,
  replace: rewrites,
  prune: rewrites,
  'fast-import': rewrites,
  credential: 'reads or stores credentials',
  'credential-store': 'reads or stores credentials',
  'credential-cache': 'reads or stores credentials',
  svn: runs,
  p4: runs,
  cvsserver: runs,
  shell: runs,
}

function globalHazards(globals: readonly string[], outside: (path: string) => boolean): string[] {
  const found = riskyOptions('git', globals, {
    valued: 'cC',
    risky: {
      c: otherConfig,
      'config-env': otherConfig,
      'exec-path': runs,
      'git-dir': otherConfig,
      'work-tree': 'works on another folder',
    },
  })
  const moved = globals.some((arg, at) => arg === '-C' && outside(globals[at + 1] ?? ''))
  return moved ? [...found, '`git -C` works on another folder'] : found
}

/** Git's own options, the subcommand, and what follows it. */
function splitGit(args: readonly string[]): { globals: string[]; subcommand: string; rest: string[] } {
  const withValue = new Set(['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--config-env', '--attr-source'])
  let at = 0
  while (at < args.length && (args[at] ?? '').startsWith('-')) at += withValue.has(args[at] ?? '') ? 2 : 1
  return { globals: args.slice(0, at), subcommand: args[at] ?? '', rest: args.slice(at + 1) }
}

function risky(valued: string, table: Record<string, string>): Check {
  return (name, rest) => riskyOptions(name, rest, { valued, risky: table })
}

/** Checks the first operand, which is a subcommand of the subcommand. */
function first(pattern: RegExp, effect: string): Check {
  return (name, rest) => {
    const word = rest.find((arg) => !arg.startsWith('-')) ?? ''
    return pattern.test(word) ? [`\`${name} ${word}\` ${effect}`] : []
  }
}
