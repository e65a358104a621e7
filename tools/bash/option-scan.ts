/** Finds options among a program's arguments the way getopt reads them: clusters, attached values, shortened names. */
import { entry } from './entry.ts'

/**
 * Options that a rule must not cover silently.
 * `valued`: letters whose value is attached or the next word, so that a cluster ends there.
 * `risky`: option names (without dashes; one letter = short) → what they do, as the end of a sentence.
 * `words`: whole arguments, such as find's `-delete`, → the same.
 * `exact`: the program knows its long options by their full names only; others take any unambiguous beginning.
 */
export type OptionTable = {
  valued?: string
  risky?: Record<string, string>
  words?: Record<string, string>
  exact?: true
}

/** One sentence per risky option that is there. */
export function riskyOptions(program: string, args: readonly string[], table: OptionTable): string[] {
  const { valued = '', risky = {}, words = {}, exact } = table
  const found = new Set<string>()
  for (const arg of args) {
    const effect = entry(words, arg)
    if (effect !== undefined) found.add(`\`${program} ${arg}\` ${effect}`)
  }
  const end = args.indexOf('--')
  for (const arg of end < 0 ? args : args.slice(0, end)) {
    if (arg.startsWith('--')) {
      const given = arg.slice(2).split('=')[0] ?? ''
      const names = Object.keys(risky).filter((name) => name.length > 1 && name.startsWith(given))
      const meant = exact || names.includes(given) ? names.filter((name) => name === given) : names
      for (const name of meant) found.add(`\`${program} --${name}\` ${risky[name]}`)
    } else if (/^-[^-]/.test(arg)) {
      for (const letter of cluster(arg, valued)) {
        const effect = entry(risky, letter)
        if (effect !== undefined) found.add(`\`${program} -${letter}\` ${effect}`)
      }
    }
  }
  return [...found]
}

/** The arguments that are no options, after what belongs to options of `valued` has been skipped. */
export function operandsOf(args: readonly string[], valued = '', valuedLong: readonly string[] = []): string[] {
  const operands: string[] = []
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ''
    if (arg === '--') return [...operands, ...args.slice(at + 1)]
    if (arg.startsWith('--')) {
      if (valuedLong.some((name) => name.startsWith(arg.slice(2)))) at++
    } else if (/^-[^-]/.test(arg)) {
      const letters = cluster(arg, valued)
      if (valued.includes(letters.at(-1) ?? ' ') && letters.length === arg.length - 1) at++
    } else operands.push(arg)
  }
  return operands
}

/** The option letters of `-abc`, up to the first that takes the rest as its value. */
function cluster(arg: string, valued: string): string[] {
  const letters = [...arg.slice(1)]
  const end = letters.findIndex((letter) => valued.includes(letter))
  return end < 0 ? letters : letters.slice(0, end + 1)
}
