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
    ...(known.has(subcommand) || !/^[\w-]+$/.test(subcommand)
      ? []
      : [`\`git ${subcommand}\` may be an alias that runs anything`]),
    ...(typeof own === 'function' ? own(`git ${subcommand}`, rest) : own ? [`\`git ${subcommand}\` ${own}`] : []),
    ...(rest.some((arg) => /^[\w+.-]+::|^ssh:\/\/-/.test(arg)) ? ['a git address of this form runs a program'] : []),
  ]
}

/** The configuration files that `git ARGS` changes, as a command's words would name them. */
export function gitWrites(args: readonly string[]): string[] {
  const { globals, subcommand, rest } = splitGit(args)
  if (subcommand !== 'config' || readsConfig(rest)) return []
  const options = rest.slice(0, rest.includes('--') ? rest.indexOf('--') : undefined)
  const given = options.flatMap((arg, at) => {
    const glued = /^(?:--file=|-f)(.+)$/.exec(arg)?.[1]
    return glued !== undefined ? [glued] : /^(?:-f|--file)$/.test(arg) ? [rest[at + 1] ?? ''] : []
  })
  const folders = globals.flatMap((arg, at) => (globals[at - 1] === '-C' ? [arg.replace(/\/+$/, '')] : []))
  const below = (file: string) => (/^[/~]/.test(file) ? file : [...folders, file].join('/'))
  if (given.length > 0) return given.map(below)
  if (options.some((arg) => /^--gl/.test(arg))) return ['~/.gitconfig']
  if (options.some((arg) => /^--sy/.test(arg))) return ['/etc/gitconfig']
  return [below('.git/config')]
}

/** True when it only shows settings: by a subcommand, an option, or one name without a value. */
function readsConfig(rest: readonly string[]): boolean {
  const end = rest.indexOf('--')
  const options = end < 0 ? rest : rest.slice(0, end)
  const operands = operandsOf(rest, 'ft', ['file', 'blob', 'type', 'default', 'comment', 'value', 'url'])
  const [first = ''] = operands
  if (/^(?:set|unset|edit|rename-section|remove-section)$/.test(first)) return operands.length === 1 && first !== 'edit'
  if (first === 'get' || first === 'list') return operands.length < 3
  const changes = /^(?:--(?:add|unset|unset-all|replace-all|rename-section|remove-section|edit)|-e)$/
  // Git takes the beginning of a long option for the whole.
  if (options.some((arg) => changes.test(arg) || /^--(?:ad|un|rep|ren|rem|ed)/.test(arg))) return false
  const shows = /^(?:--get|--get-all|--get-regexp|--get-urlmatch|--get-color|--get-colorbool|--list|-l)$/
  return options.some((arg) => shows.test(arg)) || operands.length === 1
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
  'show-signature': runs,
  'gpg-sign': runs,
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
  'diff-tree': risky('OSGlU', { O: 'reads an order file' }),
  commit: risky('mFCcut', { S: runs }),
  'cat-file': risky('', { filters: runs }),
  'verify-commit': runs,
  'verify-tag': runs,
  apply: risky('pC', { 'unsafe-paths': 'writes outside the repository' }),
  'interpret-trailers': risky('', { 'in-place': 'writes a file' }),
  'merge-file': 'writes a file',
  'unpack-file': 'writes a file',
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
  tag: risky('mFu', { s: runs, u: runs, v: runs, d: rewrites, f: rewrites, delete: rewrites, force: rewrites }),
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
  config: (name, rest) => (readsConfig(rest) ? [] : [`\`${name}\` changes settings that can run programs`]),
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
  'imap-send': runs,
  'upload-pack': 'serves a repository',
  'receive-pack': 'serves a repository',
  credential: 'reads or stores credentials',
  'credential-store': 'reads or stores credentials',
  'credential-cache': 'reads or stores credentials',
  svn: runs,
  p4: runs,
  cvsserver: runs,
  shell: runs,
}

/** Git's own commands; every other name is looked up in aliases, which a project's configuration may define, and in PATH. */
const known = new Set(
  (
    'add am annotate apply archive bisect blame branch bugreport bundle cat-file check-attr check-ignore check-mailmap ' +
    'check-ref-format checkout checkout-index cherry cherry-pick citool clean clone column commit commit-graph commit-tree ' +
    'config count-objects credential credential-cache credential-store cvsserver daemon describe diagnose diff diff-files ' +
    'diff-index diff-tree difftool fast-export fast-import fetch fetch-pack filter-branch filter-repo fmt-merge-msg ' +
    'for-each-ref for-each-repo format-patch fsck gc get-tar-commit-id grep gui hash-object help hook http-backend imap-send ' +
    'index-pack init init-db instaweb interpret-trailers log ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge ' +
    'merge-base merge-file merge-index merge-tree mergetool mktag mktree multi-pack-index mv name-rev notes p4 pack-objects ' +
    'pack-redundant pack-refs patch-id prune prune-packed pull push quiltimport range-diff read-tree rebase receive-pack ' +
    'reflog refs remote repack replace replay request-pull rerere reset restore rev-list rev-parse revert rm send-email ' +
    'send-pack shell shortlog show show-branch show-index show-ref sparse-checkout stage stash status stripspace submodule ' +
    'svn switch symbolic-ref tag unpack-file unpack-objects update-index update-ref update-server-info upload-archive ' +
    'upload-pack var verify-commit verify-pack verify-tag version web--browse whatchanged worktree write-tree'
  ).split(' '),
)

function globalHazards(globals: readonly string[], outside: (path: string) => boolean): string[] {
  const found = riskyOptions('git', globals, {
    valued: 'cC',
    risky: {
      c: otherConfig,
      'config-env': otherConfig,
      p: 'starts the pager of the configuration',
      paginate: 'starts the pager of the configuration',
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
