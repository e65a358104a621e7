/** Words of the command line to options; everything a person can get wrong ends in a UsageError with the fix. */
import { type PermissionMode, permissionModes } from '@sluice/engine/protocol'
import { nearest, UsageError } from './usage-error.ts'

export type OutputFormat = 'text' | 'json' | 'stream-json'

export type Options = {
  command: 'chat' | 'print' | 'help' | 'version' | Subcommand
  /** Words after a subcommand that are no flags. */
  rest: string[]
  prompt?: string
  print: boolean
  outputFormat: OutputFormat
  model?: string
  baseUrl?: string
  permissionMode?: PermissionMode
  allow: string[]
  deny: string[]
  maxTurns?: number
  maxCostUsd?: number
  timeoutMs?: number
  cwd?: string
  continue: boolean
  /** '' = pick one. */
  resume?: string
  trust: boolean
  json: boolean
  inline: boolean
  /** Linear labelled lines instead of a screen. */
  screenReader: boolean
}

/** Subcommands this version has. */
export const subcommands = ['demo', 'sessions', 'permissions', 'audit', 'doctor'] as const
export type Subcommand = (typeof subcommands)[number]

/** `read` gives what the flag changes in the options. */
type Flag = {
  value?: string
  optional?: boolean
  short?: string
  help: string
  read(value: string, options: Options): Partial<Options>
}

const flags: Record<string, Flag> = {
  print: {
    value: 'PROMPT',
    short: 'p',
    help: 'answer PROMPT without the full-screen app; piped stdin is added to it',
    read: (prompt) => ({ print: true, prompt }),
  },
  'output-format': {
    value: 'FORMAT',
    help: 'text (default), json (one document) or stream-json (one event a line)',
    read: (v) => ({ outputFormat: oneOf('--output-format', v, ['text', 'json', 'stream-json'] as const) }),
  },
  model: {
    value: '[ADAPTER:]MODEL',
    help: 'model to use, e.g. gpt-5.2 or scripted:demo',
    read: (model) => ({ model }),
  },
  'base-url': {
    value: 'URL',
    help: 'server that speaks Chat Completions, e.g. http://localhost:11434/v1',
    read: (v) => ({ baseUrl: url(v) }),
  },
  'permission-mode': {
    value: 'MODE',
    help: permissionModes.join(', '),
    read: (v) => ({ permissionMode: oneOf('--permission-mode', v, permissionModes) }),
  },
  allow: {
    value: 'RULE',
    help: "allow what RULE covers, e.g. 'bash(npm test *)'; may be repeated",
    read: (rule, { allow }) => ({ allow: [...allow, rule] }),
  },
  deny: {
    value: 'RULE',
    help: 'deny what RULE covers; may be repeated',
    read: (rule, { deny }) => ({ deny: [...deny, rule] }),
  },
  'max-turns': {
    value: 'N',
    help: 'model replies in one user turn (default 200)',
    read: (v) => ({ maxTurns: count('--max-turns', v) }),
  },
  'max-cost': {
    value: 'USD',
    help: 'stop when the session has cost this much',
    read: (v) => ({ maxCostUsd: amount('--max-cost', v) }),
  },
  timeout: {
    value: 'SECONDS',
    help: 'stop a turn after this time',
    read: (v) => ({ timeoutMs: amount('--timeout', v) * 1000 }),
  },
  cwd: { value: 'DIR', help: 'folder to work in (default: the current one)', read: (cwd) => ({ cwd }) },
  continue: { short: 'c', help: 'go on with the last session of this folder', read: () => ({ continue: true }) },
  resume: {
    value: 'ID',
    optional: true,
    short: 'r',
    help: 'go on with a session: its id or title; without one, choose it from the list',
    read: (resume) => ({ resume }),
  },
  trust: { help: 'load this folder’s own config and instructions for this run', read: () => ({ trust: true }) },
  json: { help: 'list as JSON (subcommands)', read: () => ({ json: true }) },
  inline: { help: 'stay in the normal screen and keep its scrollback', read: () => ({ inline: true }) },
  'screen-reader': {
    help: 'labelled lines one after the other, without a screen (also with TERM=dumb)',
    read: () => ({ screenReader: true }),
  },
  version: { short: 'v', help: 'print the version', read: () => ({ command: 'version' }) },
  help: { short: 'h', help: 'print this help', read: () => ({ command: 'help' }) },
}

/** `words` without node and script. */
export function parseArgs(words: readonly string[]): Options {
  const options: Options = {
    command: 'chat',
    rest: [],
    print: false,
    outputFormat: 'text',
    allow: [],
    deny: [],
    continue: false,
    trust: false,
    json: false,
    inline: false,
    screenReader: false,
  }
  let subcommand: Subcommand | undefined
  let onlyWords = false
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ''
    if (onlyWords || !word.startsWith('-') || word === '-') {
      if (subcommand) options.rest.push(word)
      else subcommand = toSubcommand(word)
      if (subcommand !== 'sessions') continue
      // It reads its own options.
      options.rest.push(...words.slice(i + 1))
      break
    }
    if (word === '--') {
      onlyWords = true
      continue
    }
    const [name, inlineValue] = splitFlag(word)
    const flag = flags[name]
    if (!flag) throw unknownFlag(word)
    const apply = (value: string) => Object.assign(options, flag.read(value, options))
    const next = words[i + 1]
    if (name === 'print' && inlineValue === undefined) {
      options.print = true
      // `demo --print` is a plain switch; everywhere else the word after it is the prompt, whatever it begins with.
      if (subcommand || next === undefined) continue
      apply(next)
      i++
    } else if (flag.value === undefined) {
      if (inlineValue !== undefined) throw new UsageError(`--${name} takes no value.`, `Write just --${name}.`)
      apply('')
    } else if (inlineValue !== undefined) {
      apply(inlineValue)
    } else if (flag.optional && (next === undefined || next.startsWith('-'))) {
      apply('')
    } else {
      if (next === undefined) throw new UsageError(`--${name} needs a value.`, `Write --${name} ${flag.value}.`)
      apply(next)
      i++
    }
  }
  if (options.continue && options.resume !== undefined) {
    const fix = 'Write --continue for the last session of this folder, or --resume ID for that one.'
    throw new UsageError('--continue and --resume cannot both be.', fix)
  }
  if (options.command === 'chat') options.command = subcommand ?? (options.print ? 'print' : 'chat')
  return options
}

export function helpText(): string {
  const rows = Object.entries(flags).map(([name, flag]) => {
    const left = `${flag.short ? `-${flag.short}, ` : '    '}--${name}${flag.value ? (flag.optional ? ` [${flag.value}]` : ` ${flag.value}`) : ''}`
    return `  ${left.padEnd(34)}${flag.help}`
  })
  return `sluice: a terminal coding agent that asks before it acts

Usage
  sluice [options]                  open the app in this folder
  sluice -p "PROMPT" [options]      answer once and leave
  sluice demo [--print]             a tour on a small broken project, offline, with a scripted model
  sluice sessions                   list, search, export and tidy up what is stored; sessions --help says how
  sluice permissions                the rules in force; permissions test 'bash(git status)' explains a verdict
  sluice audit verify ID            check what a session did and was allowed to do; audit show ID lists it
  sluice doctor                     what this machine has and lacks, and how to get it

Options
${rows.join('\n')}

Environment
  OPENAI_API_KEY, OPENAI_BASE_URL, SLUICE_MODEL, SLUICE_HOME

Exit codes
  0 answered · 1 tool or internal error · 2 usage or config · 3 model error · 4 limit reached
  5 an approval was needed and nobody could give it · 130/143/129 interrupted by a signal
`
}

function splitFlag(word: string): [string, string | undefined] {
  if (word.startsWith('--')) {
    const at = word.indexOf('=')
    return at < 0 ? [word.slice(2), undefined] : [word.slice(2, at), word.slice(at + 1)]
  }
  const short = word.slice(1)
  const name = Object.entries(flags).find(([, flag]) => flag.short === short)?.[0]
  return [name ?? word, undefined]
}

function unknownFlag(word: string): UsageError {
  const guess = nearest(word.replace(/^-+/, '').replace(/=.*/s, ''), Object.keys(flags))
  return new UsageError(
    `Unknown option ${word}.`,
    guess ? `Did you mean --${guess}? See sluice --help.` : 'See sluice --help for all options.',
  )
}

function toSubcommand(word: string): Subcommand {
  const known = subcommands.find((name) => name === word)
  if (known) return known
  const guess = nearest(word, subcommands)
  throw new UsageError(
    `There is no command "${word}".`,
    guess ? `Did you mean sluice ${guess}?` : `To send it as a prompt, write: sluice -p ${JSON.stringify(word)}`,
  )
}

function oneOf<T extends string>(flag: string, value: string, known: readonly T[]): T {
  const found = known.find((entry) => entry === value)
  if (found === undefined) throw new UsageError(`${flag} cannot be "${value}".`, `Use one of: ${known.join(', ')}.`)
  return found
}

function count(flag: string, value: string): number {
  const number = Number(value)
  if (!Number.isInteger(number) || number < 1)
    throw new UsageError(`${flag} cannot be "${value}".`, 'Give a whole number from 1 on.')
  return number
}

function amount(flag: string, value: string): number {
  const number = Number(value)
  if (value.trim() === '' || !Number.isFinite(number) || number <= 0)
    throw new UsageError(`${flag} cannot be "${value}".`, 'Give a number above 0.')
  return number
}

function url(value: string): string {
  try {
    const parsed = new URL(value)
    if (parsed.protocol === 'http:' || parsed.protocol === 'https:') return value.replace(/\/+$/, '')
  } catch {
    // Said below.
  }
  throw new UsageError(
    `--base-url cannot be "${value}".`,
    'Give a full address such as https://api.openai.com/v1 or http://localhost:11434/v1.',
  )
}
