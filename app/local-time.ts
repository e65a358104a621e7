/** A point in time as a person reads it on their own clock. */

/** `2026-11-30 12:01`, where the person is; '' for what is no time. Takes ISO 8601 or ms since 1970. */
export function localTime(time: string | number): string {
  const at = new Date(time)
  if (Number.isNaN(at.getTime())) return ''
  const two = (n: number) => String(n).padStart(2, '0')
  const day = [String(at.getFullYear()).padStart(4, '0'), two(at.getMonth() + 1), two(at.getDate())].join('-')
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`
}
