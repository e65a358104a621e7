/** Short figures for people: durations, tokens, money, counts. */

/** `0.4 s`, `14 s`, `3 min 5 s`, `1 h 4 min`. */
export function duration(ms: number): string {
  if (ms < 10_000) return `${(Math.max(0, ms) / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** Whole seconds, for clocks that tick: `0 s`, `59 s`, `3 min 5 s`. */
export function clock(ms: number): string {
  return ms < 10_000 ? `${Math.max(0, Math.floor(ms / 1000))} s` : duration(Math.floor(ms / 1000) * 1000)
}

/** `just now`, `12 min ago`, `47 h ago`, `3 days ago`. */
export function ago(ms: number): string {
  const minutes = Math.floor(Math.max(0, ms) / 60_000)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${minutes} min ago`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} days ago`
}

/** `940`, `18.2k`, `1.3M`. */
export function tokens(count: number): string {
  if (count < 1_000) return `${count}`
  if (count < 999_950) return `${(count / 1_000).toFixed(1)}k`
  return `${(count / 1_000_000).toFixed(1)}M`
}

/** `$0.42`, `$0.004`; a lower bound starts with `≥`. */
export function money(usd: number, known = true): string {
  const figure = usd > 0 && usd < 0.01 ? usd.toFixed(3) : usd.toFixed(2)
  return `${known ? '' : '≥'}$${figure}`
}

/** `1 call`, `3 calls`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`
}

export function wordCount(text: string): number {
  return text.trim() === '' ? 0 : text.trim().split(/\s+/).length
}

/** `1,234,567`; `toLocaleString` says the same but costs as much as drawing a row. */
export function grouped(count: number): string {
  return count < 1_000 ? `${count}` : `${count}`.replace(/\B(?=(\d{3})+$)/g, ',')
}
