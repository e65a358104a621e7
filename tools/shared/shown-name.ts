/** File names as text that cannot break a listing. */

/**
 * The name as it is when it is UTF-8 without control characters; otherwise quoted, with escapes: `"a\nb"`,
 * `"caf\xE9.txt"`.
 */
export function shownName(name: string | Uint8Array): string {
  if (typeof name === 'string') return hasControls(name) ? JSON.stringify(name) : name
  try {
    return shownName(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(name))
  } catch {
    const hex = (byte: number) => `\\x${byte.toString(16).toUpperCase().padStart(2, '0')}`
    const printable = (byte: number) => byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c
    return `"${[...name].map((byte) => (printable(byte) ? String.fromCharCode(byte) : hex(byte))).join('')}"`
  }
}

function hasControls(name: string): boolean {
  return /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(name)
}
