/** What the exit code of a command line says about the checks in it: that they passed, that one may have failed, or nothing. */
import { type Chain, type Command, type List, parseLine } from './shell-line.ts'

/** `proves`: exit code 0 means that every check in the line passed. `fails`: another code may come from one of them. */
export type CheckLine = { proves: boolean; fails: boolean }

/** Null when nothing in the line checks anything. `isCheck` is asked for commands without what only wraps them. */
export function checkLine(line: string, isCheck: (words: string[]) => boolean): CheckLine | null {
  const list = parseLine(line)
  if (list === null) return mentions(line, isCheck) ? { proves: false, fails: false } : null
  const found = ofList(list, { isCheck, pipefail: false, errexit: false })
  return found.checks === 0 ? null : { proves: found.proven === found.checks, fails: found.fails }
}

/** How many checks there are, how many passed for certain where the exit code is 0, and whether another code may be theirs. */
type Found = { checks: number; proven: number; fails: boolean }
type Shell = { isCheck(words: string[]): boolean; pipefail: boolean; errexit: boolean }

const nothing: Found = { checks: 0, proven: 0, fails: false }
const both = (one: Found, other: Found): Found => ({
  checks: one.checks + other.checks,
  proven: one.proven + other.proven,
  fails: one.fails || other.fails,
})
/** Of something whose exit code is not the line's. */
const lost = ({ checks }: Found): Found => ({ checks, proven: 0, fails: false })

function ofList(list: List, shell: Shell): Found {
  const code = leftCode(list)
  const chains = code === null ? list : list.slice(0, -1)
  // What a loop or a condition runs, and how often, only its run could tell.
  const certain = !chains.some(isBranch)
  return chains.reduce((found, chain, i) => {
    const isLast = i === chains.length - 1
    const own = isLast && code === 'first' ? ofFirst(chain, shell) : ofChain(chain, shell)
    const counts = certain && !chain.background && (isLast || endsAtFailure(chain, shell))
    return both(found, counts ? own : lost(own))
  }, nothing)
}

function isBranch({ pipes }: Chain): boolean {
  return pipes.some(({ commands }) =>
    commands.some(({ kind, ...rest }) => kind === 'opaque' && 'words' in rest && !tests.has(rest.words[0] ?? '')),
  )
}

const tests: ReadonlySet<string> = new Set(['[[', '!'])

/** True when a failure of the chain ends the line with its exit code. */
function endsAtFailure({ pipes }: Chain, { errexit }: Shell): boolean {
  const last = pipes.at(-1)
  if (last?.op === '||' && fails(last.commands)) return lastWords(last.commands)[0] === 'exit'
  // In a chain only the last command's failure ends it, and that may not have run.
  return errexit && pipes.length === 1
}

function ofChain({ pipes }: Chain, shell: Shell): Found {
  let found = nothing
  for (const { op, commands } of pipes) {
    const own = ofPipe(commands, shell)
    if (op === null || op === '&&') found = both(found, own)
    // Behind a failure that stays one, 0 still means that the first part passed.
    else if (!fails(commands)) found = { ...both(found, own), proven: 0 }
  }
  return found
}

function ofPipe(commands: readonly Command[], shell: Shell): Found {
  return commands.reduce((found, command, i) => {
    const own = ofCommand(command, shell)
    return both(found, shell.pipefail || i === commands.length - 1 ? own : lost(own))
  }, nothing)
}

function ofCommand(command: Command, shell: Shell): Found {
  if (command.kind === 'group') return ofList(command.list, { ...shell })
  const words = unwrapped(command.words)
  if (command.kind === 'opaque') {
    const inside = command.words.filter((word) => !joints.has(word))
    return shell.isCheck(unwrapped(inside)) ? { checks: 1, proven: 0, fails: false } : nothing
  }
  if (words[0] === 'set') applySet(words.slice(1), shell)
  return shell.isCheck(words) ? { checks: 1, proven: 1, fails: true } : nothing
}

const joints: ReadonlySet<string> = new Set('if then elif else while until do !'.split(' '))

/** `-e`, `-euo pipefail`, `+e`. */
function applySet(words: readonly string[], shell: Shell): void {
  for (const [i, word] of words.entries()) {
    const on = word.startsWith('-')
    if (!on && !word.startsWith('+')) continue
    if (word.slice(1).includes('e')) shell.errexit = on
    if (!word.endsWith('o')) continue
    if (words[i + 1] === 'pipefail') shell.pipefail = on
    if (words[i + 1] === 'errexit') shell.errexit = on
  }
}

/** A command that always fails, or a group that ends with one. */
function fails(commands: readonly Command[]): boolean {
  const [name, code] = lastWords(commands)
  return name === 'false' || (name === 'exit' && /^[1-9]\d*$/.test(code ?? ''))
}

/** Of a single command, or of the last one of a group that runs in the same shell. */
function lastWords(commands: readonly Command[]): string[] {
  const [only] = commands
  if (only === undefined || commands.length > 1) return []
  if (only.kind !== 'group') return only.kind === 'simple' ? only.words : []
  const last = only.subshell ? undefined : only.list.at(-1)
  return last?.pipes.length === 1 && !last.background ? lastWords(last.pipes[0]?.commands ?? []) : []
}

/** Whose code a list ends with that says so: `…; exit $?`, or that of the first in a pipe, `… | tail; exit ${PIPESTATUS[0]}`. */
function leftCode(list: List): 'whole' | 'first' | null {
  const [before, last] = list.slice(-2)
  if (last === undefined || before?.background !== false || last.pipes.length !== 1) return null
  const [name, code] = lastWords(last.pipes[0]?.commands ?? [])
  if (name !== 'exit') return null
  if (code === undefined || code === '$?') return 'whole'
  return /^\$(?:PIPESTATUS|\{PIPESTATUS(?:\[0\])?\})$/.test(code) ? 'first' : null
}

function ofFirst(chain: Chain, shell: Shell): Found {
  const [pipe] = chain.pipes
  const [first, ...rest] = pipe?.commands ?? []
  if (chain.pipes.length !== 1 || first === undefined) return lost(ofChain(chain, shell))
  return rest.map((command) => lost(ofCommand(command, shell))).reduce(both, ofCommand(first, shell))
}

/** The words without variables and programs in front that hand on the exit code of what they run. */
function unwrapped(all: readonly string[]): string[] {
  let words = [...all]
  for (;;) {
    words = words.slice(words.findIndex((word) => !assignment.test(word)) >>> 0)
    const options = wrappers[words[0] ?? '']
    if (options === undefined) return words
    words = words.slice(1)
    while (words[0]?.startsWith('-')) words = words.slice(options.withValue.test(words[0]) ? 2 : 1)
    words = words.slice(options.operands)
  }
}

const assignment = /^[A-Za-z_]\w*\+?=/
/** Options that take the next word, and how many words stand before the command. */
const wrappers: { [name: string]: { withValue: RegExp; operands: number } | undefined } = {
  timeout: { withValue: /^(?:-[ks]|--kill-after|--signal)$/, operands: 1 },
  env: { withValue: /^(?:-[uC]|--unset|--chdir)$/, operands: 0 },
  nice: { withValue: /^(?:-n|--adjustment)$/, operands: 0 },
  ionice: { withValue: /^-[cn]$/, operands: 0 },
  time: { withValue: /^-[fo]$/, operands: 0 },
  nohup: { withValue: /^$/, operands: 0 },
  stdbuf: { withValue: /^-[ioe]$/, operands: 0 },
  command: { withValue: /^$/, operands: 0 },
  exec: { withValue: /^-a$/, operands: 0 },
  'cross-env': { withValue: /^$/, operands: 0 },
}

/** For lines that are not understood: some part of it looks like a check. */
function mentions(line: string, isCheck: Shell['isCheck']): boolean {
  return line.split(/&&|\|\||[;\n|]/).some((part) => {
    const words = part
      .replace(/^\s*(\w+\s*\(\))?[\s({]*/, '')
      .split(/\s+/)
      .filter((word) => !joints.has(word))
    return isCheck(unwrapped(words))
  })
}
