/** Text as HTML that shows just this text, in elements and in quoted attributes. */
import { plainText } from './plain-text.ts'

export function escapeHtml(text: string): string {
  return plainText(text)
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/'/g, '&#39;')
}
