/** What programs print when a write was refused: which line it is, and the file it names. */
import { realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

/** `printed` is the file in the program's words; `path` where it really lies. */
export type Complaint = { printed: string; path: string; kind: 'read-only' | 'denied' }

/** Complaints of writes in `lines`, as far as they name a file. Where a line names several, all are given. */
export function writeComplaints(lines: readonly string[], cwd: string): Complaint[] {
  const found: Complaint[] = []
  for (const line of lines) {
    const text = stripVTControlCharacters(line)
    const kind = readOnly.test(text) ? 'read-only' : denied.test(text) && writeWords.test(text) ? 'denied' : undefined
    if (kind === undefined || text.length > longestLine) continue
    for (const printed of namedFiles(text)) {
      if (readOnly.test(printed)) continue
      const path = isAbsolute(printed) ? printed : resolve(cwd, printed)
      found.push({ printed, path: canonical(path), kind })
    }
  }
  return found
}

const longestLine = 4_000
/** Only a wall says so, or a disk that is read-only for everybody. */
const readOnly = /read-only file system|\bEROFS\b/i
/** Said for many reasons: it counts only of a write, to a file that is guarded. */
const denied = /permission denied|operation not permitted|is a directory|resource busy|\bE(ACCES|PERM|BUSY|ISDIR)\b/i
const writeWords =
  /\b(cannot|can't|could not|couldn't|unable to|failed to) (append|change|copy|create|lock|make|mkdir|modify|move|open|overwrite|remove|rename|rmdir|set|touch|truncate|unlink|write)|\b(mkdir|unlink|rename|rmdir|symlink|copyfile|chmod|utime|open) '|^\S*\b(ba|da|z|k)?sh: /i

/** Words in quotes, else the part before the reason: `bash: line 1: out/y: Read-only file system`. */
function namedFiles(text: string): string[] {
  const quoted = [...text.matchAll(/'([^']+)'|‘([^’]+)’|"([^"]+)"|`([^`']+)'/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? match[4] ?? '',
  )
  if (quoted.length > 0) return quoted
  const parts = text.split(/:\s+/)
  const at = parts.findIndex((part) => readOnly.test(part) || denied.test(part))
  const before = at > 0 ? (parts[at - 1] ?? '').trim() : ''
  // Of a sentence its last word: `could not lock config file .git/config`.
  const word = before.includes('/') && /^[./~]/.test(before) ? before : before.split(/\s+/).at(-1)
  return word === undefined || word === '' || /^\d+$/.test(word) ? [] : [word]
}

/** Through every link, as far as the path exists. */
function canonical(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(canonical(parent), basename(path))
  }
}
