/** Finds the commands that sit in another command's arguments: behind a wrapper, in a shell's `-c`, after `-exec`. */
import { entry } from './entry.ts'
import type { ShellWord } from './words.ts'
import { runners, type WrapperShape, wrappers } from './wrapper-table.ts'

/**
 * What a command runs besides itself.
 * `argv`: words run as they stand; `open` when the wrapper adds words of its own to them.
 * `code`: text that a shell reads; `literal` when it is known to the letter.
 */
export type InnerCommand =
  | { type: 'argv'; words: ShellWord[]; open: boolean }
  | { type: 'code'; text: string; literal: boolean }

/** Everything that this command would run in turn, one level deep. */
export function innerCommands(words: ShellWord[]): InnerCommand[] {
  const program = programName(words)
  const special = entry(specials, program)
  if (special) return special(words)
  if (shells.has(program)) return shellCode(words)
  const shape = entry(wrappers, program)
  if (shape) return wrapped(words, shape)
  const subcommand = words[1]?.value
  const runner = subcommand === undefined ? undefined : entry(runners, `${program} ${subcommand}`)
  return runner ? wrapped(words.slice(1), runner) : []
}

/** True for a shell that takes its script from standard input, also behind wrappers. */
export function readsScript(words: ShellWord[], depth = 0): boolean {
  const program = programName(words)
  if (shells.has(program)) {
    const { code, operand } = shellOperands(words)
    return !code && (operand === undefined || ['-', '/dev/stdin', '/dev/fd/0'].includes(operand.value))
  }
  if (program === 'source' || program === '.') return /^\/dev\/(stdin|fd\/0)$/.test(words[1]?.value ?? '')
  if (depth > 8) return false
  return innerCommands(words).some((inner) => inner.type === 'argv' && readsScript(inner.words, depth + 1))
}

/** The last part of the program's path, without the `g` that GNU programs have on other systems. */
export function programName(words: readonly { value: string }[]): string {
  const word = words[0]?.value ?? ''
  const name = word.includes('/') ? word.replace(/^.*\//, '') : word
  return gnuNames.has(name) ? name.slice(1) : name
}

const gnuNames = new Set(
  'gsed gfind gtar gsort gawk ggrep gdate gxargs gtimeout gstdbuf gnice gnohup genv gcp gmv gln gdd gtee ginstall grm'.split(
    ' ',
  ),
)

const shells = new Set('bash sh zsh dash ksh mksh ash rbash fish yash oksh'.split(' '))

const specials: Record<string, (words: ShellWord[]) => InnerCommand[]> = {
  command: (words) => (words.slice(1).some((w) => /^-\w*[vV]/.test(w.value)) ? [] : wrapped(words, {})),
  env: envCommand,
  eval: (words) => joined(words.slice(words[1]?.value === '--' ? 2 : 1)),
  trap: (words) => {
    const operands = words.slice(1).filter((word) => word.value !== '--')
    return /^-[lp]?$/.test(operands[0]?.value ?? '-') ? [] : joined(operands.slice(0, 1))
  },
  alias: (words) =>
    words.slice(1).flatMap((word) => {
      const at = word.value.indexOf('=')
      return at < 0 ? [] : [{ type: 'code', text: word.value.slice(at + 1), literal: word.literal }]
    }),
  find: (words) => delimited(words, /^-(exec|execdir|ok|okdir)$/),
  fd: (words) => delimited(words, /^(-[a-wyzA-WYZ]*[xX]|--exec|--exec-batch)$/),
  fdfind: (words) => delimited(words, /^(-[a-wyzA-WYZ]*[xX]|--exec|--exec-batch)$/),
  watch: (words) => wrapped(words, wrappers.watch ?? {}).flatMap(asCode),
  parallel: (words) => wrapped(words, wrappers.parallel ?? {}).flatMap(asCode),
  hyperfine: (words) => words.slice(1).flatMap((word) => (word.value.startsWith('-') ? [] : joined([word]))),
  su: (words) => optionCode(words, 'c', ['command', 'session-command']),
  runuser: (words) => [
    ...optionCode(words, 'c', ['command', 'session-command']),
    ...wrapped(words, { valued: 'ugGswc', valuedLong: ['user', 'group', 'supp-group', 'shell', 'command'] }),
  ],
  script: (words) => optionCode(words, 'c', ['command']),
  flock: (words) => {
    const behind = wrapped(words, wrappers.flock ?? {})
    const code = optionCode(words, 'c', ['command'])
    return code.length > 0 ? code : behind
  },
  mapfile: (words) => optionCode(words, 'C', []),
  readarray: (words) => optionCode(words, 'C', []),
  complete: (words) => optionCode(words, 'C', []),
  'nix-shell': (words) => optionCode(words, '', ['run', 'command']),
  tar: (words) =>
    optionCode(words, 'I', [
      'to-command',
      'use-compress-program',
      'rmt-command',
      'rsh-command',
      'checkpoint-action',
    ]).map((inner) => (inner.type === 'code' ? { ...inner, text: inner.text.replace(/^exec=/, '') } : inner)),
  git: gitCommands,
}

/** The words behind a wrapper's own options and operands. */
function wrapped(words: ShellWord[], shape: WrapperShape): InnerCommand[] {
  let at = 1
  for (; at < words.length; at++) {
    const value = words[at]?.value ?? ''
    if (value === '--') {
      at++
      break
    }
    if (shape.assignments && /^[A-Za-z_]\w*=/.test(value)) continue
    if (!value.startsWith('-') || value === '-') break
    if (takesNext(value, shape)) at++
  }
  if (shape.assignments) while (/^[A-Za-z_]\w*=/.test(words[at]?.value ?? '')) at++
  const rest = words.slice(at + (shape.operands ?? 0))
  const until = shape.until === undefined ? -1 : rest.findIndex((word) => shape.until?.test(word.value))
  const inner = until < 0 ? rest : rest.slice(0, until)
  if (inner.length === 0) return []
  return [{ type: 'argv', words: inner, open: shape.open ?? false }]
}

/** True when the value of this option is the next word. */
function takesNext(option: string, { valued = '', valuedLong = [] }: WrapperShape): boolean {
  if (option.startsWith('--')) return valuedLong.includes(option.slice(2))
  const letter = [...option.slice(1)].findIndex((character) => valued.includes(character))
  return letter >= 0 && letter === option.length - 2
}

function shellCode(words: ShellWord[]): InnerCommand[] {
  const { code, operand } = shellOperands(words)
  return code && operand ? [{ type: 'code', text: operand.value, literal: operand.literal }] : []
}

/** Whether `-c` is among a shell's options, and its first operand: the code, or a script's path. */
function shellOperands(words: ShellWord[]): { code: boolean; operand: ShellWord | undefined } {
  let code = false
  for (let at = 1; at < words.length; at++) {
    const word = words[at]
    const value = word?.value ?? ''
    if (value === '--' || value === '-') return { code, operand: value === '-' && !code ? word : words[at + 1] }
    if (!/^[-+]./.test(value)) return { code, operand: word }
    if (value.startsWith('--')) {
      if (/^--(rcfile|init-file|init-command)$/.test(value)) at++
      if (value === '--command') code = true
      continue
    }
    if (value.startsWith('-') && value.includes('c')) code = true
    if (value.startsWith('-') && value.includes('s')) return { code: false, operand: undefined }
    if (/[oO]$/.test(value)) at++
  }
  return { code, operand: undefined }
}

function envCommand(words: ShellWord[]): InnerCommand[] {
  const split = optionCode(words, 'S', ['split-string'])
  if (split.length > 0) return split
  return wrapped(words, { valued: 'uCa', valuedLong: ['unset', 'chdir', 'argv0'], assignments: true })
}

/** Code in the value of an option: `-c CODE`, `-cCODE`, `--command CODE`, `--command=CODE`. */
function optionCode(words: ShellWord[], letter: string, long: string[]): InnerCommand[] {
  const found: InnerCommand[] = []
  words.forEach((word, at) => {
    const name = /^--([\w-]+)(=?)/.exec(word.value)
    const cluster = letter === '' ? -1 : word.value.indexOf(letter)
    if (name && long.includes(name[1] ?? '')) {
      if (name[2] === '=') found.push({ type: 'code', text: word.value.slice(name[0].length), literal: word.literal })
      else found.push(...joined(words.slice(at + 1, at + 2)))
    } else if (at > 0 && /^-[a-zA-Z]/.test(word.value) && cluster > 0) {
      const attached = word.value.slice(cluster + 1)
      if (attached !== '') found.push({ type: 'code', text: attached, literal: word.literal })
      else found.push(...joined(words.slice(at + 1, at + 2)))
    }
  })
  return found
}

/** Commands between a marker such as `-exec` and `;` or `+`; the program puts file names into them. */
function delimited(words: ShellWord[], marker: RegExp): InnerCommand[] {
  const found: InnerCommand[] = []
  for (let at = 1; at < words.length; at++) {
    if (!marker.test(words[at]?.value ?? '')) continue
    const end = words.findIndex((word, index) => index > at && /^[;+]$/.test(word.value))
    const inner = words.slice(at + 1, end < 0 ? undefined : end)
    if (inner.length > 0) found.push({ type: 'argv', words: inner, open: true })
  }
  return found
}

function gitCommands(words: ShellWord[]): InnerCommand[] {
  const found: InnerCommand[] = []
  words.forEach((word, at) => {
    const alias = /^alias\.[^=]*=!([\s\S]*)$/.exec(word.value)
    if (alias) found.push({ type: 'code', text: alias[1] ?? '', literal: word.literal })
    if (word.value === 'foreach') found.push(...joined(words.slice(at + 1).filter((w) => !w.value.startsWith('--'))))
    if (word.value === 'run' && words[at - 1]?.value === 'bisect') {
      found.push(...wrapped(words.slice(at), {}))
    }
  })
  if (words.some((word) => word.value === 'rebase')) found.push(...optionCode(words, 'x', ['exec']))
  return found
}

function joined(words: ShellWord[]): InnerCommand[] {
  if (words.length === 0) return []
  const text = words.map((word) => word.value).join(' ')
  return [{ type: 'code', text, literal: words.every((word) => word.literal) }]
}

function asCode(inner: InnerCommand): InnerCommand[] {
  return inner.type === 'argv' ? joined(inner.words) : [inner]
}
