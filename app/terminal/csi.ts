/** Meaning of one complete CSI or SS3 sequence; what is unknown means nothing and is dropped, never typed. */
import { characterKey, modifiersOf, namedKey, noModifiers } from './key-names.ts'
import type { Token } from './tokens.ts'

/** `body` is what stands between `ESC [` and the final byte. Null: nothing that concerns us. */
export function readCsi(body: string, final: string): Token | null {
  if (body.startsWith('<')) return readMouse(body.slice(1), final)
  if (body.startsWith('?')) return readPrivate(body.slice(1), final)
  if (body.startsWith('[')) return linuxConsole[final] === undefined ? null : namedKey(linuxConsole[final], noModifiers)
  if (/[^0-9;:]/.test(body)) return null
  if (body === '' && final === 'I') return { type: 'focus', focused: true }
  if (body === '' && final === 'O') return { type: 'focus', focused: false }
  if (final === 'u') return readKittyKey(body)

  const fields = body.split(';')
  const first = number(fields[0], 1)
  const [modifier, event] = (fields[1] ?? '').split(':')
  if (number(event, 1) === released) return null
  const modifiers = modifiersOf(number(modifier, 1))
  let key: Token | null = null
  if (final === '~') {
    // xterm's modifyOtherKeys: CSI 27 ; modifiers ; code ~
    if (first === 27 && fields.length === 3) return readCode(number(fields[2], 0), modifiers)
    const name = byNumber[first]
    if (name !== undefined) key = namedKey(name, modifiers)
  } else if (final === '^' || final === '$' || final === '@') {
    // rxvt writes modifiers into the final byte.
    const name = byNumber[first]
    if (name !== undefined) key = namedKey(name, { ...noModifiers, ctrl: final !== '$', shift: final !== '^' })
  } else if (final === 'Z') {
    key = namedKey('tab', { ...modifiers, shift: true })
  } else if (/[a-d]/.test(final) && body === '') {
    const name = byLetter[final.toUpperCase()]
    if (name !== undefined) key = namedKey(name, { ...noModifiers, shift: true })
  } else if (first === 1) {
    const name = byLetter[final]
    // With a second field that is no modifier, `R` is a cursor report.
    if (name !== undefined && !(final === 'R' && number(modifier, 1) > 16)) key = namedKey(name, modifiers)
  }
  return withRepeat(key, event)
}

/** `body` are the digits between `ESC O` and the final byte, usually none. */
export function readSs3(body: string, final: string): Token | null {
  const modifiers = modifiersOf(number(body.split(';').at(-1), 1))
  const keypad = keypadLetters[final]
  if (keypad !== undefined) return keypad === 'return' ? namedKey(keypad, modifiers) : characterKey(keypad, modifiers)
  if (/[a-d]/.test(final)) return namedKey(byLetter[final.toUpperCase()] ?? final, { ...noModifiers, ctrl: true })
  const name = byLetter[final]
  return name === undefined ? null : namedKey(name, modifiers)
}

/** The colour in `rgb:RRRR/GGGG/BBBB` (any number of digits, with or without alpha), or null. */
export function readColor(text: string): { red: number; green: number; blue: number } | null {
  const found = /^rgba?:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})/i.exec(text)
  if (found === null) return null
  const part = (digits = '0') => Number.parseInt(digits, 16) / (16 ** digits.length - 1)
  return { red: part(found[1]), green: part(found[2]), blue: part(found[3]) }
}

/** CSI code[:shifted[:base]] ; modifiers[:event] ; text u */
function readKittyKey(body: string): Token | null {
  const [codes = '', state = '', typed = ''] = body.split(';')
  const [code, shifted] = codes.split(':')
  const [modifier, event] = state.split(':')
  if (number(event, 1) === released) return null
  const text = typed === '' ? undefined : fromCodes(typed)
  const modifiers = modifiersOf(number(modifier, 1))
  if (text !== undefined && !modifiers.ctrl && !modifiers.alt && !modifiers.super) {
    return withRepeat(characterKey(text, noModifiers), event)
  }
  const alternate = shifted === undefined || shifted === '' ? undefined : fromCodes(shifted)
  return withRepeat(readCode(number(code, 0), modifiers, alternate), event)
}

function readCode(code: number, modifiers: ReturnType<typeof modifiersOf>, shifted?: string): Token | null {
  const named = kittyNames[code]
  if (named !== undefined) return namedKey(named, modifiers)
  const keypad = kittyKeypad[code]
  if (keypad !== undefined) return characterKey(keypad, modifiers, keypad)
  // Modifiers pressed alone, media keys, locks: they type nothing and mean nothing here.
  const valid =
    code >= 0x20 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xf8ff) && !(code >= 0x7f && code < 0xa0)
  return valid ? characterKey(String.fromCodePoint(code), modifiers, shifted) : null
}

function readPrivate(body: string, final: string): Token | null {
  if (final === 'u') return { type: 'reply', reply: { kind: 'kitty', flags: number(body, 0) } }
  if (final === 'c') return { type: 'reply', reply: { kind: 'attributes' } }
  return null
}

function readMouse(body: string, final: string): Token | null {
  const [button = 0, x = 1, y = 1] = body.split(';').map((field) => number(field, 0))
  // Bit 6 marks the wheel; its lowest bits are up, down, left, right. Modifiers are bits 2 to 4.
  if (final !== 'M' || (button & 64) === 0 || (button & 2) !== 0) return null
  return { type: 'wheel', direction: (button & 1) === 0 ? 'up' : 'down', x: Math.max(0, x - 1), y: Math.max(0, y - 1) }
}

function withRepeat(token: Token | null, event: string | undefined): Token | null {
  return token?.type === 'key' && event === '2' ? { ...token, repeat: true } : token
}

function fromCodes(codes: string): string | undefined {
  let text = ''
  for (const code of codes.split(':')) {
    const value = Number(code)
    if (!(value >= 0x20 && value <= 0x10ffff) || (value >= 0xd800 && value <= 0xdfff)) return undefined
    text += String.fromCodePoint(value)
  }
  return text
}

function number(field: string | undefined, fallback: number): number {
  if (field === undefined || field === '') return fallback
  const value = Number.parseInt(field, 10)
  return Number.isNaN(value) ? fallback : value
}

const released = 3

const byLetter: Record<string, string> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  E: 'clear',
  F: 'end',
  H: 'home',
  P: 'f1',
  Q: 'f2',
  R: 'f3',
  S: 'f4',
}

const byNumber: Record<number, string> = {
  1: 'home',
  2: 'insert',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
  11: 'f1',
  12: 'f2',
  13: 'f3',
  14: 'f4',
  15: 'f5',
  17: 'f6',
  18: 'f7',
  19: 'f8',
  20: 'f9',
  21: 'f10',
  23: 'f11',
  24: 'f12',
  25: 'f13',
  26: 'f14',
  28: 'f15',
  29: 'f16',
  31: 'f17',
  32: 'f18',
  33: 'f19',
  34: 'f20',
}

const linuxConsole: Record<string, string> = { A: 'f1', B: 'f2', C: 'f3', D: 'f4', E: 'f5' }

const keypadLetters: Record<string, string> = {
  M: 'return',
  X: '=',
  j: '*',
  k: '+',
  l: ',',
  m: '-',
  n: '.',
  o: '/',
  p: '0',
  q: '1',
  r: '2',
  s: '3',
  t: '4',
  u: '5',
  v: '6',
  w: '7',
  x: '8',
  y: '9',
}

const kittyNames: Record<number, string> = {
  9: 'tab',
  13: 'return',
  27: 'escape',
  32: 'space',
  127: 'backspace',
  57414: 'return',
  57417: 'left',
  57418: 'right',
  57419: 'up',
  57420: 'down',
  57421: 'pageup',
  57422: 'pagedown',
  57423: 'home',
  57424: 'end',
  57425: 'insert',
  57426: 'delete',
  57427: 'clear',
}
for (let n = 13; n <= 24; n++) kittyNames[57376 + n - 13] = `f${n}`

const kittyKeypad: Record<number, string> = {
  57409: '.',
  57410: '/',
  57411: '*',
  57412: '-',
  57413: '+',
  57415: '=',
  57416: ',',
}
for (let digit = 0; digit <= 9; digit++) kittyKeypad[57399 + digit] = String(digit)
