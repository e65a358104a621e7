/** Says what a shell word will be once the shell has read it, when that can be known without running anything. */
import type { Assignment, CommandArgument, DoubleQuotedChild, Word, WordPart } from 'unbash'

/**
 * One word of a command.
 * `text` is its source; `value` is the word after quote removal, with expansions left as they were written.
 * `known`: the shell can make nothing but `value` of it. `literal`: known, and in the plain forms alone.
 */
export type ShellWord = { text: string; value: string; known: boolean; literal: boolean }

/** A word or a declaration's assignment (`export A=1`) as the program would receive it. */
export function shellWord(argument: CommandArgument | Word): ShellWord {
  if (argument.type === 'Assignment') return assignedWord(argument)
  const { text, value, parts } = argument
  const certainty = parts === undefined ? certaintyOfBare(text) : weakest(parts.map(certaintyOf))
  return { text, value, known: certainty !== 'dynamic', literal: certainty === 'literal' }
}

type Certainty = 'literal' | 'known' | 'dynamic'

function assignedWord(assignment: Assignment): ShellWord {
  const { text, name, value } = assignment
  if (value.type === 'ArrayValue' || assignment.index) return { text, value: text, known: false, literal: false }
  const word = shellWord(value)
  return { ...word, text, value: `${name}${assignment.append ? '+=' : '='}${word.value}` }
}

function certaintyOf(part: WordPart | DoubleQuotedChild): Certainty {
  switch (part.type) {
    case 'Literal':
      return certaintyOfBare(part.text)
    case 'SingleQuoted':
      return 'literal'
    case 'DoubleQuoted':
      return part.parts.every((child) => child.type === 'Literal') ? 'literal' : 'dynamic'
    case 'LocaleString':
      return part.parts.every((child) => child.type === 'Literal') ? 'known' : 'dynamic'
    case 'AnsiCQuoted':
      return 'known'
    default:
      return 'dynamic'
  }
}

/**
 * Outside quotes `~`, `$`, backticks and patterns make a word dynamic, unless a backslash quotes them. A tilde within a
 * name, as in `HEAD~1`, is one to bash as well: only at a word's beginning, after `=` and after `:` it is a home folder.
 */
function certaintyOfBare(text: string): Certainty {
  if (/^[\w./:=,+@%-]*$/.test(text)) return 'literal'
  return /(?<![\w^@~])~|[$`*?]/.test(text.replace(/\\[\s\S]/g, ' ')) ? 'dynamic' : 'literal'
}

function weakest(certainties: Certainty[]): Certainty {
  if (certainties.includes('dynamic')) return 'dynamic'
  return certainties.includes('known') ? 'known' : 'literal'
}
