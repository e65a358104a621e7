import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createTokenizer } from './tokenizer.ts'
import type { Token } from './tokens.ts'

/** Tokens in short: key names, `"text"` after a name that types something else, and descriptions of the rest. */
function short(token: Token): string {
  switch (token.type) {
    case 'key':
      return (
        token.name +
        (token.text === '' || token.text === token.name ? '' : `"${token.text}"`) +
        (token.repeat ? '*' : '')
      )
    case 'paste':
      return `paste(${token.text})`
    case 'wheel':
      return `wheel ${token.direction} ${token.x},${token.y}`
    case 'focus':
      return token.focused ? 'focus' : 'blur'
    case 'reply':
      return JSON.stringify(token.reply)
  }
}

function read(...chunks: string[]): string[] {
  const tokenizer = createTokenizer()
  const tokens = chunks.flatMap((chunk) => tokenizer.push(chunk))
  return [...tokens, ...tokenizer.flush()].map(short)
}

describe('keys', () => {
  test.each<[string, string, string[]]>([
    ['letters', 'aZ?', ['a', 'Z', '?']],
    ['a blank', ' ', ['space" "']],
    ['Enter, Tab, Backspace', '\r\t\x7f', ['return', 'tab', 'backspace']],
    ['Backspace of old terminals', '\x08', ['backspace']],
    ['Ctrl with letters', '\x01\x03\x0a\x18\x1a', ['ctrl+a', 'ctrl+c', 'ctrl+j', 'ctrl+x', 'ctrl+z']],
    ['Ctrl with signs', '\x00\x1c\x1d\x1e\x1f', ['ctrl+space', 'ctrl+\\', 'ctrl+]', 'ctrl+^', 'ctrl+_']],
    ['Alt with letters', '\x1bb\x1bB\x1b<', ['alt+b', 'alt+B', 'alt+<']],
    ['Alt with named keys', '\x1b\r\x1b\x7f\x1b\t\x1b ', ['alt+return', 'alt+backspace', 'alt+tab', 'alt+space']],
    ['Alt with Ctrl', '\x1b\x01', ['ctrl+alt+a']],
    ['arrows', '\x1b[A\x1b[B\x1b[C\x1b[D', ['up', 'down', 'right', 'left']],
    ['arrows of application mode', '\x1bOA\x1bOD', ['up', 'left']],
    [
      'arrows with modifiers',
      '\x1b[1;5C\x1b[1;2A\x1b[1;3D\x1b[1;6B',
      ['ctrl+right', 'shift+up', 'alt+left', 'ctrl+shift+down'],
    ],
    ['arrows with Alt of other terminals', '\x1b\x1b[A', ['alt+up']],
    ['rxvt', '\x1b[a\x1bOa\x1b[3$\x1b[3^\x1b[7~', ['shift+up', 'ctrl+up', 'shift+delete', 'ctrl+delete', 'home']],
    ['home and end', '\x1b[H\x1b[F\x1b[1~\x1b[4~\x1bOH', ['home', 'end', 'home', 'end', 'home']],
    ['pages, insert, delete', '\x1b[5~\x1b[6~\x1b[2~\x1b[3~', ['pageup', 'pagedown', 'insert', 'delete']],
    ['shift+tab', '\x1b[Z', ['shift+tab']],
    ['function keys', '\x1bOP\x1b[15~\x1b[24~\x1b[1;2P\x1b[[A', ['f1', 'f5', 'f12', 'shift+f1', 'f1']],
    ['the keypad', '\x1bOM\x1bOq\x1bOk', ['return', '1', '+']],
    ['typed-ahead text and Enter in one read', 'hello\r\x1b', ['h', 'e', 'l', 'l', 'o', 'return', 'escape']],
    ['wide text and emoji', '你👨‍👩‍👧é', ['你', '👨‍👩‍👧', 'é']],
    ['Esc twice', '\x1b\x1b', ['escape', 'escape']],
    ['Esc and a key that is none with Alt', '\x1b\x1bx', ['escape', 'alt+x']],
    ['Alt with what also opens a sequence', '\x1bP\x1b]\x1bO', ['alt+P', 'alt+]', 'alt+O']],
    ['a bracket held with Alt', '\x1b[', ['alt+[']],
  ])('%s', (_name, bytes, keys) => {
    expect(read(bytes)).toEqual(keys)
  })
})

describe('keyboard protocols', () => {
  test.each<[string, string, string[]]>([
    ['shift+return, ctrl+return', '\x1b[13;2u\x1b[13;5u', ['shift+return', 'ctrl+return']],
    ['Esc, Tab, Backspace', '\x1b[27u\x1b[9;2u\x1b[127u', ['escape', 'shift+tab', 'backspace']],
    ['Ctrl with letters', '\x1b[97;5u\x1b[122;6u', ['ctrl+a', 'ctrl+shift+z']],
    ['Ctrl with a lock key', '\x1b[99;69u', ['ctrl+c']],
    ['letters as sequences', '\x1b[97u\x1b[97:65;2u\x1b[228;2u', ['a', 'A', 'Ä']],
    ['what shift types as told', '\x1b[49:33;2u', ['!']],
    ['text as told', '\x1b[97;;229u', ['å']],
    ['shift and blank type a blank', '\x1b[32;2u', ['shift+space" "']],
    ['undo', '\x1b[45;5u\x1b[45;6u\x1b[47;5u', ['ctrl+-', 'ctrl+_', 'ctrl+/']],
    ['a held key', '\x1b[97;1:2u\x1b[1;1:2A', ['a*', 'up*']],
    ['releases are nothing', '\x1b[57441;2u\x1b[1;5:3A\x1b[97;1:3u\x1b[3;1:3~', []],
    ['modifiers alone and media keys are nothing', '\x1b[57442u\x1b[57428u\x1b[57358u', []],
    ['the keypad', '\x1b[57400u\x1b[57414u\x1b[57419u', ['1', 'return', 'up']],
    ['the command key', '\x1b[99;9u', ['super+c']],
    ['modifyOtherKeys', '\x1b[27;2;13~\x1b[27;5;98~\x1b[27;3;98~', ['shift+return', 'ctrl+b', 'alt+b']],
    ['impossible characters', '\x1b[55296u\x1b[9999999u\x1b[0u', []],
  ])('%s', (_name, bytes, keys) => {
    expect(read(bytes)).toEqual(keys)
  })
})

describe('what is no key', () => {
  test.each<[string, string, string[]]>([
    ['the wheel', '\x1b[<64;10;5M\x1b[<65;1;1M\x1b[<80;2;2M', ['wheel up 9,4', 'wheel down 0,0', 'wheel up 1,1']],
    ['clicks, moves and sideways wheels', '\x1b[<0;1;1M\x1b[<0;1;1m\x1b[<35;4;4M\x1b[<66;1;1M', []],
    ['the oldest mouse report', '\x1b[M !!a', ['a']],
    ['focus', '\x1b[I\x1b[O', ['focus', 'blur']],
    ['the kitty answer', '\x1b[?1u', ['{"kind":"kitty","flags":1}']],
    ['device attributes', '\x1b[?62;22c\x1b[>0;276;0c', ['{"kind":"attributes"}']],
    [
      'the background',
      '\x1b]11;rgb:ffff/8080/0000\x1b\\',
      [JSON.stringify({ kind: 'background', red: 1, green: 0x8080 / 0xffff, blue: 0 })],
    ],
    [
      'the background, ended by a bell',
      '\x1b]11;rgb:00/00/00\x07x',
      ['{"kind":"background","red":0,"green":0,"blue":0}', 'x'],
    ],
    ['a cursor report', '\x1b[24;80R\x1b[1;80R', []],
    [
      'mode reports and unknown answers',
      '\x1b[?2026;1$y\x1b[8;24;80t\x1b[0n\x1bP>|xterm(390)\x1b\\\x1b_Gi=1;OK\x1b\\',
      [],
    ],
    ['unknown sequences', '\x1b[99~\x1b[1;2;3;4x\x1b[>4m', []],
    ['a sequence that never ends', '\x1b[1;5', []],
    ['a sequence with a line break in it', '\x1b[1;\rA', ['return', 'A']],
  ])('%s', (_name, bytes, tokens) => {
    expect(read(bytes)).toEqual(tokens)
  })
})

describe('pastes', () => {
  test.each<[string, string[], string[]]>([
    ['with brackets', ['\x1b[200~a\r\nb\rc\nd\x1b[201~'], ['paste(a\nb\nc\nd)']],
    ['with brackets, cut anywhere', ['\x1b[20', '0~one\x1b[2', '01', '~x'], ['paste(one)', 'x']],
    ['with sequences inside', ['\x1b[200~\x1b[31mred\x1b[201~'], ['paste(\x1b[31mred)']],
    ['one after the other', ['\x1b[200~a\x1b[201~\x1b[200~b\x1b[201~'], ['paste(a)', 'paste(b)']],
    ['empty', ['\x1b[200~\x1b[201~'], ['paste()']],
    ['whose end never comes', ['\x1b[200~lost'], ['paste(lost)']],
    ['after Esc', ['\x1b\x1b[200~a\x1b[201~'], ['escape', 'paste(a)']],
    ['without brackets', ['line1\rline2\rline3'], ['paste(line1\nline2\nline3)']],
    ['without brackets, from Windows', ['a\r\nb'], ['paste(a\nb)']],
    ['without brackets, two lines', ['first line\rsecond'], ['paste(first line\nsecond)']],
    ['without brackets, with an end', ['one\ntwo\n'], ['paste(one\ntwo\n)']],
    ['without brackets in several reads', ['one\rtwo\rth', 'ree\rfo', 'ur'], ['paste(one\ntwo\nthree\nfour)']],
    ['without brackets, then keys', ['one\rtwo', '\x1b[A'], ['paste(one\ntwo)', 'up']],
    ['a long line', ['x'.repeat(100)], [`paste(${'x'.repeat(100)})`]],
    ['a long line and Enter', [`${'x'.repeat(100)}\r`], [`paste(${'x'.repeat(100)})`, 'return']],
  ])('%s', (_name, chunks, tokens) => {
    expect(read(...chunks)).toEqual(tokens)
  })

  test('are not made of what fingers do', () => {
    expect(read('\r\r\r')).toEqual(['return', 'return', 'return'])
    expect(read('ab\x7f\x7f\r')).toEqual(['a', 'b', 'backspace', 'backspace', 'return'])
    expect(read('fix it\r')).toEqual(['f', 'i', 'x', 'space" "', 'i', 't', 'return'])
  })

  test('a megabyte in small reads is one paste', () => {
    const tokenizer = createTokenizer()
    const body = 'const answer = 42\n'.repeat(60_000)
    const bytes = `\x1b[200~${body}\x1b[201~Q`
    const tokens: Token[] = []
    for (let at = 0; at < bytes.length; at += 4096) tokens.push(...tokenizer.push(bytes.slice(at, at + 4096)))
    expect(tokens).toEqual([
      { type: 'paste', text: body },
      { type: 'key', name: 'Q', text: 'Q' },
    ])
  })
})

describe('whatever arrives', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '\x1b',
      '\x1b[',
      '\x1b[A',
      '\x1b[1;5C',
      '\x1b[200~',
      '\x1b[201~',
      '\x1b]11;',
      '\x1b\\',
      '\r',
      '\n',
      'é',
      '👨‍👩‍👧',
      '\x1bO',
      '\x7f',
      '\x1bP>',
      ';',
      '97u',
      '~',
      'M',
    ),
    fc.string({ maxLength: 5 }),
  )
  const bytes = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''))

  test('no key types a control character, and nothing stays behind', () => {
    fc.assert(
      fc.property(bytes, (text) => {
        const tokenizer = createTokenizer()
        const tokens = [...tokenizer.push(text), ...tokenizer.flush()]
        expect(tokenizer.waiting).toBe('nothing')
        for (const token of tokens) {
          if (token.type !== 'key') continue
          expect(token.text).not.toMatch(/[\x00-\x1f\x7f-\x9f]/)
          expect(token.name).not.toMatch(/[\x00-\x20\x7f-\x9f]/)
        }
      }),
    )
  })

  test('sequences mean the same however the reads cut them', () => {
    const sequences = fc.array(
      fc.constantFrom(
        '\x1b[A',
        '\x1b[1;5C',
        '\x1b[13;2u',
        '\x1b[<64;3;4M',
        '\x1b[I',
        '\x1b]11;rgb:0/0/0\x07',
        '\x1b[200~a\rb\x1b[201~',
        '\x1bOP',
        '\x1bb',
        '\x1b[97;1:3u',
      ),
      { minLength: 1, maxLength: 8 },
    )
    fc.assert(
      fc.property(sequences, fc.array(fc.nat(200)), (list, cuts) => {
        const text = list.join('')
        const at = [...new Set(cuts.map((cut) => cut % text.length))].sort((a, b) => a - b)
        const chunks = [0, ...at].map((from, index) => text.slice(from, at[index] ?? text.length))
        expect(read(...chunks)).toEqual(read(text))
      }),
    )
  })
})
