/** Folders that a command would write, empty, change or move as a whole, and where copies of its words land. */
import { operandsOf } from './option-scan.ts'
import { programName } from './wrapped.ts'

/**
 * `path` as written; `below`: a name in it, where it is a folder. `whole`: everything in it is reached. `from`: a folder whose
 * content lands there. `names`: patterns, one of which what is reached in it must fit.
 */
export type TreeTarget = { word: string; path: string; below?: string; whole: boolean; from?: string; names?: string[] }

/** Whether `treeTargets` may have something to say about a command with these words. */
export function reachesTrees(words: readonly (string | null)[]): boolean {
  return treePrograms.has(programName([{ value: words[0] ?? '' }]))
}

const treePrograms = new Set('rimraf trash del-cli rm chmod chown chgrp mv cp install ln rsync find'.split(' '))

/** `words` are quote-removed, null where unknown. */
export function treeTargets(words: readonly (string | null)[]): TreeTarget[] {
  if (!reachesTrees(words)) return []
  const program = programName([{ value: words[0] ?? '' }])
  const args = words.slice(1).map((word) => word ?? '')
  const operands = (valued = '', long: string[] = []) => operandsOf(args, valued, long).filter((word) => word !== '')
  const recursive = (letters: RegExp) =>
    args.some((arg) => (arg.startsWith('--') ? /^--(?:recursive|archive)$/.test(arg) : letters.test(arg)))
  const whole = (path: string): TreeTarget => ({ word: path, path, whole: true })
  switch (program) {
    case 'rimraf':
    case 'trash':
    case 'del-cli':
      return operands().map(whole)
    case 'rm':
      return recursive(/^-[A-Za-z]*[rR]/) ? operands().map(whole) : []
    case 'chmod':
    case 'chown':
    case 'chgrp':
      return recursive(/^-[A-Za-z]*R/) ? operands().map(whole) : []
    case 'mv':
      return [
        ...copies(args, operands('tSZ', ['target-directory', 'suffix']), false),
        ...operands('tSZ').slice(0, -1).map(whole),
      ]
    case 'cp':
      return copies(args, operands('tSZ', ['target-directory', 'suffix']), recursive(/^-[A-Za-z]*[rRa]/))
    case 'install':
    case 'ln':
      return copies(args, operands('gmotSZ', ['target-directory', 'suffix', 'mode', 'owner', 'group']), false)
    case 'rsync':
      return copies(args, operands('efTBM'), true, true)
    case 'find':
      return args.includes('-delete') ? searched(args) : []
    default:
      return []
  }
}

function copies(args: readonly string[], operands: readonly string[], tree: boolean, slash = false): TreeTarget[] {
  const given = args.flatMap((arg, at) => {
    const glued = /^(?:-[A-Za-su-z]*t|--target-directory=)(.+)$/.exec(arg)?.[1]
    if (glued !== undefined && !arg.startsWith('--t=')) return [glued]
    return /^(?:-[A-Za-su-z]*t|--target-directory)$/.test(arg) ? [args[at + 1] ?? ''] : []
  })
  const into = slash ? operands.at(-1) : (given[0] ?? operands.at(-1))
  const sources = slash || given.length === 0 ? operands.slice(0, -1) : operands
  if (into === undefined || into === '' || /^[^/]+:/.test(into)) return []
  const exactly = args.some((arg) => /^(?:-[A-Za-z]*T|--no-target-directory)$/.test(arg)) && !slash
  return sources.map((source): TreeTarget => {
    const name = source.replace(/\/+$/, '').replace(/^.*\//, '')
    const contents = exactly || /^\.{0,2}$/.test(name) || (slash && source.endsWith('/'))
    const place = { word: into, path: into, whole: tree && contents }
    if (contents) return tree ? { ...place, from: source } : place
    return { ...place, below: name, whole: tree, ...(tree ? { from: source } : {}) }
  })
}

/** Folders whose hidden names too a command prints, for others to be fed with. */
export function listed(words: readonly string[]): TreeTarget[] {
  const program = programName([{ value: words[0] ?? '' }])
  if (!listers.has(program)) return []
  const args = words.slice(1)
  const has = (option: RegExp) => args.some((arg) => option.test(arg))
  const folders = (paths: string[]) =>
    (paths.length === 0 ? ['.'] : paths).map((path) => ({ word: path, path, whole: true }))
  switch (program) {
    case 'find':
      return searched(args)
    case 'ls':
      return has(/^(?:-[A-Za-z]*[aAf]|--all|--almost-all)/) ? folders(operandsOf(args, 'ITw')) : []
    case 'fd':
    case 'fdfind':
      return has(/^(?:-[A-Za-z]*[Hu]|--hidden|--unrestricted)/) ? folders([]) : []
    default:
      return []
  }
}

const listers = new Set(['find', 'ls', 'fd', 'fdfind'])

/** What a `find` hands over or deletes: everything below its beginnings, as far as its names let it. */
function searched(args: readonly string[]): TreeTarget[] {
  const first = args.findIndex((arg) => /^[-(!]/.test(arg) && !/^-(?:H|L|P|O\d|D)$/.test(arg))
  const starts = args.slice(0, first < 0 ? undefined : first).filter((arg) => arg !== '' && !arg.startsWith('-'))
  const left = args.some(
    (arg, at) => arg === '-prune' || (/\.git\b/.test(arg) && /^(?:!|-not)$/.test(args[at - 2] ?? '')),
  )
  if (left) return []
  const names = args.flatMap((arg, at) =>
    /^-i?name$/.test(arg) && !/^(?:!|-not)$/.test(args[at - 1] ?? '') ? [args[at + 1] ?? ''] : [],
  )
  const narrowed = names.length === 0 ? {} : { names }
  return (starts.length === 0 ? ['.'] : starts).map((path) => ({ word: path, path, whole: true, ...narrowed }))
}
