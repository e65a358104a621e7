/** Tells data from text by its bytes, and what kind of data it is. */

/** A name for binary data ("PNG image"), or null when the bytes could be text in a one-byte or UTF-8 encoding. */
export function binaryKind(bytes: Uint8Array): string | null {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 64 * 1024))
  for (const [kind, magic, offset] of signatures) {
    if (buffer.subarray(offset, offset + magic.length).equals(magic)) return kind
  }
  const nul = buffer.indexOf(0)
  if (nul >= 0) return looksWide(buffer) ? 'UTF-16 text without a byte order mark' : 'binary data'
  // Terminal logs hold escapes and backspaces; more control bytes than a few in a hundred are no text.
  const controls = buffer.reduce((count, byte) => count + (isOddControl(byte) ? 1 : 0), 0)
  return controls > buffer.length * 0.03 ? 'binary data' : null
}

const signatures: [kind: string, magic: Buffer, offset: number][] = [
  ['PNG image', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 0],
  ['JPEG image', Buffer.from('\xff\xd8\xff', 'latin1'), 0],
  ['GIF image', Buffer.from('GIF87a', 'latin1'), 0],
  ['GIF image', Buffer.from('GIF89a', 'latin1'), 0],
  ['WebP image', Buffer.from('WEBPVP8', 'latin1'), 8],
  ['PDF document', Buffer.from('%PDF-', 'latin1'), 0],
  ['ZIP archive', Buffer.from('PK\x03\x04', 'latin1'), 0],
  ['gzip archive', Buffer.from('\x1f\x8b\x08', 'latin1'), 0],
  ['Zstandard archive', Buffer.from('\x28\xb5\x2f\xfd', 'latin1'), 0],
  ['ELF program', Buffer.from('\x7fELF', 'latin1'), 0],
  ['Mach-O program', Buffer.from('\xcf\xfa\xed\xfe', 'latin1'), 0],
  ['WebAssembly module', Buffer.from('\0asm', 'latin1'), 0],
  ['SQLite database', Buffer.from('SQLite format 3\0', 'latin1'), 0],
]

/** Every second byte of Western text in UTF-16 is NUL. */
function looksWide(buffer: Buffer): boolean {
  const zeros = [0, 0]
  for (let i = 0; i < buffer.length; i++) if (buffer[i] === 0) zeros[i % 2] = (zeros[i % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  return buffer.length >= 8 && Math.max(even, odd) > buffer.length * 0.3 && Math.min(even, odd) < buffer.length * 0.05
}

function isOddControl(byte: number): boolean {
  return (
    (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d && byte !== 0x0c && byte !== 0x1b) || byte === 0x7f
  )
}
