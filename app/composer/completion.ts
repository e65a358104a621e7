/** What may follow in the draft: files after `@`, commands after `/`. */

/** One row of the list: `insert` replaces the range of the token. */
export type Choice = {
  label: string
  detail: string
  insert: string
  /** Sends the draft at once when chosen with ⏎. */
  submits: boolean
}

/** `argumentHint` stands in brackets where the command works without one: `[model]`, but `<title>`. */
export type CommandChoice = { name: string; description: string; argumentHint?: string; aliases?: readonly string[] }

/** The part of the draft that is being completed; `query` is what was typed of it. */
export type CompletionToken = { kind: 'file' | 'command'; start: number; end: number; query: string }

/** The token at the caret, or null. A command is the first word of the draft, a file begins with `@` after a blank. */
export function tokenAt(text: string, caret: number): CompletionToken | null {
  const head = text.slice(Math.max(0, caret - longestToken), caret)
  const offset = caret - head.length
  const command = offset === 0 ? /^\/([A-Za-z0-9_-]*)$/.exec(head) : null
  if (command !== null) {
    const rest = /^[A-Za-z0-9_-]*/.exec(text.slice(caret))?.[0].length ?? 0
    return { kind: 'command', start: 0, end: caret + rest, query: command[1] ?? '' }
  }
  const file = /(?:^|[\s([{])@(?:"([^"\n]*)|([^\s"]*))$/.exec(head)
  if (file === null) return null
  const quoted = file[1]
  const query = quoted ?? file[2] ?? ''
  const start = caret - query.length - (quoted === undefined ? 1 : 2)
  return { kind: 'file', start, end: caret, query }
}

export type CommandEntry = Choice & {
  /** The command does nothing useful until something is written behind its name. */
  needsArgument: boolean
}

/** Commands for what was typed, best first: exact, by beginning, by alias, then by letters in order. */
export function chooseCommands(commands: readonly CommandChoice[], query: string): CommandEntry[] {
  const wanted = query.toLowerCase()
  const ranked: { rank: number; command: CommandChoice }[] = []
  for (const command of commands) {
    const rank = rankOf(command, wanted)
    if (rank !== null) ranked.push({ rank, command })
  }
  ranked.sort((a, b) => a.rank - b.rank || (a.command.name < b.command.name ? -1 : 1))
  return ranked.map(({ command: { name, description, argumentHint } }) => ({
    label: `/${name}${argumentHint === undefined ? '' : ` ${argumentHint}`}`,
    detail: description,
    insert: `/${name}${argumentHint === undefined ? '' : ' '}`,
    submits: argumentHint === undefined,
    needsArgument: argumentHint !== undefined && !argumentHint.startsWith('['),
  }))
}

/** Files as choices; a path with blanks is quoted, a folder is left open for what is inside it. */
export function chooseFiles(paths: readonly string[]): Choice[] {
  return paths.map((path) => {
    const folder = path.endsWith('/')
    const quoted = /[\s"]/.test(path)
    const insert = quoted ? `@"${path.replaceAll('"', '')}${folder ? '' : '" '}` : `@${path}${folder ? '' : ' '}`
    return { label: path, detail: '', insert, submits: false }
  })
}

/** True when the letters of `query` occur in `word` in this order. */
export function isSubsequence(query: string, word: string): boolean {
  let at = 0
  for (const char of query) {
    at = word.indexOf(char, at)
    if (at === -1) return false
    at += char.length
  }
  return true
}

function rankOf(command: CommandChoice, wanted: string): number | null {
  const name = command.name.toLowerCase()
  if (wanted === '') return 1
  if (name === wanted) return 0
  if (name.startsWith(wanted)) return 1
  if (command.aliases?.some((alias) => alias.startsWith(wanted))) return 2
  if (name.includes(wanted)) return 3
  return isSubsequence(wanted, name) ? 4 : null
}

const longestToken = 512
