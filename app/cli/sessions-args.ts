/** The words behind `sluice sessions`; what is wrong with them is said with the right way to write it. */
import { parseArgs } from 'node:util'
import { nearest, UsageError } from './usage-error.ts'

export type SessionsAction = 'list' | 'show' | 'search' | 'export' | 'delete' | 'restore' | 'gc' | 'repair' | 'replay'
export type ExportFormat = 'md' | 'json' | 'html'

export type SessionsWords = {
  action: SessionsAction
  /** Ids, names or words to search for. */
  rest: string[]
  help: boolean
  json: boolean
  all: boolean
  /** What was deleted and can be restored. */
  trash: boolean
  limit?: number
  /** As given; default the current folder, but for searches and the trash. */
  cwd?: string
  format: ExportFormat
  output?: string
  yes: boolean
  dryRun: boolean
  speed: number
}

export const sessionsHelp = `sluice sessions: what is stored, and what can be done with it

Usage
  sluice sessions [list]            this folder's sessions, pinned ones first, then the last used
  sluice sessions show ID           what it was about, where it stopped, what it changed
  sluice sessions search WORDS      in what was said and done, in all folders
  sluice sessions export ID         as Markdown; --format html is one file to read anywhere, json the records
  sluice sessions delete ID…        into the trash; list --trash shows it, restore ID brings it back
  sluice sessions gc                applies the limits of the config and empties the trash
  sluice sessions repair ID         moves what is damaged in its files out of the way
  sluice sessions replay ID         plays it on the screen again: space pauses, q leaves

ID is a session's id, the beginning of it, its title, or words that only one title has.

Options
  --json            for programs
  --all             list: sessions of all folders
  --trash           list: what was deleted, in all folders
  --cwd DIR         list, search: sessions of this folder
  --limit N         list, search: at most so many (search: 50)
  --format FORMAT   export: md (default), html, json
  --output FILE     export: into a new file that only you can read; default is the standard output
  --yes             delete, gc: without asking
  --dry-run         gc: only say what would go
  --speed N         replay: so many times as fast (default 1)
`

const listUsage = 'sluice sessions list [--all | --cwd DIR | --trash] [--limit N] [--json]'

const takes: Record<SessionsAction, { rest: 'none' | 'one' | 'some'; flags: string[]; usage: string }> = {
  list: { rest: 'none', flags: ['all', 'trash', 'cwd', 'limit'], usage: listUsage },
  show: { rest: 'some', flags: [], usage: 'sluice sessions show ID [--json]' },
  search: { rest: 'some', flags: ['all', 'cwd', 'limit'], usage: 'sluice sessions search WORDS [--limit N] [--json]' },
  export: {
    rest: 'some',
    flags: ['format', 'output'],
    usage: 'sluice sessions export ID [--format md|html|json] [--output FILE]',
  },
  delete: { rest: 'some', flags: ['yes'], usage: 'sluice sessions delete ID [--yes] [--json]' },
  restore: { rest: 'some', flags: [], usage: 'sluice sessions restore ID [--json]' },
  gc: { rest: 'none', flags: ['dry-run', 'yes'], usage: 'sluice sessions gc [--dry-run] [--yes] [--json]' },
  repair: { rest: 'some', flags: [], usage: 'sluice sessions repair ID [--json]' },
  replay: { rest: 'some', flags: ['speed'], usage: 'sluice sessions replay ID [--speed N]' },
}

/** `before` are options that stood in front of the word `sessions`. Throws UsageError. */
export function readSessionsWords(words: readonly string[], before: { json: boolean; cwd?: string }): SessionsWords {
  const { values, positionals } = parse(words)
  const [first = 'list', ...rest] = positionals
  const action = toAction(first)
  const { rest: wanted, flags, usage } = takes[action]
  const fix = `Write: ${usage}`
  if (values.help !== true) {
    for (const name of Object.keys(values)) {
      if (name !== 'json' && !flags.includes(name)) throw new UsageError(`sessions ${action} has no --${name}.`, fix)
    }
    if (wanted === 'none' && rest.length > 0) throw new UsageError(`"${rest.join(' ')}" is not understood.`, fix)
    // A blank is what an empty variable of a shell leaves.
    if (wanted === 'some' && rest.every((word) => word.trim() === ''))
      throw new UsageError(`sessions ${action} needs to know what.`, fix)
    for (const [one, other] of apart) {
      if (values[one] !== undefined && values[other] !== undefined)
        throw new UsageError(`--${one} and --${other} cannot both be.`, fix)
    }
  }
  return {
    action,
    rest,
    help: values.help === true,
    json: values.json === true || before.json,
    all: values.all === true,
    trash: values.trash === true,
    limit: values.limit === undefined ? undefined : whole('--limit', values.limit),
    cwd: values.cwd ?? (values.all === true ? undefined : before.cwd),
    format: formatOf(values.format ?? (values.json === true || before.json ? 'json' : 'md')),
    output: values.output === undefined ? undefined : named('--output', values.output),
    yes: values.yes === true,
    dryRun: values['dry-run'] === true,
    speed: values.speed === undefined ? 1 : positive('--speed', values.speed),
  }
}

const apart = [
  ['all', 'cwd'],
  ['all', 'trash'],
] as const

/** `--limit -1` is a value that is wrong, and no option `-1` that nobody has. */
function withNumbers(words: readonly string[]): string[] {
  const joined: string[] = []
  for (const word of words) {
    const before = joined.at(-1) ?? ''
    if (/^-\d/.test(word) && /^--(?:limit|speed)$/.test(before)) joined[joined.length - 1] = `${before}=${word}`
    else joined.push(word)
  }
  return joined
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({
      args: withNumbers(words),
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h' },
        json: { type: 'boolean' },
        all: { type: 'boolean' },
        trash: { type: 'boolean' },
        limit: { type: 'string' },
        cwd: { type: 'string' },
        format: { type: 'string' },
        output: { type: 'string', short: 'o' },
        yes: { type: 'boolean', short: 'y' },
        'dry-run': { type: 'boolean' },
        speed: { type: 'string' },
      },
    })
  } catch (error) {
    const said = error instanceof Error ? error.message.split(/\.(?: |$)|\n/)[0] : String(error)
    const lacking = /^Option '(?:-\w, )?(--[\w-]+)(?: <value>)?'? argument (?:is ambiguous|missing)/.exec(
      said ?? '',
    )?.[1]
    if (lacking !== undefined) throw new UsageError(`${lacking} needs a value.`, 'See sluice sessions --help.')
    throw new UsageError(`${said}.`, 'See sluice sessions --help.')
  }
}

function toAction(word: string): SessionsAction {
  const known = Object.keys(takes) as SessionsAction[]
  const found = known.find((action) => action === word)
  if (found) return found
  const guess = nearest(word, known)
  throw new UsageError(
    `sluice sessions has no "${word}".`,
    guess ? `Did you mean sluice sessions ${guess}?` : 'See sluice sessions --help.',
  )
}

function formatOf(word: string): ExportFormat {
  const found = (['md', 'json', 'html'] as const).find((format) => format === word)
  if (found) return found
  throw new UsageError(`--format cannot be "${word}".`, 'Use one of: md, html, json.')
}

function named(flag: string, value: string): string {
  if (value.trim() !== '') return value
  throw new UsageError(`${flag} needs the name of a file.`, 'Without it the document goes to standard output.')
}

function whole(flag: string, value: string): number {
  const number = Number(value)
  // The index takes no number that is none of its own.
  if (Number.isInteger(number) && number >= 1) return Math.min(number, Number.MAX_SAFE_INTEGER)
  throw new UsageError(`${flag} cannot be "${value}".`, 'Give a whole number from 1 on.')
}

function positive(flag: string, value: string): number {
  const number = Number(value)
  if (value.trim() !== '' && Number.isFinite(number) && number > 0) return number
  throw new UsageError(`${flag} cannot be "${value}".`, 'Give a number above 0.')
}
