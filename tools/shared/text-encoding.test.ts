import fc from 'fast-check'
import iconv from 'iconv-lite'
import { describe, expect, it } from 'vitest'
import { decodeText, encodeText, encodingNote } from './text-encoding.ts'

const latin = (text: string) => Buffer.from(text, 'latin1')

describe('decoding', () => {
  it.each<[string, Uint8Array, string, string, string | undefined]>([
    ['ASCII', latin('const x = 1;\n'), 'utf-8', 'const x = 1;\n', undefined],
    ['nothing', latin(''), 'utf-8', '', undefined],
    ['UTF-8', Buffer.from('größer — 你好 😀\n'), 'utf-8', 'größer — 你好 😀\n', undefined],
    ['UTF-8 with mark', Buffer.from('\ufeffusing X;\n'), 'utf-8', 'using X;\n', 'UTF-8 with byte order mark'],
    ['a second mark', Buffer.from('\ufeff\ufeffx'), 'utf-8', '\ufeffx', 'UTF-8 with byte order mark'],
    ['UTF-16LE', Buffer.from('\ufeffgrün\r\n', 'utf16le'), 'utf-16le', 'grün\r\n', 'UTF-16LE with byte order mark'],
    [
      'UTF-16BE',
      Buffer.from('\ufeffgrün\r\n', 'utf16le').swap16(),
      'utf-16be',
      'grün\r\n',
      'UTF-16BE with byte order mark',
    ],
    [
      'Latin-1',
      latin('const x = 1;\n// caf\xe9\n'),
      'windows-1252',
      'const x = 1;\n// café\n',
      'windows-1252 (guessed: the bytes are not UTF-8)',
    ],
    [
      'Windows quotes',
      latin('it\x92s \x93so\x94\n'),
      'windows-1252',
      'it’s “so”\n',
      'windows-1252 (guessed: the bytes are not UTF-8)',
    ],
    [
      'a byte that windows-1252 lacks',
      latin('a\x81\xe9\n'),
      'iso-8859-1',
      'a\x81é\n',
      'iso-8859-1 (guessed: the bytes are not UTF-8)',
    ],
    [
      'Shift_JIS',
      iconv.encode('// 設定ファイルを読み込む\nconst x = "日本語のテキスト";\n', 'Shift_JIS'),
      'shift_jis',
      '// 設定ファイルを読み込む\nconst x = "日本語のテキスト";\n',
      'shift_jis (guessed: the bytes are not UTF-8)',
    ],
    [
      'Cyrillic',
      iconv.encode('// Чтение настроек из файла\nconst x = "русский текст";\n', 'win1251'),
      'windows-1251',
      '// Чтение настроек из файла\nconst x = "русский текст";\n',
      'windows-1251 (guessed: the bytes are not UTF-8)',
    ],
  ])('reads %s', async (_, bytes, name, text, note) => {
    const decoded = await decodeText(bytes)
    expect(decoded).toEqual({ text, encoding: { name, bom: note?.includes('mark') ?? false } })
    expect(encodingNote(decoded?.encoding ?? { name: '', bom: false })).toBe(note)
    expect(Buffer.from(await encodeText(text, { name, bom: note?.includes('mark') ?? false }, 'f'))).toEqual(
      Buffer.from(bytes),
    )
  })

  it.each<[string, Uint8Array]>([
    ['a NUL byte', latin('abc\0def')],
    ['a PNG', latin('\x89PNG\r\n\x1a\n....')],
    ['a gzip', latin('\x1f\x8b\x08\x04abc')],
    ['UTF-16 without mark', Buffer.from('hello world', 'utf16le')],
    ['UTF-32', latin('\xff\xfe\0\0a\0\0\0')],
    ['UTF-16 with half a pair', Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x61, 0x00])],
    ['control bytes', latin('\x01\x02\x03\x04text')],
  ])('takes %s for binary', async (_, bytes) => {
    expect(await decodeText(bytes)).toBeNull()
  })

  it('gives back the same bytes for whatever it takes for text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        const decoded = await decodeText(bytes)
        if (decoded === null) return
        expect(Buffer.from(await encodeText(decoded.text, decoded.encoding, 'f'))).toEqual(Buffer.from(bytes))
      }),
    )
  })

  it('keeps every byte outside an inserted ASCII text, whatever the encoding', async () => {
    const high = fc.uint8Array({ maxLength: 60 }).map((b) => b.map((x) => Math.max(x, 0x20)))
    await fc.assert(
      fc.asyncProperty(high, high, async (before, after) => {
        const bytes = Buffer.concat([before, latin('\nx = 1\n'), after])
        const decoded = await decodeText(bytes)
        if (decoded === null || decoded.encoding.name.startsWith('utf-16')) return
        const changed = await encodeText(decoded.text.replace('x = 1', 'x = 23'), decoded.encoding, 'f')
        expect(Buffer.from(changed).includes(latin('x = 23'))).toBe(true)
        const at = bytes.indexOf('x = 1')
        const changedAt = Buffer.from(changed).indexOf('x = 23')
        expect(changedAt).toBe(at)
        expect(Buffer.from(changed).subarray(0, at)).toEqual(bytes.subarray(0, at))
        expect(Buffer.from(changed).subarray(changedAt + 6)).toEqual(bytes.subarray(at + 5))
      }),
    )
  })
})

describe('encoding', () => {
  it('refuses a character that the file cannot hold, and says which', async () => {
    await expect(encodeText('café €', { name: 'iso-8859-1', bom: false }, 'a.txt')).rejects.toThrow(
      'a.txt is stored as iso-8859-1, which has no character for € (U+20AC). Nothing was changed.',
    )
    await expect(encodeText('x 😀', { name: 'windows-1252', bom: false }, 'a.txt')).rejects.toThrow('😀 (U+1F600)')
  })

  it('refuses half a surrogate pair instead of writing a replacement', async () => {
    await expect(encodeText('ab\ud800c', { name: 'utf-8', bom: false }, 'a.txt')).rejects.toThrow('at character 3')
  })
})
