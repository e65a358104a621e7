/** Paths as text: joined, normalised and compared without touching a disk. */

/** Where a call stands: both canonical and absolute. */
export type Place = { cwd: string; home: string }

/** `path` from `base`, absolute and without `.`, `..` or doubled slashes; `base` must be absolute. */
export function resolvePath(base: string, path: string): string {
  const whole = path.startsWith('/') ? path : `${base}/${path}`
  const kept: string[] = []
  for (const segment of whole.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment === '..') kept.pop()
    else kept.push(segment)
  }
  return `/${kept.join('/')}`
}

/** A word of a command or a rule as a path: `~` is the home folder; null when it names another user's home. */
export function placePath(word: string, place: Place): string | null {
  if (/^[\w-][\w.-]*$/.test(word)) return place.cwd === '/' ? `/${word}` : `${place.cwd}/${word}`
  if (word === '~') return resolvePath('/', place.home)
  if (word.startsWith('~/')) return resolvePath(place.home, word.slice(2))
  if (word.startsWith('~')) return null
  return resolvePath(place.cwd, word)
}

/** True for `root` itself and everything below it; `/a/bc` is not inside `/a/b`. */
export function isInside(root: string, path: string): boolean {
  return root === '/' || (path.startsWith(root) && (path.length === root.length || path[root.length] === '/'))
}

/** `path` as seen from `root`: `` for the root itself, null when it is not inside. */
export function relativePath(root: string, path: string): string | null {
  if (path === root) return ''
  if (root === '/') return path.slice(1)
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : null
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/**
 * The form in which a file system that ignores case or invisible characters would see a name: what is protected stays
 * protected as `.GIT`, `.g\u200cit` or in another normal form.
 */
export function foldPath(path: string): string {
  if (/^[!-@[-~]*$/.test(path)) return path
  return path.replace(ignored, '').normalize('NFC').toUpperCase().toLowerCase().normalize('NFC')
}

/** Characters that HFS+ leaves out when it compares names. */
const ignored = /[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g
