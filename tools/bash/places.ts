/** Where the words of commands lead on this disk: through links, patterns, variables, and into folders as a whole. */
import { homedir } from 'node:os'
import { posix } from 'node:path'
import { createDisk, longestPath, mostLooks } from './disk.ts'
import { guardedNameLike, mayBeGuarded } from './guarded-names.ts'
import { listed, reachesTrees, type TreeTarget, treeTargets } from './tree-targets.ts'
import {
  assignedValues,
  fitsShape,
  type Known,
  literalOf,
  merged,
  type Piece,
  segments,
  wordShapes,
} from './word-shape.ts'
import type { ShellWord } from './words.ts'

export type Lead = { word: string; path: string }

/** `lost`: words whose place cannot be told, so that no rule may cover the command. */
export type Led = { leads: Lead[]; lost: string[] }

/** The words of one command; `targets` of its redirections; `fed`: another program adds words to it. */
export type Worded = { words: readonly ShellWord[]; targets: readonly ShellWord[]; fed: boolean }

export interface Places {
  /** Leaves out what leads exactly where it says; a `cd` changes where the words of later commands may lead. */
  led(command: Worded): Led
}

/**
 * Everything about one line; looks are remembered for its analysis. Only looks at names (lstat, readlink), and into a folder
 * where a pattern stands. `cwd` is canonical.
 */
export function createPlaces(line: string, cwd: string): Places {
  const disk = createDisk(cwd)
  const bases = [cwd]
  let known: Known | undefined
  let mentions: string[] | undefined
  /** Guarded paths that a search of the line would come upon and hand to others. */
  const feeds: string[] = []
  // Either makes `*` stand for hidden names too.
  const dotglob = /dotglob|GLOBIGNORE/.test(line)

  const absolute = (text: string, base: string) => (text.startsWith('/') ? text : `${base}/${text}`)
  const plainPath = (text: string) => posix.resolve(cwd, text)
  const shapesOf = (source: string) => {
    known ??= { values: assignedValues(line), cwd, home: homedir() }
    return wordShapes(source, known).map(merged)
  }

  function led({ words, targets, fed }: Worded): Led {
    const found = new Map<string, Lead>()
    const lost = new Set<string>()
    const own = ownFolders(words)
    const here = [...bases, ...own.flatMap((folder) => bases.flatMap((base) => realOrNone(folder, base)))]
    const add = (word: string, path: string) => {
      if (found.size < mostLeads) found.set(`${word}\0${path}`, { word, path })
    }
    const look = (word: string, text: string, always: boolean) => {
      // No program can open a name that is longer.
      if (text.length > longestPath) return
      for (const base of here) {
        if (text.startsWith('/') && base !== cwd) continue
        const path = absolute(text, base)
        const real = disk.real(path)
        // It leads where it says: what most words do.
        if (real === path && base === cwd && !always) continue
        if (real === null) lost.add(`where ${word} leads cannot be told`)
        else if (always || real !== posix.resolve(base, text) || (base !== cwd && mayBeGuarded(real))) {
          if (always || real !== plainPath(text)) add(word, real)
        }
      }
    }

    for (const [at, word] of words.entries()) {
      if (at === 0) continue
      if (word.known) for (const text of namesIn(word.value)) look(word.value, text, false)
      else lookForUnknown(word.text, false, look, here)
    }
    for (const target of targets) {
      if (!target.known) lookForUnknown(target.text, false, look, here)
      // Without the word among a program's own, its plain spelling would be seen by nobody.
      else if (!isDevice(target.value)) look(target.value, target.value, true)
    }
    if (fed) for (const path of [...mentioned(), ...feeds]) look('what it is fed', path, true)
    feed(words, here)
    for (const target of treeTargets(writtenWords(words))) lookInto(target, here, add)
    const program = words[0]?.value
    if (program === 'cd' || program === 'pushd') enter(words)
    if (disk.looks() > mostLooks) lost.add('it names too many things to look all of them up')
    return { leads: [...found.values()], lost: [...lost] }
  }

  /** The words of a command that may be about trees; of every other the program alone. */
  function writtenWords(words: readonly ShellWord[]): (string | null)[] {
    const written: (string | null)[] = []
    for (const word of words) {
      if (written.length > 0 && !reachesTrees(written)) break
      if (word.known) written.push(word.value)
      else written.push(...writtenOut(word))
    }
    return written
  }

  /** What a tree command is given: a variable, `~` or pattern that can be told counts as what it stands for. */
  function writtenOut(word: ShellWord): (string | null)[] {
    const texts = shapesOf(word.text).flatMap((shape): (string | null)[] => {
      const text = literalOf(shape)
      if (text !== null || shape.some((piece) => piece.type === 'any')) return [text]
      return disk.matches(segments(shape), cwd, dotglob)
    })
    return texts.slice(0, 64)
  }

  function feed(words: readonly ShellWord[], here: readonly string[]): void {
    if (words[0]?.known !== true) return
    const folders = listed(words.map((word) => (word.known ? word.value : '')))
    // What a search of names leaves out is not handed on.
    if (folders.length === 0 || /\bgrep\s+-[a-zA-Z]*v[a-zA-Z]*\s+\S*\.git/.test(line)) return
    for (const target of folders) {
      lookInto(target, here, (_word, path) => {
        if (feeds.length < 16 && !feeds.includes(path)) feeds.push(path)
      })
    }
  }

  function realOrNone(text: string, base: string): string[] {
    const real = disk.real(absolute(text, base))
    return real === null ? [] : [real]
  }

  function enter(words: readonly ShellWord[]): void {
    for (const word of words.slice(1)) {
      const texts = word.known ? [word.value] : shapesOf(word.text).flatMap((shape) => literalOf(shape) ?? [])
      for (const text of texts) {
        if (text === '' || text.startsWith('-')) continue
        for (const base of [...bases]) {
          for (const real of realOrNone(text, base)) {
            if (bases.length < mostBases && !bases.includes(real)) bases.push(real)
          }
        }
      }
    }
  }

  /** Words of the line that may name what is guarded, patterns among them resolved. */
  function mentioned(): string[] {
    mentions ??= [...new Set(mentionsIn(line))]
      .flatMap((word) => shapesOf(word))
      .flatMap((shape) => {
        const text = literalOf(shape)
        if (text !== null) {
          if (mayBeGuarded(text)) return [text]
          const real = text.length > longestPath ? null : disk.real(absolute(text, cwd))
          return real !== null && real !== plainPath(text) && mayBeGuarded(real) ? [text] : []
        }
        return shape.some((piece) => piece.type === 'any') ? [] : (guardedBy(shape) ?? [])
      })
      .slice(0, 8)
    return mentions
  }

  type Look = (word: string, text: string, always: boolean) => void

  function lookForUnknown(source: string, nested: boolean, look: Look, here: readonly string[]): void {
    for (const shape of shapesOf(source)) {
      const text = literalOf(shape)
      if (text !== null) {
        for (const name of namesIn(text))
          if (mayBeGuarded(name)) look(source, name, true)
          else look(source, name, false)
        if (/^\/|^\.\.?\/|\/\.\./.test(text)) look(source, text, true)
        continue
      }
      const any = shape.some((piece) => piece.type === 'any')
      const guarded = guardedBy(shape)
      if (guarded !== null) look(source, guarded, true)
      const head = headFolder(shape)
      if (head !== '' && (head.startsWith('/') || mayBeGuarded(head))) look(source, head, true)
      if (any) for (const path of [...mentioned(), ...feeds]) look(source, path, true)
      else if (!nested)
        for (const base of here)
          for (const match of disk.matches(segments(shape), base, dotglob)) look(source, match, mayBeGuarded(match))
      const behind = shape.findIndex((piece) => piece.type === 'text' && /[=]/.test(piece.text))
      if (!nested && behind >= 0) lookForUnknown(sourceBehind(source), true, look, here)
    }
  }

  /** A folder that is written, emptied or handed over as a whole: what is guarded in it goes with it. */
  function lookInto(target: TreeTarget, here: readonly string[], add: (word: string, path: string) => void): void {
    for (const base of here) {
      if (target.path.startsWith('/') && base !== cwd) continue
      const start = /^~(?:\/|$)/.test(target.path) ? homedir() + target.path.slice(1) : target.path
      let into = disk.real(absolute(start, base))
      if (into === null) continue
      if (target.below !== undefined && disk.isFolder(into)) into = disk.real(`${into}/${target.below}`)
      if (into === null) continue
      if (target.below !== undefined && into !== plainPath(posix.join(start, target.below))) add(target.word, into)
      if (target.whole) {
        if (into === '/') add(target.word, '/etc')
        const inside =
          disk.guardedIn(into, target.names) ?? (isAbove(into, cwd) ? disk.guardedIn(cwd, target.names) : null)
        if (inside !== null) add(target.word, inside)
      }
      if (target.from !== undefined) {
        const from = disk.real(absolute(target.from, base))
        const brought = from === null ? null : disk.guardedIn(from)
        if (brought !== null) add(target.word, `${into === '/' ? '' : into}/${posix.basename(brought)}`)
      }
    }
  }

  return { led }
}

const mostLeads = 64
const mostBases = 6

function isAbove(folder: string, path: string): boolean {
  return folder === '/' || path === folder || path.startsWith(`${folder}/`)
}

function isDevice(path: string): boolean {
  return /^\/dev\/(?:null|std(?:in|out|err)|tty|fd\/\d+)$/.test(path) || /^\d*-?$/.test(path)
}

/** The parts of a word that a program may take for a name. */
function namesIn(word: string): string[] {
  // A name and nothing else, or a long option without a value: nearly all words.
  if (/^[A-Za-z_][\w./-]*$/.test(word)) return [word]
  if (/^--[\w-]*$/.test(word)) return []
  if (word === '' || isDevice(word) || /^[a-z][a-z0-9+.-]*:\/\//i.test(word)) {
    const file = /^file:\/\/[^/]*(\/[\s\S]*)/i.exec(word)?.[1]
    return file === undefined ? [] : [file]
  }
  const names = new Set<string>()
  if (!word.startsWith('-')) names.add(word)
  if (word.startsWith('@')) names.add(word.slice(1))
  for (const part of word.split(/[=:,]/).slice(0, 8)) if (part !== word) names.add(part)
  const value = word.indexOf('=')
  if (value > 0) names.add(word.slice(value + 1))
  if (/^-[A-Za-z]./.test(word)) for (let at = 2; at < Math.min(word.length, 10); at++) names.add(word.slice(at))
  return [...names].filter((name) => name !== '' && !isDevice(name) && !/\n/.test(name))
}

/** Folders that a program goes to before it opens its other words: `-C DIR`, `--directory=DIR`. */
function ownFolders(words: readonly ShellWord[]): string[] {
  return words.flatMap(({ value }, at) => {
    if (!value.startsWith('-')) return []
    const glued = /^(?:-C|--(?:directory|chdir|cwd|prefix)=)([\s\S]+)$/.exec(value)?.[1]
    if (glued !== undefined) return [glued]
    const next = words[at + 1]
    return at > 0 && /^(?:-C|--directory|--chdir|--cwd|--prefix)$/.test(value) && next?.known ? [next.value] : []
  })
}

/** Fragments of the line that could be names; what a search is told to leave out is no mention. */
function mentionsIn(line: string): string[] {
  const said = line
    .replace(/(?:-not|\\?!)\s+-i?(?:path|name|wholename)\s+\S+/g, ' ')
    .replace(/-i?(?:path|name|wholename)\s+\S+(?:\s+-o\s+-i?(?:path|name)\s+\S+)*\s+(?:\\\)\s+)?-prune/g, ' ')
    .replace(/--exclude(?:-dir|-from)?[= ]\S+/g, ' ')
    .replace(/\bgrep\s+(?:-[a-zA-Z]{1,9}\s+){0,4}-[a-zA-Z]{0,9}v[a-zA-Z]{0,9}\s+(?:-[a-zA-Z]{1,9}\s+){0,4}\S+/g, ' ')
    .replace(/(?:-g|--glob)[= ]?['"]?!\S+/g, ' ')
  const found = said
    .replace(/['"\\]/g, '')
    .split(/[\s;&|()<>=:,`]+/)
    .filter((word) => word !== '')
  // Git prints the path of its own folder.
  return /--(?:git-dir|git-path|git-common-dir|absolute-git-dir)\b/.test(said) ? [...found, '.git'] : found
}

/** The folder that is spelled out in front of the first unknown part. */
function headFolder(shape: readonly Piece[]): string {
  const [first] = shape
  if (first?.type !== 'text') return ''
  const slash = first.text.lastIndexOf('/')
  return slash < 0 ? '' : first.text.slice(0, slash) || '/'
}

/** A guarded place that the shape could be or go through, as a path; null when its literal parts do not suffice for one. */
function guardedBy(shape: readonly Piece[]): string | null {
  const path: string[] = []
  for (const segment of segments(shape)) {
    const text = literalOf(segment)
    if (text !== null) {
      path.push(text)
      if (mayBeGuarded(text)) return path.join('/')
      continue
    }
    const head = segment[0]?.type === 'text' ? segment[0].text : ''
    const name = guardedNameLike((name) => fitsShape(name, segment), head)
    if (name !== undefined) return [...path, name].join('/')
    path.push('x')
  }
  return null
}

function sourceBehind(source: string): string {
  return source.slice(source.indexOf('=') + 1)
}
