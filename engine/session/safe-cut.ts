/** Where a text that still grows may be cut in two, so that no secret stands half in each part, where neither would be known. */

/**
 * How much of `text` may be recorded by itself: up to a blank that no secret of a known shape reaches over, and nothing of a
 * private key whose end has not come. Own patterns that hold blanks are not looked at.
 */
export function safeCut(text: string): number {
  const key = text.lastIndexOf(keyBegins)
  const open = key >= 0 && text.length - key < longestKey && !text.includes(keyEnds, key)
  for (let at = open ? key : text.length; at > 0; at--) {
    if (blank.test(text[at - 1] ?? '') && !announces.test(text.slice(Math.max(0, at - announced), at))) return at
  }
  return 0
}

const keyBegins = '-----BEGIN '
const keyEnds = '-----END '
/** Longer than any key; what goes on for longer is none. */
const longestKey = 40_000
/** No secret holds one: white space, and what is not ASCII, but for the first half of a character. */
const blank = /[\s\u0080-\ud7ff\udc00-\uffff]/
/** Words on the same line behind which a secret comes: `Bearer …`, `secret_key = …`. */
const announces = /(?:earer|[=:]["']?|key["']?)[ \t]+$/i
const announced = 24
