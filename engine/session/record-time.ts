/** The time of a record in milliseconds since 1970: the core has no clock of its own to read it with. */

/** NaN for what is no time in ISO 8601 and UTC, as records have it. */
export function recordTime(time: string): number {
  const found = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,3}))?Z$/.exec(time)
  if (found === null) return Number.NaN
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0] = found.slice(1, 7).map(Number)
  const ms = Number((found[7] ?? '0').padEnd(3, '0'))
  return (((days(year, month, day) * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000 + ms
}

/** Since 1970, in the Gregorian calendar; a year is counted from March, so that the odd day is its last. */
function days(year: number, month: number, day: number): number {
  const years = month > 2 ? year : year - 1
  const sinceMarch = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1
  return 365 * years + Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400) + sinceMarch - 719_468
}
