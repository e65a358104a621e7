/** The markdown lexer, loaded after the first frame: until it is there, text is shown as it came. */
import type { Token, Tokens } from 'marked'

export type { Token, Tokens }
export type Lex = (text: string) => Token[]

let lex: Lex | null = null
let loading: Promise<void> | null = null

/** Loads the lexer once; resolves when `currentLexer` answers. A failed load leaves plain text. */
export function loadLexer(): Promise<void> {
  loading ??= import('marked').then(
    ({ Lexer }) => {
      lex = (text) => new Lexer({ gfm: true, breaks: false, pedantic: false }).lex(text)
    },
    () => {
      loading = null
    },
  )
  return loading
}

export function currentLexer(): Lex | null {
  return lex
}
