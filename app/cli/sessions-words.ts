/** Counts and sizes as the commands on stored sessions say them. */

export function many(count: number): string {
  return count === 1 ? '1 session' : `${count} sessions`
}

/** Behind "There": `is 1`, `are 2`. */
export function are(count: number): string {
  return `${count === 1 ? 'is' : 'are'} ${count}`
}

/** `1 record`, `2 records`, with a word in front: `damaged`. */
export function recordsText(count: number, kind = ''): string {
  return `${count} ${kind === '' ? '' : `${kind} `}${count === 1 ? 'record' : 'records'}`
}

export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
