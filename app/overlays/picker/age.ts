/** How long ago something was, in the words of a list. */

/** `now`, `2 min ago`, `3 h ago`, `yesterday`, `Nov 21`, `Nov 2025`; with `short`: `2 min`, `3 h`, `1 d`. '' for no time at all; the day of what lies ahead. */
export function age(iso: string, now: number, short = false): string {
  const then = Date.parse(iso)
  if (Number.isNaN(then) || then <= 0) return ''
  // A clock that was put right since: the day says more than "now" would.
  if (then - now > mostAhead) return dayOf(then, now)
  const ago = short ? '' : ' ago'
  const minutes = Math.floor(Math.max(0, now - then) / 60_000)
  if (minutes < 1) return 'now'
  if (minutes < 60) return `${minutes} min${ago}`
  const days = calendarDays(then, now)
  if (days === 0 || minutes < 6 * 60) return `${Math.floor(minutes / 60)} h${ago}`
  if (days === 1) return short ? '1 d' : 'yesterday'
  if (days < 7) return short ? `${days} d` : `${days} days ago`
  return dayOf(then, now)
}

function dayOf(then: number, now: number): string {
  const date = new Date(then)
  const month = months[date.getMonth()]
  return date.getFullYear() === new Date(now).getFullYear()
    ? `${month} ${date.getDate()}`
    : `${month} ${date.getFullYear()}`
}

/** Clocks of two machines differ by so much without anybody noticing. */
const mostAhead = 10 * 60_000

/** Midnights between the two, where the person is. */
function calendarDays(then: number, now: number): number {
  const midnight = (time: number) => new Date(time).setHours(0, 0, 0, 0)
  return Math.round((midnight(now) - midnight(then)) / 86_400_000)
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
