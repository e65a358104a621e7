/** `sessions list`, `search` and `show`: stored sessions as aligned text or as JSON. */
import type { SessionSummary } from '@sluice/engine/ports'
import { sanitizeForTerminal } from '@sluice/permissions-ui'
import { canBeSearched, openSessionIndex, type StoredSessions } from '../compose/session-index.ts'
import { unreadableText } from '../compose/stored-ids.ts'
import { localTime } from '../local-time.ts'
import { findPaths } from '../paths.ts'
import { type StateWords, stateWords } from '../session/state-words.ts'
import { findFormerWorkspace } from '../workspace.ts'
import { type Cell, columns, outputLooks, painted } from './columns.ts'
import { openOutput } from './output.ts'
import type { SessionsWords } from './sessions-args.ts'
import { findSession, shown } from './sessions-find.ts'
import { are, recordsText } from './sessions-words.ts'
import { UsageError } from './usage-error.ts'

/** The row that programs may rely on; a time that no record tells is null. */
export function listedRow(session: SessionSummary) {
  const { id, title, cwd, startedAt, updatedAt, turns, stopReason, costUsd, additions, deletions, live } = session
  const { pendingApprovals } = session
  const figures = { turns, stopReason, costUsd, additions, deletions, live, pendingApprovals }
  return { id, title, cwd, ...timesOf({ startedAt, updatedAt }), ...figures }
}

function timesOf({ startedAt, updatedAt }: Pick<SessionSummary, 'startedAt' | 'updatedAt'>) {
  return { startedAt: startedAt || null, updatedAt: updatedAt || null }
}

export async function listSessions({ all, cwd, limit, json }: SessionsWords): Promise<void> {
  const { home } = findPaths()
  await withIndex(async (index) => {
    const folder = all ? undefined : folderMeant(cwd ?? process.cwd(), index)
    const filter = folder === undefined ? {} : { cwd: folder }
    const sessions = index.list({ ...filter, limit })
    noteUnreadable(index)
    if (json) return write(`${JSON.stringify(sessions.map(listedRow))}\n`)
    const where = folder === undefined ? 'in any folder' : `in ${tilde(folder, home)}`
    const total = index.count(filter)
    const elsewhere = folder === undefined ? 0 : index.count() - total
    if (sessions.length === 0) {
      if (index.unreadable().some(({ id }) => id === '')) return
      const more = elsewhere === 0 ? '' : ` There ${are(elsewhere)} in other folders (--all).`
      process.stderr.write(`There are no sessions ${clean(where)}.${more}\n`)
      return
    }
    const lines = columns(
      sessions.map((session) =>
        rowCells(session, folder === undefined ? home : null, index.settingsDamaged(session.id)),
      ),
      { wide: [2, 6], ...outputLooks() },
    )
    if (sessions.length < total) lines.push(dimmed(`… ${total - sessions.length} more`))
    else if (elsewhere > 0 && process.stdout.isTTY) lines.push(dimmed(`${elsewhere} more in other folders: --all`))
    await write(`${lines.join('\n')}\n`)
  })
}

/** Also one that is gone, where sessions worked in it. */
function folderMeant(folder: string, index: StoredSessions): string {
  return findFormerWorkspace(folder, (cwd) => index.count({ cwd }) > 0)
}

export async function searchSessions({ rest, cwd, limit, json }: SessionsWords): Promise<void> {
  const words = rest.join(' ')
  if (!canBeSearched(words)) {
    throw new UsageError(
      `There is nothing in "${shown(words)}" that can be searched for.`,
      'Give words, numbers or emoji; other signs are not kept in the index.',
    )
  }
  await withIndex(async (index) => {
    const filter = cwd === undefined ? { limit } : { cwd: folderMeant(cwd, index), limit }
    const { hits, more } = index.find(words, filter)
    noteUnreadable(index)
    if (json) {
      if (more > 0 && limit === undefined) process.stderr.write(`sluice: ${moreText(hits.length, more)}\n`)
      const documents = hits.map(({ session, snippet }) => ({ ...listedRow(session), snippet }))
      return write(`${JSON.stringify(documents)}\n`)
    }
    if (hits.length === 0) {
      process.stderr.write(`Nothing was found for ${shown(words)}.\n`)
      return
    }
    const { colors, width } = outputLooks()
    const { home } = findPaths()
    const titles = columns(
      hits.map(({ session }) => rowCells(session, home)),
      { wide: [2, 6], width, colors },
    )
    const lines = hits.flatMap(({ snippet }, n) => {
      let text = ''
      let from = 0
      for (const [start, end] of snippet.marks) {
        const mark = clean(snippet.text.slice(start, end))
        text += clean(snippet.text.slice(from, start)) + (colors ? painted(mark, 'wants') : mark)
        from = end
      }
      return [titles[n] ?? '', `    ${text}${clean(snippet.text.slice(from))}`]
    })
    if (more > 0) lines.push(dimmed(moreText(hits.length, more)))
    await write(`${lines.join('\n')}\n`)
  })
}

export async function showSession({ rest, json }: SessionsWords): Promise<void> {
  await withIndex(async (index) => {
    const session = findSession(index, rest.join(' '))
    const preview = index.preview(session.id)
    const damagedSettings = index.settingsDamaged(session.id)
    if (json) return write(`${JSON.stringify({ ...session, ...timesOf(session), damagedSettings, preview })}\n`)
    const { home, sessionsDir } = findPaths()
    const facts: [string, string][] = [
      ['id', session.id],
      ['folder', tilde(session.cwd, home)],
      ['model', session.model],
      ['started', localTime(session.startedAt)],
      ['last used', localTime(session.updatedAt)],
      ['turns', `${session.turns}${preview.stopReason === null ? '' : `, the last ended with ${preview.stopReason}`}`],
      ['changes', `+${session.additions} −${session.deletions}${checkWords[session.checks]}`],
      ['cost', session.costUsd > 0 ? `$${session.costUsd.toFixed(2)}` : ''],
      ['state', session.live || session.pendingApprovals > 0 ? stateCell(session).text : ''],
      ['next', session.next],
      ['tags', session.tags.join(', ')],
      ['forked from', session.forkedFrom ?? ''],
      [
        'damage',
        session.lostRecords === 0
          ? ''
          : `${recordsText(session.lostRecords)} could not be read; ${session.lostRecords === 1 ? 'its' : 'their'} bytes are still there`,
      ],
      ['settings', damagedSettings ? 'meta.json cannot be read: title, pin and tags that you gave are lost' : ''],
      ['files', preview.files.join(' · ')],
      ['stored in', `${tilde(sessionsDir, home)}/${session.id}`],
    ]
    const steps = preview.todo.map(({ text, status }) => `  ${stepMarks[status] ?? '·'} ${clean(text)}`)
    const parts = [
      clean(named(session)),
      facts
        .filter(([, value]) => value !== '')
        .map(([name, value]) => `  ${dimmed(name.padEnd(12))} ${clean(value)}`)
        .join('\n'),
      ...(steps.length > 0 ? [`Plan\n${steps.join('\n')}`] : []),
      ...(preview.lastInput === '' ? [] : [`Last asked\n${indented(preview.lastInput)}`]),
      ...(preview.lastAnswer === '' ? [] : [`Last answer\n${indented(preview.lastAnswer)}`]),
    ]
    await write(`${parts.join('\n\n')}\n`)
  })
}

function moreText(shownCount: number, more: number): string {
  return `… ${more} more; --limit ${shownCount + more} shows them`
}

/** What is not in a list although it is stored. */
function noteUnreadable(index: StoredSessions): void {
  const all = index.unreadable()
  const folder = all.find(({ id }) => id === '')
  if (folder !== undefined) {
    process.stderr.write(`sluice: The stored sessions cannot be read: ${folder.why}, at ${findPaths().sessionsDir}.\n`)
    process.exitCode = 1
  } else if (all.length > 0) process.stderr.write(`sluice: ${clean(unreadableText(all))}\n`)
}

/** Up to date, and closed again. */
export async function withIndex(work: (index: StoredSessions) => Promise<void> | void): Promise<void> {
  const index = openSessionIndex(findPaths())
  // Only the first time is long, when there is no index yet.
  const patience = setTimeout(() => {
    if (process.stderr.isTTY) process.stderr.write('sluice: reading stored sessions …\n')
  }, 1000)
  try {
    await index.refresh()
    clearTimeout(patience)
    await work(index)
  } finally {
    clearTimeout(patience)
    index.close()
  }
}

const checkWords = { verified: ', verified', failing: ', checks fail', unverified: ', not verified', none: '' }
const stepMarks: Record<string, string> = { done: '✓', in_progress: '▸', pending: '·', dropped: '−' }

/** Home given: with the folder. */
function rowCells(session: SessionSummary, home: string | null, damaged = false): Cell[] {
  const { id, updatedAt, additions, deletions, costUsd, cwd } = session
  return [
    { text: id, tone: 'dim' },
    { text: localTime(updatedAt) },
    { text: `${session.pinned ? '★ ' : ''}${shown(named(session))}` },
    { text: additions + deletions === 0 ? '' : `+${additions} −${deletions}`, right: true },
    { text: costUsd > 0 ? `$${costUsd.toFixed(2)}` : '', right: true },
    stateCell(session, damaged),
    ...(home === null ? [] : [{ text: tilde(cwd, home), tone: 'dim' as const }]),
  ]
}

/** `damaged`: what was set on it cannot be read. */
function stateCell(session: SessionSummary, damaged = false): Cell {
  const state = stateWords(damaged ? { ...session, lostRecords: session.lostRecords + 1 } : session)
  if (state === null) return { text: '' }
  const { mark, tone } = stateLooks[state.sign]
  return { text: `${mark} ${state.words}`, tone }
}

const stateLooks: Record<StateWords['sign'], { mark: string; tone: NonNullable<Cell['tone']> }> = {
  asks: { mark: '!', tone: 'wants' },
  live: { mark: '●', tone: 'good' },
  good: { mark: '✓', tone: 'good' },
  bad: { mark: '✗', tone: 'bad' },
  open: { mark: '·', tone: 'plain' },
}

function named({ title, turns }: SessionSummary): string {
  if (title !== '') return title
  return turns > 0 ? '(no title)' : '(nothing said yet)'
}

export function tilde(path: string, home: string): string {
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path
}

function indented(text: string): string {
  return clean(text.trim())
    .split('\n')
    .map((line) => `  ${line}`.trimEnd())
    .join('\n')
}

function clean(text: string): string {
  return sanitizeForTerminal(text, 'visible')
}

function dimmed(text: string): string {
  return outputLooks().colors ? painted(text, 'dim') : text
}

function write(text: string): Promise<void> {
  return openOutput(() => {}).write(text)
}
