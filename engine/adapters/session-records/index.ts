/** Reads the three record files of a session line by line, for checks that name the line. */
import { readFileSync } from 'node:fs'
import type { AgentEvent } from '../../protocol/index.ts'
import type { AuditRecord, RecordedSession, RecordFile, RecordLine, SpanRecord } from '../../session/laws.ts'

export type { RecordedSession } from '../../session/laws.ts'

export type RecordPaths = { transcript: string; trace: string; audit: string }

/**
 * A file that does not exist holds no lines. Lines that are no record of its kind are named as damaged. Throws only when
 * a file is there and cannot be read.
 */
export function readRecords(id: string, paths: RecordPaths): RecordedSession {
  return {
    id,
    transcript: readFile<AgentEvent>(paths.transcript, fitsEvent),
    trace: readFile<SpanRecord>(
      paths.trace,
      ({ type, span }) => type === 'span' && isObject(span) && isObject(span.attributes),
    ),
    audit: readFile<AuditRecord>(
      paths.audit,
      ({ type, callId, transcript, hash, prevHash }) =>
        (type === 'seal' ? typeof transcript === 'string' : type === 'decision' || type === 'outcome') &&
        (type === 'seal' || typeof callId === 'string') &&
        typeof hash === 'string' &&
        typeof prevHash === 'string',
    ),
  }
}

/** What the records of these types must hold to be read at all; the others are free. */
const parts: Partial<Record<string, readonly string[]>> = {
  message: ['message'],
  tool_proposed: ['call'],
  approval_request: ['request'],
  approval_decision: ['decision'],
  tool_start: ['call'],
  tool_result: ['call', 'result'],
  error: ['error'],
}

function fitsEvent(record: Record<string, unknown>): boolean {
  return (parts[record.type as string] ?? []).every((name) => isObject(record[name]))
}

function readFile<T>(path: string, fits: (record: Record<string, unknown>) => boolean): RecordFile<T> {
  const lines: RecordLine<T>[] = []
  const damaged: number[] = []
  textOf(path)
    .split('\n')
    .forEach((text, index) => {
      if (text === '') return
      const record = parse(text)
      if (record && fits(record)) lines.push({ line: index + 1, text, record: record as T })
      else damaged.push(index + 1)
    })
  return { lines, damaged }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (!isObject(value) || typeof value.seq !== 'number' || typeof value.type !== 'string') return undefined
    return value
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
