/** Takes a command line apart into its simple commands and states the facts that permission is decided on. */
import type { PermissionNeed } from '@sluice/engine/protocol'
import type { Command, ParsedScript, Pipeline, Redirection, SyntaxNode } from 'unbash'
import { commandHazards, writtenByProgram } from './hazards.ts'
import { lexicalHazards } from './lexical.ts'
import { remembering } from './parsed-lines.ts'
import { createPlaces, type Led, type Places } from './places.ts'
import { type ShellWord, shellWord } from './words.ts'
import { innerCommands, readsScript } from './wrapped.ts'

export type CommandNeed = Extract<PermissionNeed, { type: 'command' }>

/**
 * The needs of a command line, never none: one for each simple command wherever it stands, in lists, loops and
 * substitutions, behind wrappers, in code given to a shell. A command whose words cannot all be known has `argv: null`.
 * `plain` is true when the words are literal and the whole line is made of pipes and lists of such commands.
 * Of a line that cannot be parsed the first need says so; what could be read follows. `cwd` is the canonical workspace root,
 * where words are looked up; without it nothing is.
 */
export async function commandNeeds(line: string, cwd?: string): Promise<CommandNeed[]> {
  parser ??= import('unbash').then(({ parse, forEachChild }) => ({ parse: remembering(parse), forEachChild }))
  const { parse, forEachChild } = await parser
  const tools = { parse, forEachChild, cwd, places: cwd === undefined ? undefined : createPlaces(line, cwd) }
  // What stands in a substitution is met after the command that it feeds.
  if (line.length < longestTwice && listsInSubstitution(line)) analyse(line, tools, 0)
  return analyse(line, tools, 0)
}

const longestTwice = 16_384

/** A program that lists files behind an open parenthesis or backquote. One look at each word: a pattern would go back for each. */
function listsInSubstitution(line: string): boolean {
  if (!/[(`]/.test(line)) return false
  for (const { index } of line.matchAll(/\b(?:find|ls|fd|fdfind)\b/g)) {
    const closed = Math.max(line.lastIndexOf(')', index), line.lastIndexOf('`', index))
    if (line[closed] === '`' || line.lastIndexOf('(', index) > closed) return true
  }
  return false
}

/** Loaded with the first command; even a loaded module costs a tenth of a millisecond to import again. */
let parser: Promise<Parser> | undefined

type Parser = Pick<typeof import('unbash'), 'parse' | 'forEachChild'>

type Tools = Parser & {
  cwd: string | undefined
  places: Places | undefined
}

/** Code within code within code is followed this far; whatever is deeper must be asked about. */
const deepestCode = 8
const deepestSubstitution = 40

function analyse(source: string, tools: Tools, depth: number): CommandNeed[] {
  if (source.trim() === '') return [unknownNeed(source, ['there is nothing to run'])]
  if (depth > deepestCode) return [unknownNeed(source, [tooDeep])]
  const hazards = lexicalHazards(source)
  const line: Line = { tools, depth, needs: [], plain: hazards.length === 0, broken: undefined, reread: 0 }
  try {
    visitScript(tools.parse(source), { line, source, nesting: 0 })
  } catch (error) {
    line.broken = error instanceof Error ? error.message : String(error)
  }
  const broken = line.broken === undefined ? [] : [unknownNeed(source, [`cannot be parsed: ${line.broken}`])]
  const needs = [...broken, ...line.needs]
  if (needs.length === 0) needs.push(unknownNeed(source, ['there is nothing to run']))
  const plain = line.plain && line.broken === undefined && !hasBareBrackets(source) && !splitsWords(source)
  return needs.map((need) => ({
    ...need,
    plain: need.plain && plain,
    hazards:
      hazards.length + need.hazards.length < 2
        ? [...need.hazards, ...hazards]
        : [...new Set([...need.hazards, ...hazards])],
  }))
}

/** The parser passes over some stray brackets that bash would stop at; a plain line has none outside quotes and comments. */
function hasBareBrackets(source: string): boolean {
  return /[()]/.test(source.replace(/\\[\s\S]|'[^']*'|"(?:\\[\s\S]|[^"\\])*"|(?<=^|[\s;|&(])#[^\n]*/g, ' '))
}

/** A line end that is taken away within a word can make a word and a redirection out of it that the parser reads otherwise. */
function splitsWords(source: string): boolean {
  return /[^\s;&|]\\\n/.test(source)
}

const tooDeep = 'commands are nested too deeply to be looked into'

/** What is found while a line is walked; `plain` falls for the whole line at the first thing that is not. */
type Line = {
  tools: Tools
  depth: number
  needs: CommandNeed[]
  plain: boolean
  broken: string | undefined
  reread: number
}

/** Where the walk is: `source` is the text that positions count in, `nesting` the depth of substitutions. */
type Walk = { line: Line; source: string; nesting: number }

function visitScript(script: ParsedScript, walk: Walk): void {
  walk.line.broken ??= script.errors?.[0]?.message
  for (const statement of script.commands) visit(statement, walk)
}

function visit(node: SyntaxNode, walk: Walk): void {
  const { line } = walk
  switch (node.type) {
    case 'Command':
      visitCommand(node, walk)
      break
    case 'Pipeline':
      if (node.prefixes.length > 0 || node.operators.includes('|&')) line.plain = false
      visitChildren(node, walk)
      visitPipes(node, walk)
      return
    case 'Statement':
      if (node.background) line.plain = false
      break
    case 'CommandExpansion':
    case 'ProcessSubstitution':
    case 'ArithmeticCommandExpansion':
      line.plain = false
      visitSubstitution(node, walk)
      return
    case 'ArithmeticExpansion':
      line.plain = false
      pushRereadCode(node.text.slice(3, -2), line)
      break
    case 'Redirected':
      line.plain = false
      pushRedirects(node.redirects, walk)
      break
    case 'TestCommand':
    case 'ArithmeticCommand':
      line.plain = false
      line.needs.push(unknownNeed(textOf(node, walk), []))
      if (node.type === 'ArithmeticCommand') pushRereadCode(node.body, line)
      break
    default:
      if (!harmless.has(node.type)) line.plain = false
  }
  visitChildren(node, walk)
}

function visitChildren(node: SyntaxNode, walk: Walk): void {
  walk.line.tools.forEachChild(node, (child) => visit(child, walk))
}

/** Nodes that leave a line plain; words are judged where their command is. */
const harmless: ReadonlySet<SyntaxNode['type']> = new Set([
  'AndOr',
  'Word',
  'Literal',
  'SingleQuoted',
  'DoubleQuoted',
  'AnsiCQuoted',
  'LocaleString',
  'SimpleExpansion',
  'Glob',
  'Redirect',
  'FileDescriptor',
])

/** A substitution with escaped backticks has a text of its own, in which its positions count. */
function visitSubstitution(node: { script: ParsedScript | undefined; text: string }, walk: Walk): void {
  if (walk.nesting >= deepestSubstitution) walk.line.needs.push(unknownNeed(node.text, [tooDeep]))
  else if (!node.script) walk.line.broken ??= 'a substitution was not understood'
  else visitScript(node.script, { ...walk, source: node.script.source ?? walk.source, nesting: walk.nesting + 1 })
}

function visitCommand(node: Command, walk: Walk): void {
  const words = [...(node.name ? [node.name] : []), ...node.args].map(shellWord)
  const assigns = node.prefix.some((part) => part.type === 'Assignment')
  const { writes, benign, hazards, targets } = judgeRedirects(node.redirects)
  const found = { words, text: textOf(node, walk), writes, hazards, targets, plain: benign && !assigns, fed: false }
  pushCommand(found, walk.line, 0)
  const scripts = scriptsOf(node)
  if (scripts.length > 0 && readsScript(words)) for (const code of scripts) pushCode(code, false, walk.line)
}

/** A shell at the end of a pipe reads what the command before it was told to print. */
function visitPipes(node: Pipeline, walk: Walk): void {
  node.commands.forEach((command, at) => {
    const before = node.commands[at - 1]
    if (command.type !== 'Command' || before?.type !== 'Command' || !command.name) return
    const printed = /^(echo|printf)$/.test(before.name?.value ?? '')
      ? before.args.map((argument) => shellWord(argument).value).join(' ')
      : undefined
    const scripts = printed === undefined ? scriptsOf(before) : [printed]
    if (scripts.length === 0 || !readsScript([command.name, ...command.args].map(shellWord))) return
    for (const code of scripts) pushCode(code, false, walk.line)
  })
}

/** Texts that a command is given on its standard input. */
function scriptsOf(node: Command): string[] {
  if (node.redirects.length === 0) return []
  return node.redirects.flatMap((redirect) => {
    if (redirect.type === 'HereDoc') return [redirect.body.text]
    return redirect.type === 'HereString' && redirect.target ? [shellWord(redirect.target).value] : []
  })
}

/** A simple command, as written or as found in another one's arguments; `fed`: a wrapper adds words to it. */
type Found = {
  words: ShellWord[]
  text: string
  writes: string[]
  hazards: string[]
  targets: ShellWord[]
  plain: boolean
  fed: boolean
}

/** `depth` counts the wrappers around the command. */
function pushCommand({ words, text, writes, hazards, targets, plain, fed }: Found, line: Line, depth: number): void {
  const led = line.tools.places?.led({ words, targets, fed })
  const values = words.map((word) => word.value)
  const known = words.length > 0 && words.every((word) => word.known)
  const need: CommandNeed = {
    type: 'command',
    argv: known ? values : null,
    plain: plain && known && words.every((word) => word.literal),
    hazards: [...hazards, ...commandHazards(values, line.tools.cwd), ...(led?.lost ?? [])],
    writes: [...writes, ...writtenByProgram(values)],
    text,
    ...leadsOf(led),
  }
  line.needs.push(need)
  // Words that only a parser can read, such as `$'rm'`, would not be found in the text by a deny rule.
  const start = known
    ? []
    : words.slice(
        0,
        words.findIndex((word) => !word.known),
      )
  if (start.some((word) => !word.literal)) {
    line.needs.push({ ...unknownNeed(text, []), argv: start.map((word) => word.value) })
  }
  for (const inner of innerCommands(words)) {
    if (inner.type === 'code') pushCode(inner.text, need.plain && inner.literal, line)
    else if (depth >= deepestCode) line.needs.push(unknownNeed(sourceOf(inner.words), [tooDeep]))
    else {
      const found = { words: inner.words, text: sourceOf(inner.words), writes: [], hazards: [], targets: [] }
      pushCommand({ ...found, plain: need.plain && !inner.open, fed: fed || inner.open }, line, depth + 1)
    }
  }
}

function leadsOf(led: Led | undefined): Pick<CommandNeed, 'leads'> {
  return led === undefined || led.leads.length === 0 ? {} : { leads: led.leads }
}

function pushCode(code: string, plain: boolean, line: Line): void {
  if (code.trim() === '') return
  for (const need of analyse(code, line.tools, line.depth + 1)) line.needs.push({ ...need, plain: need.plain && plain })
}

/** What bash finds to be no arithmetic after all, it reads again as commands in a subshell: `$(( cmd | eval 'x' ))`. */
function pushRereadCode(body: string, line: Line): void {
  // A line built of nothing but these must not be read again once for each; it is not plain in any case.
  if (line.depth > 0 || line.reread >= mostReread) return
  line.reread++
  if (/['";\n]|\bcase\b/.test(body)) pushCode(body, false, line)
}

const mostReread = 4

/** Redirections of a whole group, loop or condition. */
function pushRedirects(redirects: readonly Redirection[], walk: Walk): void {
  const { writes, hazards, targets } = judgeRedirects(redirects)
  const led = walk.line.tools.places?.led({ words: [], targets, fed: false })
  const first = redirects[0]
  const nothing = writes.length === 0 && hazards.length === 0 && (led?.leads.length ?? 0) === 0
  if (first === undefined || nothing) return
  const text = walk.source.slice(first.pos, redirects.at(-1)?.end)
  walk.line.needs.push({ ...unknownNeed(text, [...hazards, ...(led?.lost ?? [])]), writes, ...leadsOf(led) })
}

type JudgedRedirects = { writes: string[]; benign: boolean; hazards: string[]; targets: ShellWord[] }

/** The files that redirections open, and whether they do no more than discard output or join descriptors. */
function judgeRedirects(redirects: readonly Redirection[]): JudgedRedirects {
  const writes: string[] = []
  const targets: ShellWord[] = []
  const hazards: string[] = []
  let benign = true
  for (const redirect of redirects) {
    const target = 'target' in redirect && redirect.target ? shellWord(redirect.target) : undefined
    const to = target?.value ?? ''
    const named = redirect.descriptor?.type === 'FileDescriptorVariable'
    if (/^\/+dev\/+(tcp|udp)\//.test(to)) hazards.push(`${to} is a network connection of bash`)
    const joins = redirect.type === 'Redirect' && /^[<>]&$/.test(redirect.operator) && /^\d*-?$/.test(to)
    const discards = redirect.type === 'Redirect' && to === '/dev/null' && target?.literal && redirect.operator !== '<>'
    if (!named && ((joins && /^[12]$/.test(to)) || discards)) continue
    benign = false
    if (redirect.type === 'Redirect' && target !== undefined && !joins) targets.push(target)
    if (
      redirect.type === 'Redirect' &&
      redirect.operator !== '<' &&
      redirect.operator !== '<&' &&
      !joins &&
      !discards
    ) {
      writes.push(target?.known ? to : (target?.text ?? ''))
    }
  }
  return { writes, benign, hazards, targets }
}

function unknownNeed(text: string, hazards: string[]): CommandNeed {
  return { type: 'command', argv: null, plain: false, hazards, writes: [], text }
}

function textOf(node: { pos: number; end: number }, walk: Walk): string {
  return walk.source.slice(node.pos, node.end)
}

function sourceOf(words: ShellWord[]): string {
  return words.map((word) => word.text).join(' ')
}
