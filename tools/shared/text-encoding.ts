/** Bytes to text and back, so that what an edit does not touch keeps every byte. */
import { ToolFailure } from '@sluice/engine/ports'
import { binaryKind } from './binary-kind.ts'

/** `name` is `utf-8`, `utf-16le`, `utf-16be` or the name of a legacy encoding; `bom` marks a byte order mark. */
export type TextEncoding = { name: string; bom: boolean }
/** `text` never holds the byte order mark. `encode(text)` gives the very bytes that it was decoded from. */
export type DecodedText = { text: string; encoding: TextEncoding }

export const utf8: TextEncoding = { name: 'utf-8', bom: false }

const utf8Mark = Buffer.from([0xef, 0xbb, 0xbf])

/** Text with its encoding; null for binary data. Bytes that fit no encoding with certainty are read as a legacy one. */
export async function decodeText(bytes: Uint8Array): Promise<DecodedText | null> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const wide = decodeWide(buffer)
  if (wide !== undefined) return wide
  if (binaryKind(buffer) !== null) return null
  const bom = buffer.subarray(0, 3).equals(utf8Mark)
  const text = strictly('utf-8', bom ? buffer.subarray(3) : buffer)
  return text === null ? decodeLegacy(buffer) : { text, encoding: { name: 'utf-8', bom } }
}

/**
 * The bytes of `text` in `encoding`. Throws ToolFailure for a character that the encoding does not have; `shown`
 * names the file in that message.
 */
export async function encodeText(text: string, encoding: TextEncoding, shown: string): Promise<Uint8Array> {
  if (!text.isWellFormed()) {
    throw new ToolFailure(
      `The new text for ${shown} holds half of a surrogate pair at character ${firstLoneSurrogate(text) + 1}, ` +
        'which no encoding can store. Send the whole character.',
    )
  }
  if (encoding.name === 'utf-8') {
    const body = Buffer.from(text, 'utf8')
    return encoding.bom ? Buffer.concat([utf8Mark, body]) : body
  }
  if (encoding.name === 'utf-16le') return Buffer.from(`\ufeff${text}`, 'utf16le')
  if (encoding.name === 'utf-16be') return Buffer.from(`\ufeff${text}`, 'utf16le').swap16()
  const { encode, decode } = await iconv()
  const bytes = encode(text, encoding.name)
  const back = decode(bytes, encoding.name)
  if (back !== text) throw unencodable(text, back, encoding, shown)
  return bytes
}

/** The encoding for people, or undefined for plain UTF-8, which needs no words. */
export function encodingNote(encoding: TextEncoding): string | undefined {
  if (encoding.name === 'utf-8') return encoding.bom ? 'UTF-8 with byte order mark' : undefined
  if (encoding.name.startsWith('utf-16')) return `${encoding.name.toUpperCase()} with byte order mark`
  return `${encoding.name} (guessed: the bytes are not UTF-8)`
}

/** UTF-16 is recognised by its byte order mark only; null when the bytes after the mark are no such text. */
function decodeWide(buffer: Buffer): DecodedText | null | undefined {
  const little = buffer[0] === 0xff && buffer[1] === 0xfe
  const big = buffer[0] === 0xfe && buffer[1] === 0xff
  if (!little && !big) return undefined
  const name = little ? 'utf-16le' : 'utf-16be'
  const text = strictly(name, buffer.subarray(2))
  // A NUL character right behind the mark is UTF-32, anything else with NULs is data.
  return text === null || text.includes('\0') ? null : { text, encoding: { name, bom: true } }
}

function strictly(encoding: string, bytes: Uint8Array): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

/** Several bytes a character: believed only when the detector is sure. */
const multiByte = ['Shift_JIS', 'EUC-JP', 'EUC-KR', 'GB18030', 'Big5']

async function decodeLegacy(buffer: Buffer): Promise<DecodedText> {
  // Bundled, a CommonJS package has nothing but its default.
  const [{ default: chardet }, { encode, decode }] = await Promise.all([import('chardet'), iconv()])
  const matches = chardet.analyse(buffer.subarray(0, 256 * 1024))
  const sure = matches.filter((m) => multiByte.includes(m.name) && m.confidence >= 60).map((m) => m.name)
  const single = matches.filter((m) => /^(windows-|ISO-8859-|KOI8)/.test(m.name) && m.confidence >= 20)
  // A handful of high bytes looks like any alphabet; they are nearly always Western.
  const western = buffer.filter((byte) => byte >= 0x80).length < 12 || single[0]?.name === 'ISO-8859-1'
  const candidates = [...sure, ...(western ? [] : single.map((m) => m.name)), 'windows-1252']
  for (const name of candidates) {
    const text = decode(buffer, name)
    if (encode(text, name).equals(buffer)) return { text, encoding: { name: name.toLowerCase(), bom: false } }
  }
  // Latin-1 gives each of the 256 bytes a character of its own: nothing can get lost.
  return { text: buffer.toString('latin1'), encoding: { name: 'iso-8859-1', bom: false } }
}

async function iconv(): Promise<{
  encode(text: string, encoding: string): Buffer
  decode(bytes: Uint8Array, encoding: string): string
}> {
  const { default: lite } = await import('iconv-lite')
  return {
    encode: (text, encoding) => lite.encode(text, encoding),
    decode: (bytes, encoding) => lite.decode(Buffer.from(bytes), encoding, { stripBOM: false }),
  }
}

function unencodable(text: string, back: string, encoding: TextEncoding, shown: string): ToolFailure {
  let index = 0
  while (text[index] === back[index]) index++
  const character = String.fromCodePoint(text.codePointAt(index) ?? 0)
  const point = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return new ToolFailure(
    `${shown} is stored as ${encoding.name}, which has no character for ${character} (U+${point}). ` +
      'Nothing was changed. Use characters of that encoding, or convert the file to UTF-8 first.',
    'TOOL_EXECUTION_FAILED',
    { encoding: encoding.name, character },
  )
}

function firstLoneSurrogate(text: string): number {
  return text.search(/\p{Surrogate}/u)
}
