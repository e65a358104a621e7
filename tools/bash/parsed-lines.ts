/** Keeps the syntax of the last command lines: a line is analysed when it is prepared and once more before it runs. */
import type { ParsedScript } from 'unbash'

type Parse = (source: string) => ParsedScript

/**
 * The parser with a small memory. Syntax depends on the text alone and nobody writes into it, so that what is kept is never
 * out of date; what is looked up on the disk is not kept. Everything is forgotten when it has grown to `mostCharacters`.
 */
export function remembering(parse: Parse): Parse {
  const scripts = new Map<string, ParsedScript>()
  let characters = 0
  return (source) => {
    const known = scripts.get(source)
    if (known !== undefined) return known
    const script = parse(source)
    if (source.length > longestKept) return script
    if (characters + source.length > mostCharacters) {
      scripts.clear()
      characters = 0
    }
    characters += source.length
    scripts.set(source, script)
    return script
  }
}

/** Of all kept lines together: their syntax takes some hundred times as much memory. */
const mostCharacters = 32_768
const longestKept = 8192
