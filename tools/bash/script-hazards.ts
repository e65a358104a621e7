/** Reads the little programs inside a command, sed scripts and awk programs, and says when they do more than print. */
import { operandsOf, riskyOptions } from './option-scan.ts'

/**
 * Sentences about `sed ARGS`. Only scripts made of commands that print, delete or substitute text are silent;
 * one that is not understood counts as one that may run commands.
 */
export function sedHazards(args: readonly string[]): string[] {
  const hazards = riskyOptions('sed', args, {
    valued: 'efli',
    risky: {
      // It takes a number in one family of seds and nothing in the other, so the script is not where it seems to be.
      l: 'shifts its arguments',
      i: 'writes its files in place',
      I: 'writes its files in place',
      'in-place': 'writes its files in place',
      f: 'takes its script from a file',
      file: 'takes its script from a file',
    },
  })
  const elsewhere = hazards.some((hazard) => hazard.endsWith('from a file'))
  if (!elsewhere && !isTame(sedScript(args))) hazards.push('this sed script may write files or run commands')
  return hazards
}

/** Sentences about `awk ARGS`: programs that print only are silent. */
export function awkHazards(args: readonly string[]): string[] {
  const hazards = riskyOptions('awk', args, {
    valued: 'FvfEilWmo',
    risky: {
      f: 'takes its program from a file',
      file: 'takes its program from a file',
      E: 'takes its program from a file',
      exec: 'takes its program from a file',
      i: 'loads code',
      include: 'loads code',
      l: 'loads code',
      load: 'loads code',
      o: 'writes a file',
      'pretty-print': 'writes a file',
      p: 'writes a file',
      profile: 'writes a file',
      d: 'writes a file',
      'dump-variables': 'writes a file',
      W: 'sets an option that is not looked into',
    },
  })
  const elsewhere = hazards.some((hazard) => hazard.endsWith('from a file'))
  if (!elsewhere && !printsOnly(awkProgram(args))) {
    hazards.push('this awk program may write files or run commands')
  }
  return hazards
}

/**
 * Looked at as mere text, since what is a string and what a pattern only awk can tell. A `>` before the first `print`
 * compares; after it, it may be a redirection.
 */
function printsOnly(program: string): boolean {
  return !/\bsystem\b|\bgetline\b|\||@|\bprintf?\b[\s\S]*>/.test(program.replaceAll('||', ' '))
}

/** All pieces of the script, as sed joins them: one a line. */
function sedScript(args: readonly string[]): string {
  const pieces: string[] = []
  args.forEach((arg, at) => {
    const long = /^--e[a-z]*(?:=([\s\S]*))?$/.exec(arg)
    const short = /^-[^-efli]*e([\s\S]*)$/.exec(arg)
    if (long) pieces.push(long[1] ?? args[at + 1] ?? '')
    else if (short) pieces.push(short[1] === '' ? (args[at + 1] ?? '') : (short[1] ?? ''))
  })
  if (pieces.length > 0) return pieces.join('\n')
  return operandsOf(args, 'efl', ['expression', 'file', 'line-length'])[0] ?? ''
}

function awkProgram(args: readonly string[]): string {
  const sources = args.flatMap((arg, at) => {
    const long = /^--so[a-z]*(?:=([\s\S]*))?$/.exec(arg)
    if (long) return [long[1] ?? args[at + 1] ?? '']
    const short = /^-[^-FvfEilWe]*e([\s\S]*)$/.exec(arg)
    return short ? [short[1] === '' ? (args[at + 1] ?? '') : (short[1] ?? '')] : []
  })
  if (sources.length > 0) return sources.join('\n')
  return operandsOf(args, 'Fvfe', ['field-separator', 'assign', 'file', 'source'])[0] ?? ''
}

/** True when the whole script is a sequence of commands that only work on the text. */
function isTame(script: string): boolean {
  let rest = script
  while (rest !== '') {
    const gap = /^[\s;]+/.exec(rest)
    const command = gap ?? tameCommand.exec(rest)
    if (command && command[0] !== '') {
      rest = rest.slice(command[0].length)
      continue
    }
    const substitution = substitutionAt(rest)
    if (substitution === 0) return false
    rest = rest.slice(substitution)
  }
  return true
}

/** A bracket expression that every sed delimits alike: no delimiter, no `]` in it other than its end. */
const bracket = String.raw`\[\^?(?:[^\][/\n\\]|\[:\w+:\])+\]`
const line = String.raw`(?:\d+(?:~\d+)?|\$|/(?:[^/\\[\n]|\\.|${bracket})*/[IM]*)`
const address = String.raw`(?:${line}(?:\s*,\s*(?:${line}|[+~]\d+))?\s*!?\s*)?`
/** Addresses with the commands that print, delete, move between buffers, number, quit, branch or group. */
const tameCommand = new RegExp(
  String.raw`^${address}(?:[pPdDnNgGhHxlF=z](?=[\s;}]|$)|[qQ]\s*\d*(?=[\s;}]|$)|[btT]\s*\w*(?=[\s;}]|$)|:\s*\w+(?=[\s;]|$)|[{}])`,
)

const substitutionHead = new RegExp(String.raw`^${address}([sy])([^\w\s\\;])`)
const leadingBracket = new RegExp(`^${bracket}`)

/** Length of an `s` or `y` command at the beginning of `rest` without flags that write or execute; 0 when there is none. */
function substitutionAt(rest: string): number {
  const head = substitutionHead.exec(rest)
  if (!head) return 0
  const mark = head[2] ?? ''
  let at = head[0].length
  for (let part = 0; part < 2; at++) {
    const character = rest[at]
    if (character === undefined) return 0
    if (character === '\\') at++
    else if (character === mark) part++
    else if (character === '[' && part === 0) {
      const set = leadingBracket.exec(rest.slice(at))?.[0]
      if (set === undefined || set.includes(mark)) return 0
      at += set.length - 1
    }
  }
  const flags = /^[gpiIm\d]*(?=[\s;}]|$)/.exec(rest.slice(at))
  return flags ? at + flags[0].length : 0
}
