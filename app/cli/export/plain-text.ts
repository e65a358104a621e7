/** Text for a document: without escape sequences and control characters, and what would hide or reorder it is shown. */
import { sanitizeForTerminal } from '@sluice/permissions-ui'

/** Tabs and line feeds stay. */
export function plainText(text: string): string {
  if (/^[\n\t\x20-\x7e]*$/.test(text)) return text
  return text
    .split('\t')
    .map((part) => sanitizeForTerminal(part, 'output').replace(hiding, (mark) => `<U+${code(mark)}>`))
    .join('\t')
}

/** Whatever reorders or hides text, should the sanitiser ever let one pass. */
const hiding = /[\u202a-\u202e\u2066-\u2069\u200e\u200f]/g

function code(mark: string): string {
  return (mark.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
}
