/** `sessions delete`, `gc` and `repair`: what changes stored sessions says first what it does, and asks where that matters. */
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { sanitizeForTerminal } from '@sluice/permissions-ui'
import {
  collectGarbage,
  defaultTrashDays,
  folderBytes,
  type Goodbyes,
  repairSession,
} from '../compose/session-index.ts'
import { lockSession } from '../compose/stored.ts'
import { unreadableText } from '../compose/stored-ids.ts'
import { loadConfig } from '../config.ts'
import { findPaths } from '../paths.ts'
import { openOutput } from './output.ts'
import type { SessionsAction, SessionsWords } from './sessions-args.ts'
import { eachMeant, findSession, shown } from './sessions-find.ts'
import { withIndex } from './sessions-list.ts'
import { many, recordsText, sizeText } from './sessions-words.ts'
import { asSystemProblem } from './system-problem.ts'
import { UsageError } from './usage-error.ts'

export function changeSessions(action: SessionsAction, words: SessionsWords): Promise<void> {
  if (action === 'gc') return collect(words)
  if (action === 'repair') return repair(words)
  return remove(words)
}

async function remove({ rest, yes, json }: SessionsWords): Promise<void> {
  const { sessionsDir } = findPaths()
  await withIndex(async (index) => {
    const ids = index.list().map(({ id }) => id)
    const isId = (word: string) => word.length > 1 && ids.some((id) => id.startsWith(word))
    const sessions = eachMeant(rest, isId, (words) => findSession(index, words))
    const live = sessions.find((session) => session.live)
    if (live) throw new UsageError(`A process works on ${live.id}.`, 'End it there first.')
    const listed = sessions.map(({ id, title }) => ({ id, title, bytes: folderBytes(join(sessionsDir, id)) }))
    const question = listed.map(({ id, title, bytes }) => `  ${id}  ${shown(title)}  ${sizeText(bytes)}`).join('\n')
    if (!yes && !(await agreed(`Into the trash:\n${question}`))) return
    const deleted: typeof listed = []
    let problem: unknown
    for (const one of listed) {
      try {
        index.remove(one.id)
        deleted.push(one)
      } catch (error) {
        problem = asSystemProblem(error, `${one.id} could not be moved to the trash`)
        break
      }
    }
    // What was done is told, whatever became of the rest.
    if (json) await write(`${JSON.stringify({ deleted })}\n`)
    else if (deleted.length > 0) await write(`${deleted.map(({ id }) => inTrash(id)).join('\n')}\n`)
    if (problem !== undefined) throw problem
  })
}

function inTrash(id: string): string {
  return `${id} is in the trash; sluice sessions restore ${id} brings it back.`
}

async function collect({ dryRun, yes, json }: SessionsWords): Promise<void> {
  const paths = findPaths()
  const { config } = await loadConfig(paths.configFile)
  await withIndex(async (index) => {
    const look = (only: boolean) => collectGarbage(paths, index, config, only, Date.now())
    const planned = look(true)
    const unreadable = index.unreadable()
    if (unreadable.length > 0)
      process.stderr.write(`sluice: ${clean(unreadableText(unreadable))} What cannot be read stays.\n`)
    const nothing = planned.retired.length + planned.emptied.length === 0
    const trashDays = config.sessions?.trashDays ?? defaultTrashDays
    if (!json && (dryRun || !yes)) await write(`${planText(planned, trashDays)}\n`)
    if (nothing || dryRun) {
      if (json) await write(`${JSON.stringify(document(planned, dryRun))}\n`)
      return
    }
    if (!yes && !(await agreed('Go on?'))) return
    const done = look(false)
    for (const problem of done.problems) process.stderr.write(`sluice: ${clean(problem)}\n`)
    if (done.problems.length > 0) process.exitCode = 1
    await write(json ? `${JSON.stringify(document(done, false))}\n` : `${doneText(done)}\n`)
  })
}

function document({ retired, emptied, problems }: Goodbyes, dryRun: boolean) {
  return {
    dryRun,
    retired: retired.map(({ session, why }) => ({ id: session.id, title: session.title, why, bytes: session.bytes })),
    emptied: emptied.map(({ id, since, bytes }) => ({ id, deletedAt: new Date(since).toISOString(), bytes })),
    freedBytes: sum(emptied),
    problems,
  }
}

const reasons = { empty: 'nothing was said in it', age: 'older than maxAgeDays', size: 'over maxTotalMb' }

function planText({ retired, emptied }: Goodbyes, trashDays: number): string {
  if (retired.length + emptied.length === 0) return 'Nothing has to go.'
  const rows = retired.map(
    ({ session: { id, title, bytes }, why }) => `  ${id}  ${shown(title)}  ${sizeText(bytes)}  ${reasons[why]}`,
  )
  const gone = emptied.map(({ id, bytes }) => `  ${id}  ${sizeText(bytes)}`)
  return [
    ...(rows.length > 0 ? ['Into the trash:', ...rows] : []),
    ...(gone.length > 0 ? [`Deleted for good, in the trash for more than ${trashDays} days:`, ...gone] : []),
  ].join('\n')
}

function doneText({ retired, emptied }: Goodbyes): string {
  const moved = sum(retired.map(({ session }) => session))
  return [
    ...(retired.length > 0 ? [`${many(retired.length)} moved to the trash (${sizeText(moved)}).`] : []),
    ...(emptied.length > 0 ? [`${many(emptied.length)} deleted for good; ${sizeText(sum(emptied))} are free.`] : []),
  ].join('\n')
}

async function repair({ rest, json }: SessionsWords): Promise<void> {
  const paths = findPaths()
  await withIndex(async (index) => {
    const { id } = findSession(index, rest.join(' '))
    const lock = lockSession(id, paths)
    try {
      const repaired = repairSession(paths, id)
      await index.refresh()
      if (json) return write(`${JSON.stringify({ id, ...repaired })}\n`)
      await write(repairedText(id, repaired))
    } finally {
      lock?.release()
    }
  })
}

function repairedText(id: string, { kept, moved, movedBytes, damagedFile, damagedSettings }: RepairedSession): string {
  const records = recordsText(kept)
  const settings =
    damagedSettings === null
      ? ''
      : `What you set on it (title, pin, tags) cannot be read: meta.json moved to ${clean(damagedSettings)}.\n`
  if (moved === 0)
    return settings === ''
      ? `${id} is whole: ${records}, nothing to repair.\n`
      : `${id}: ${records}, all whole. ${settings}`
  const lines = moved === 1 ? '1 damaged line' : `${moved} damaged lines`
  const whole = `${records} ${kept === 1 ? 'is' : 'are'} whole`
  return `${id}: ${whole}; ${lines} (${sizeText(movedBytes)}) moved to ${clean(damagedFile ?? '')}.\n${settings}`
}

type RepairedSession = ReturnType<typeof repairSession>

/** Without a terminal nobody can say yes. */
async function agreed(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw new UsageError('This needs a yes.', 'Add --yes to do it without being asked.')
  const asking = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return /^y(es)?$/i.test((await asking.question(`${question}\n[y/N] `)).trim())
  } finally {
    asking.close()
  }
}

function sum(items: readonly { bytes: number }[]): number {
  return items.reduce((all, { bytes }) => all + bytes, 0)
}

function clean(text: string): string {
  return sanitizeForTerminal(text.replace(/\s+/g, ' '), 'visible')
}

function write(text: string): Promise<void> {
  return openOutput(() => {}).write(text)
}
