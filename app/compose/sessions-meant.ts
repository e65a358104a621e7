/** Which sessions some words mean, by id and title and nothing else: no folder or tag makes a session one of them; pure. */

/**
 * The first of these ways that fits any: the id, the whole title, the beginning of an id, a part of the title, all words
 * somewhere in the title. Several are for the person to choose from.
 */
export function sessionsMeant<S extends { id: string; title: string }>(all: readonly S[], wanted: string): S[] {
  const words = plain(wanted)
  if (words === '') return []
  const exact = all.filter(({ id }) => id === wanted)
  if (exact.length > 0) return exact
  const titled = all.map((session) => ({ session, title: plain(session.title) }))
  const single = words.split(' ')
  const ways: ((one: (typeof titled)[number]) => boolean)[] = [
    ({ title }) => title === words,
    // One letter begins them all.
    ({ session }) => wanted.length > 1 && session.id.startsWith(wanted),
    ({ title }) => title.includes(words),
    ({ title }) => single.every((word) => title.includes(word)),
  ]
  for (const way of ways) {
    const found = titled.filter(way)
    if (found.length > 0) return found.map(({ session }) => session)
  }
  return []
}

/** As it is compared: a title may hold capitals, several blanks and letters in parts. */
function plain(text: string): string {
  return text.normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim()
}
