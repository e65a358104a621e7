/** What a command did that is not kept, as sentences for a person. */
import type { DiskState } from '../disk-report.ts'
import type { LooseChange, LooseKind } from './loose.ts'

export const slow = 'looking at all files took too long, so that what this command changed is not kept'
export const diskGaps: Record<DiskState, string> = {
  full: 'the disk was full, so that what this command changed is not kept',
  'read-only': 'the disk was read-only, so that what this command changed is not kept',
}
export const notKept =
  'Some earlier contents are too many or too large to be kept, so that a rewind cannot bring them back.'
export const tooMany = 'what changed among ignored files: there are too many to compare'

const kinds: Record<LooseKind, [one: string, many: string]> = {
  ignored: ['ignored file', 'ignored files'],
  large: ['file over 5 MB or not readable', 'files over 5 MB or not readable'],
  nested: ['file in a repository of its own', 'files in repositories of their own'],
  'odd-name': ['file whose name is not UTF-8', 'files whose names are not UTF-8'],
}

/** One sentence for each kind of file that is in no snapshot. */
export function looseGaps(changes: readonly LooseChange[]): string[] {
  return (Object.keys(kinds) as LooseKind[]).flatMap((kind) => {
    const own = changes.filter((one) => one.kind === kind)
    if (own.length === 0) return []
    const hows = (['made', 'changed', 'deleted'] as const).filter((how) => own.some((one) => one.how === how))
    const verbs = hows.length < 2 ? hows.join('') : `${hows.slice(0, -1).join(', ')} or ${hows.at(-1)}`
    const [one, many] = kinds[kind]
    return [`${own.length} ${own.length === 1 ? `${one} was` : `${many} were`} ${verbs} (${namesOf(own)})`]
  })
}

/** What cannot be brought back comes first. */
function namesOf(changes: readonly LooseChange[]): string {
  const order = ['deleted', 'changed', 'made']
  const names = [...changes].sort((a, b) => order.indexOf(a.how) - order.indexOf(b.how)).map(({ path }) => path)
  return names.slice(0, 3).join(', ') + (names.length > 3 ? ', …' : '')
}
