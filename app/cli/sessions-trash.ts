/** `sessions list --trash` and `restore`: what was deleted, and how it comes back. */
import { dirname, join } from 'node:path'
import { folderBytes, IdTaken, type StoredSessions, type TrashedSession } from '../compose/session-index.ts'
import { sessionsMeant } from '../compose/sessions-meant.ts'
import { localTime } from '../local-time.ts'
import { findPaths } from '../paths.ts'
import { findFormerWorkspace } from '../workspace.ts'
import { columns, outputLooks } from './columns.ts'
import { openOutput } from './output.ts'
import type { SessionsWords } from './sessions-args.ts'
import { eachMeant, shown, theOnly } from './sessions-find.ts'
import { listedRow, tilde, withIndex } from './sessions-list.ts'
import { are, many, sizeText } from './sessions-words.ts'
import { asSystemProblem } from './system-problem.ts'
import { UsageError } from './usage-error.ts'

export async function listTrash({ cwd, limit, json }: SessionsWords): Promise<void> {
  const { home } = findPaths()
  await withIndex(async (index) => {
    const all = index.trashed()
    const worked = (folder: string) => all.filter(({ session }) => session?.cwd === folder)
    const folder = cwd === undefined ? undefined : findFormerWorkspace(cwd, (path) => worked(path).length > 0)
    const trashed = folder === undefined ? all : worked(folder)
    const some = trashed.slice(0, limit).map((one) => ({ ...one, bytes: folderBytes(join(trashFolder(), one.name)) }))
    if (json) return write(`${JSON.stringify(some.map(trashedRow))}\n`)
    if (some.length === 0) {
      const where = folder === undefined ? '' : ` of ${shown(tilde(folder, home))}`
      const more = all.length === 0 ? '' : ` There ${are(all.length)} of other folders: --trash without --cwd.`
      process.stderr.write(`There is nothing${where} in the trash.${more}\n`)
      return
    }
    const rows = some.map(({ name, deletedAt, session, bytes }) => [
      { text: name, tone: 'dim' as const },
      { text: `deleted ${localTime(deletedAt)}` },
      { text: titleIn(session) },
      { text: sizeText(bytes), right: true },
      { text: session === null ? '' : tilde(session.cwd, home), tone: 'dim' as const },
    ])
    const lines = columns(rows, { wide: [2, 4], ...outputLooks() })
    if (some.length < trashed.length) lines.push(`… ${trashed.length - some.length} more`)
    await write(`${lines.join('\n')}\n`)
  })
}

/** The keys of a list, and when it was deleted. */
function trashedRow({ name, deletedAt, session, bytes }: TrashedSession & { bytes: number }) {
  const when = { deletedAt: new Date(deletedAt).toISOString(), bytes }
  if (session === null) return { id: name, title: null, ...when }
  return { ...listedRow({ ...session, live: false }), id: name, ...when }
}

function titleIn(session: TrashedSession['session']): string {
  if (session === null) return '(its records cannot be read)'
  return session.title === '' ? '(nothing said)' : shown(session.title)
}

export async function restoreSessions({ rest, json }: SessionsWords): Promise<void> {
  await withIndex(async (index) => {
    const all = index.trashed().map(({ name, session }) => ({ id: name, title: session?.title ?? '' }))
    const isId = (word: string) => word !== '' && all.some(({ id }) => id.startsWith(word))
    const found = eachMeant(rest, isId, (words) =>
      theOnly(sessionsMeant(all, words), words, () => trashFix(all.length), ' in the trash'),
    )
    for (const { id } of found) bringBack(index, id)
    const ids = found.map(({ id }) => id)
    await write(json ? `${JSON.stringify({ restored: ids })}\n` : `${ids.map((id) => `${id} is back.`).join('\n')}\n`)
  })
}

function trashFix(count: number): string {
  return count === 0
    ? 'There is nothing in the trash.'
    : `sluice sessions list --trash shows what is: ${many(count)} in ${trashFolder()}.`
}

function bringBack(index: StoredSessions, id: string): void {
  try {
    index.restore(id)
  } catch (error) {
    if (error instanceof IdTaken) throw new UsageError(error.message, 'Delete or move that one first.')
    throw asSystemProblem(error, `${id} could not be brought back`)
  }
}

function trashFolder(): string {
  return join(dirname(findPaths().sessionsDir), 'trash')
}

function write(text: string): Promise<void> {
  return openOutput(() => {}).write(text)
}
