/** `sessions list`, `search` and `show`: stored sessions as aligned text or as JSON. */
import type { SessionSummary } from '@sluice/engine/ports'
import { sanitizeForTerminal } from '@sluice/permissions-ui'
import { openSessionIndex, type StoredSessions } from '../compose/session-index.ts'
import { findPaths } from '../paths.ts'
import { type StateWords, stateWords } from '../session/state-words.ts'
import { findWorkspace } from '../workspace.ts'
import { type Cell, columns, outputLooks, painted } from './columns.ts'
import { openOutput } from './output.ts'
import type { SessionsWords } from './sessions-args.ts'
import { findSession } from './sessions-find.ts'

/** The row that programs may rely on. */
export function listedRow(session: SessionSummary) {
  const { id, title, cwd, startedAt, updatedAt, turns, stopReason, costUsd, additions, deletions, live } = session
  const { pendingApprovals } = session
  const figures = { turns, stopReason, costUsd, additions, deletions, live, pendingApprovals }
  return { id, title, cwd, startedAt, updatedAt, ...figures }
}

export async function listSessions({ all, cwd, limit, json }: SessionsWords): Promise<void> {
  const { home } = findPaths()
  const folder = all ? undefined : findWorkspace(cwd ?? process.cwd())
  const filter = folder === undefined ? {} : { cwd: folder }
  await withIndex(async (index) => {
    const sessions = index.list({ ...filter, limit })
    if (json) return write(`${JSON.stringify(sessions.map(listedRow))}\n`)
    const where = folder === undefined ? 'in any folder' : `in ${tilde(folder, home)}`
    const total = index.count(filter)
    const elsewhere = folder === undefined ? 0 : index.count() - total
    if (sessions.length === 0) {
      const more = elsewhere === 0 ? '' : ` There are ${elsewhere} in other folders (--all).`
      process.stderr.write(`There are no sessions ${clean(where)}.${more}\n`)
      return
    }
    const lines = columns(
      sessions.map((session) => rowCells(session, folder === undefined ? home : null)),
      { wide: [2, 6], ...outputLooks() },
    )
    if (sessions.length < total) lines.push(dimmed(`… ${total - sessions.length} more`))
    else if (elsewhere > 0 && process.stdout.isTTY) lines.push(dimmed(`${elsewhere} more in other folders: --all`))
    await write(`${lines.join('\n')}\n`)
  })
}

export async function searchSessions({ rest, cwd, limit, json }: SessionsWords): Promise<void> {
  // A blank at the end: the last word is whole.
  const words = `${rest.join(' ')} `
  const filter = cwd === undefined ? { limit } : { cwd: findWorkspace(cwd), limit }
  await withIndex(async (index) => {
    const hits = index.search(words, filter)
    if (json) {
      const documents = hits.map(({ session, snippet }) => ({ ...listedRow(session), snippet }))
      return write(`${JSON.stringify(documents)}\n`)
    }
    if (hits.length === 0) {
      process.stderr.write(`Nothing was found for ${clean(rest.join(' '))}.\n`)
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
    await write(`${lines.join('\n')}\n`)
  })
}

export async function showSession({ rest, json }: SessionsWords): Promise<void> {
  await withIndex(async (index) => {
    const session = findSession(index, rest.join(' '))
    const preview = index.preview(session.id)
    if (json) return write(`${JSON.stringify({ ...session, preview })}\n`)
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
          : `${session.lostRecords} records could not be read; their bytes are still there`,
      ],
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
function rowCells(session: SessionSummary, home: string | null): Cell[] {
  const { id, updatedAt, additions, deletions, costUsd, cwd } = session
  return [
    { text: id, tone: 'dim' },
    { text: localTime(updatedAt) },
    { text: `${session.pinned ? '★ ' : ''}${named(session)}` },
    { text: additions + deletions === 0 ? '' : `+${additions} −${deletions}`, right: true },
    { text: costUsd > 0 ? `$${costUsd.toFixed(2)}` : '', right: true },
    stateCell(session),
    ...(home === null ? [] : [{ text: tilde(cwd, home), tone: 'dim' as const }]),
  ]
}

function stateCell(session: SessionSummary): Cell {
  const state = stateWords(session)
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

function named({ title }: SessionSummary): string {
  return title === '' ? '(nothing said yet)' : title
}

/** `2026-11-30 12:01`, where the person is. */
function localTime(iso: string): string {
  const at = new Date(iso)
  if (Number.isNaN(at.getTime())) return ''
  const two = (n: number) => String(n).padStart(2, '0')
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-')
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`
}

function tilde(path: string, home: string): string {
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
