/** `sluice audit`: what a session was allowed to do and did, and whether its records are whole and true. */
import { join } from 'node:path'
import { type LawReport, type RecordedSession, readSession, verifySession } from '../compose/audit.ts'
import { sessionNamed } from '../compose/session-named.ts'
import { idMeant } from '../compose/stored-ids.ts'
import { whyOf } from '../compose/system-error.ts'
import { findPaths, type Paths, sessionFiles } from '../paths.ts'
import type { Options } from './args.ts'
import { openOutput } from './output.ts'
import { UsageError } from './usage-error.ts'

/** ID is what `sluice sessions show` takes. */
const usage = 'Write: sluice audit verify ID [--json] · sluice audit show ID [--json]'

export async function runAudit(options: Options): Promise<void> {
  const [word, ...wanted] = options.rest
  if ((word !== 'verify' && word !== 'show') || wanted.length === 0) {
    throw new UsageError(
      word === undefined ? 'There is nothing to do.' : `"${options.rest.join(' ')}" is not understood.`,
      usage,
    )
  }
  const paths = findPaths()
  const { id, why } = idMeant(await sessionNamed(wanted.join(' '), paths), paths)
  if (why !== null) throw cannotRead(paths, id, why)
  const session = read(paths, id)
  if (word === 'show') return show(session, options.json)
  const report = verifySession(session)
  process.exitCode = report.breaks.length === 0 ? 0 : 1
  const output = openOutput(() => {})
  if (options.json) return output.write(`${JSON.stringify(asDocument(id, paths, report))}\n`)
  const { sanitizeForTerminal } = await import('@sluice/permissions-ui')
  await output.write(
    `${reportLines(id, paths, report)
      .map((line) => sanitizeForTerminal(line, 'visible'))
      .join('\n')}\n`,
  )
}

/** Throws UsageError when one of its files is there and cannot be read: then nothing is known of it. */
function read(paths: Paths, id: string): RecordedSession {
  try {
    return readSession(paths, id)
  } catch (error) {
    throw cannotRead(paths, id, whyOf(error))
  }
}

function cannotRead(paths: Paths, id: string, why: string): UsageError {
  return new UsageError(`The records of ${id} cannot be read: ${why}.`, `They are in ${join(paths.sessionsDir, id)}.`)
}

type Located = { law: string; file: string; line: number; text: string }

function located(id: string, paths: Paths, { breaks }: LawReport): Located[] {
  const files = sessionFiles(paths, id)
  return breaks.map(({ law, file, line, text }) => ({ law, file: files[file], line, text }))
}

function asDocument(id: string, paths: Paths, report: LawReport) {
  const breaks = located(id, paths, report)
  const { counts, notes } = report
  return { sessionId: id, ok: breaks.length === 0, firstBreak: breaks[0] ?? null, breaks, notes, counts }
}

function reportLines(id: string, paths: Paths, report: LawReport): string[] {
  const { turns, calls, decisions, outcomes, spans } = report.counts
  const looked = `${turns} turns, ${calls} calls, ${decisions} decisions, ${outcomes} outcomes, ${spans} spans`
  const breaks = located(id, paths, report)
  const notes = report.notes.map((note) => `  note: ${note}`)
  const [first, ...others] = breaks
  if (!first) {
    return [
      `${id} holds: ${looked}.`,
      '  The chain of the ledger, its seals on the transcript and the laws 1, 2, 3 and 9 are unbroken.',
      ...notes,
    ]
  }
  return [
    `${id} does not hold: ${looked}.`,
    `  first break, ${first.law}: ${first.text}`,
    `    ${first.file}:${first.line}`,
    ...others.slice(0, mostShown).map(({ law, file, line, text }) => `  ${law}: ${text}\n    ${file}:${line}`),
    ...(others.length > mostShown ? [`  … ${others.length - mostShown} more (--json lists all)`] : []),
    ...notes,
  ]
}

const mostShown = 20

async function show({ audit }: RecordedSession, json: boolean): Promise<void> {
  const output = openOutput(() => {})
  if (json) {
    for (const { text } of audit.lines) await output.write(`${text}\n`)
    return
  }
  const { sanitizeForTerminal } = await import('@sluice/permissions-ui')
  const lines = audit.lines.flatMap(({ record }) => {
    if (record.type === 'seal') return []
    const time = record.time.replace('T', ' ').replace(/\..*/, '')
    if (record.type === 'outcome') {
      const how = record.ok ? 'ok' : `failed${record.error === undefined ? '' : ` (${record.error})`}`
      return `${time}            ${record.tool} ${how} after ${record.durationMs} ms`
    }
    const by = record.decidedBy === 'rule' && record.rule !== null ? `rule ${record.rule}` : record.decidedBy
    const asked =
      record.verdict === 'ask' && record.step !== 'review'
        ? `, asked for ${(record.latencyMs / 1000).toFixed(1)} s`
        : ''
    const words = record.message === undefined ? '' : ` "${record.message}"`
    return [
      `${time}  ${record.outcome.padEnd(5)}  ${record.tool} ${record.title.replace(/\n/g, ' ⏎ ')}`,
      `                              by ${by}${asked}${words}; ${record.risk.level}: ${record.risk.reason}`,
      `                              because ${record.reason}`,
    ].join('\n')
  })
  const text = lines.length === 0 ? 'Nothing was decided in this session.' : lines.join('\n')
  await output.write(`${sanitizeForTerminal(text, 'visible')}\n`)
}
