import { beforeAll, describe, expect, it } from 'vitest'
import { recordSession } from '../../fixtures/recorded-session.ts'
import { readRecords } from '../adapters/session-records/index.ts'
import { systemDigest } from '../adapters/system/index.ts'
import type { AgentEvent } from '../protocol/index.ts'
import { checkLaws, type LawBreak } from './laws.ts'
import type { AuditRecord, RecordedSession, RecordFile, SpanRecord } from './recorded.ts'

let honest: RecordedSession
beforeAll(async () => {
  const { id, paths } = await recordSession()
  honest = readRecords(id, paths)
})

type Records = { transcript: AgentEvent[]; trace: SpanRecord[]; audit: AuditRecord[] }

/** The honest session after `change`, written anew with a ledger whose chain holds: only the laws can tell. */
function changed(change: (records: Records) => void): RecordedSession {
  const records: Records = structuredClone({
    transcript: honest.transcript.lines.map((line) => line.record),
    trace: honest.trace.lines.map((line) => line.record),
    audit: honest.audit.lines.map((line) => line.record),
  })
  change(records)
  let prevHash = '0'.repeat(64)
  const audit = records.audit.map(({ hash: _, ...record }, i) => {
    const body = { ...record, seq: i + 1, prevHash }
    prevHash = systemDigest.sha256(JSON.stringify(body))
    return { ...body, hash: prevHash } as AuditRecord
  })
  return { id: honest.id, transcript: file(records.transcript), trace: file(records.trace), audit: file(audit) }
}

function file<T>(records: T[]): RecordFile<T> {
  return { lines: records.map((record, i) => ({ line: i + 1, text: JSON.stringify(record), record })), damaged: [] }
}

function breaks(session: RecordedSession): LawBreak[] {
  return checkLaws(session, systemDigest).breaks
}

function found(change: (records: Records) => void): string[] {
  return breaks(changed(change)).map(({ law, file, line, text }) => `${law} ${file}:${line} ${text}`)
}

const at = <T extends AgentEvent['type']>(records: Records, type: T, nth = 0): Extract<AgentEvent, { type: T }> => {
  const one = records.transcript.filter((event) => event.type === type)[nth]
  if (!one) throw new Error(`no ${type}`)
  return one as Extract<AgentEvent, { type: T }>
}
const remove = (records: Records, event: AgentEvent) => {
  records.transcript.splice(records.transcript.indexOf(event), 1)
}

it('an honest session breaks nothing, and the report says what was looked at', () => {
  const report = checkLaws(honest, systemDigest)
  expect(report).toMatchObject({ breaks: [], notes: [], counts: { turns: 3, calls: 4, decisions: 4, outcomes: 3 } })
  expect(breaks(changed(() => {}))).toEqual([])
})

describe('the chain of the ledger', () => {
  const planted = (edit: (lines: string[]) => void) => {
    const lines = honest.audit.lines.map((line) => line.text)
    edit(lines)
    const audit = {
      lines: lines.map((text, i) => ({ line: i + 1, text, record: JSON.parse(text) as AuditRecord })),
      damaged: [],
    }
    return breaks({ ...honest, audit }).filter((one) => one.law === 'chain')
  }
  const change = (lines: string[], i: number, from: string | RegExp, to: string) => {
    expect(lines[i]).toMatch(from)
    lines[i] = lines[i]?.replace(from, to) ?? ''
  }

  it('shows a changed record', () => {
    expect(planted((lines) => change(lines, 2, '"decidedBy":"person"', '"decidedBy":"rule"'))).toEqual([
      { law: 'chain', file: 'audit', line: 3, text: 'the record was changed: its hash is not that of its text' },
    ])
  })
  it('shows a second field of the same name, which readers of JSON would not see', () => {
    const lines = planted((all) => change(all, 0, '"outcome":', '"outcome":"deny","outcome":'))
    expect(lines.map(({ line }) => line)).toEqual([1])
  })
  it('shows a removed record', () => {
    expect(planted((lines) => lines.splice(2, 1)).map(({ line, text }) => `${line} ${text}`)).toEqual([
      '3 the record does not follow record 2: something between them was removed, added or changed',
    ])
  })
  it('shows a removed beginning', () => {
    expect(planted((lines) => lines.splice(0, 2))[0]?.text).toContain('does not begin a chain')
  })
  it('shows a record with a new hash of its own, by the record behind it', () => {
    const lines = planted((all) => {
      const { hash: _, ...record } = JSON.parse(all[1] ?? '') as AuditRecord
      const body = JSON.stringify({ ...record, tool: 'other' })
      all[1] = `${body.slice(0, -1)},"hash":"${systemDigest.sha256(body)}"}`
    })
    expect(lines.map(({ line }) => line)).toEqual([3])
  })
})

describe('law 1, every call has exactly one result', () => {
  it('a missing result', () => {
    expect(found((all) => remove(all, at(all, 'tool_result')))).toContainEqual(
      expect.stringMatching(
        /^law 1 transcript:\d+ the conversation goes on, but the call r1 of read_file \(line \d+\) has no result$/,
      ),
    )
  })
  it('a second result', () => {
    const lines = found((all) => {
      const result = at(all, 'tool_result', 1)
      all.transcript.splice(all.transcript.indexOf(result) + 1, 0, { ...result })
    })
    expect(lines).toContainEqual(expect.stringMatching(/^law 1 .* the call e1 of edit_file has a second result/))
  })
  it('a result without a call', () => {
    const lines = found((all) => {
      const message = at(all, 'message', 1).message
      if (message.role === 'assistant') message.toolCalls = message.toolCalls?.slice(0, 1)
    })
    expect(lines).toContainEqual(
      expect.stringContaining('a result for the call e2 of bash, which the reply does not have'),
    )
  })
  it('a call left open at the end is a cut-off session, no break', () => {
    const session = changed((all) => {
      all.transcript.length = all.transcript.indexOf(at(all, 'tool_start', 1))
      all.trace = all.trace.filter((one) => one.turnId === all.transcript.at(-1)?.turnId)
      all.audit = all.audit.slice(0, 2)
    })
    const report = checkLaws(session, systemDigest)
    expect(report.breaks.filter(({ law }) => law === 'law 1' || law === 'law 3')).toEqual([])
    expect(report.notes).toEqual([
      expect.stringContaining('2 calls have no result yet'),
      expect.stringContaining('has no end yet'),
    ])
  })
})

describe('law 2, nothing runs but what was permitted', () => {
  const entry = (all: Records, type: AuditRecord['type'], tool: string) =>
    all.audit.find((one) => one.type === type && one.type !== 'seal' && one.tool === tool) as AuditRecord
  it('an effect without a decision', () => {
    const lines = found((all) => void all.audit.splice(all.audit.indexOf(entry(all, 'decision', 'edit_file')), 1))
    expect(lines).toContainEqual(
      expect.stringMatching(/^law 2 audit:\d+ edit_file ran \(call e1\) without a recorded decision before it$/),
    )
    expect(lines).toContainEqual(expect.stringContaining('edit_file was started (call e1) without a recorded decision'))
  })
  it('an effect behind a no', () => {
    expect(found((all) => void Object.assign(entry(all, 'decision', 'edit_file'), { outcome: 'deny' }))).toContainEqual(
      expect.stringContaining('edit_file ran (call e1) although it was denied'),
    )
  })
  it('an effect that is another one', () => {
    const lines = found((all) => void Object.assign(entry(all, 'outcome', 'bash'), { digestApplied: 'f'.repeat(64) }))
    expect(lines).toEqual([
      expect.stringMatching(
        /^law 2 audit:\d+ what bash did \(call e2\) is not what was permitted: the digests differ$/,
      ),
    ])
  })
  it('an effect that the ledger does not have', () => {
    expect(found((all) => void all.audit.splice(all.audit.indexOf(entry(all, 'outcome', 'bash')), 1))).toEqual([
      expect.stringContaining('what bash did (call e2) is not in the ledger'),
    ])
  })
  it('a yes that nobody gave', () => {
    expect(found((all) => void Object.assign(entry(all, 'decision', 'edit_file'), { decidedBy: 'rule' }))).toEqual([
      expect.stringContaining('the call e1 had to be asked about, and a rule allowed it'),
    ])
    expect(found((all) => void Object.assign(entry(all, 'decision', 'bash'), { verdict: 'deny' }))).toEqual([
      expect.stringContaining('was denied by a rule and allowed nevertheless'),
    ])
  })
  it('a yes for something else than was shown', () => {
    expect(found((all) => void Object.assign(at(all, 'approval_request').request, { digest: 'a'.repeat(64) }))).toEqual(
      [
        expect.stringContaining('was answered for another digest than the one shown'),
        expect.stringContaining('the ledger says that something else was shown'),
      ],
    )
    const lines = found((all) => {
      const other = { digestPermitted: 'b'.repeat(64) }
      Object.assign(entry(all, 'decision', 'edit_file'), other)
      Object.assign(entry(all, 'outcome', 'edit_file'), { digestApplied: other.digestPermitted })
    })
    expect(lines).toEqual([expect.stringContaining('something else was permitted than shown')])
  })
  it('a decision of the transcript that the ledger does not have, or has the other way round', () => {
    expect(found((all) => remove(all, at(all, 'approval_request')))).toEqual([expect.stringContaining('never asked')])
    expect(found((all) => void Object.assign(at(all, 'approval_decision'), { decision: { type: 'deny' } }))).toEqual([
      expect.stringContaining('answered no, and the ledger says it was allowed'),
    ])
  })
})

describe('law 3, every turn ends once and truly', () => {
  it('a turn without an end', () => {
    expect(found((all) => remove(all, at(all, 'turn_end')))).toContainEqual(
      expect.stringMatching(/^law 3 transcript:\d+ a turn begins while the one of line 2 has not ended$/),
    )
    expect(found((all) => remove(all, at(all, 'turn_end', 2)))).toContainEqual(
      expect.stringContaining('the session ends'),
    )
  })
  it('a turn with two ends', () => {
    const lines = found((all) => {
      const end = at(all, 'turn_end')
      all.transcript.splice(all.transcript.indexOf(end) + 1, 0, { ...end })
    })
    expect(lines).toContainEqual(expect.stringContaining('a turn ends that had not begun'))
  })
  it.each([
    ['model_error', 'no error of the model is recorded'],
    ['tool_error', 'no error of a tool is recorded'],
    ['max_turns', 'nothing says that the limit was reached'],
    ['time_limit', 'nothing says that the time was up'],
    ['budget_exceeded', 'no error about the budget is recorded'],
    ['context_too_large', 'no error about the context is recorded'],
    ['user_abort', 'its last reply is a whole answer'],
  ])('the reason %s where it is not true', (reason, why) => {
    expect(found((all) => void Object.assign(at(all, 'turn_end'), { reason }))).toEqual([
      expect.stringMatching(new RegExp(`^law 3 transcript:\\d+ the turn ends with ${reason}, but ${why}$`)),
    ])
  })
  it('a final answer that is none', () => {
    expect(found((all) => remove(all, at(all, 'message', 2)))).toContainEqual(
      expect.stringContaining('the turn ends with final_answer, but its last reply asks for tools'),
    )
    expect(found((all) => void Object.assign(at(all, 'message', 2), { partial: true }))).toEqual([
      expect.stringContaining('its answer was cut off'),
    ])
  })
  it('an end by a dead process’s own hand', () => {
    expect(found((all) => void Object.assign(at(all, 'turn_end'), { processEnded: true }))).toEqual([
      expect.stringContaining('says that its process had died, and that very process wrote it'),
    ])
  })
  it('counts that cannot be', () => {
    expect(found((all) => void Object.assign(at(all, 'turn_end'), { calls: 9 }))).toEqual([
      expect.stringContaining('it counts 9 calls, and 3 are recorded'),
    ])
  })
})

describe('law 9, one id ties everything together', () => {
  it.each(['transcript', 'trace', 'audit'] as const)('a record of another session in the %s', (name) => {
    const lines = found((all) => void Object.assign(all[name][1] ?? {}, { sessionId: 's_other' }))
    expect(lines).toEqual([`law 9 ${name}:2 the record belongs to the session s_other`])
  })
  it('a call that was not traced, and a turn that was not', () => {
    const without = (name: string) => (all: Records) => {
      all.trace = all.trace.filter(({ span }) => span.name !== name)
    }
    expect(found(without('tool.edit_file'))).toEqual([
      expect.stringMatching(/^law 9 transcript:\d+ the trace has no span of a tool for the call e1$/),
    ])
    expect(found(without('turn.run'))).toHaveLength(3)
    expect(found(without('model.call'))).toHaveLength(6)
  })
  it('calls and turns that the transcript does not have', () => {
    expect(
      found((all) => {
        for (const record of all.audit) if (record.callId === 'r1') record.callId = 'zz'
      }),
    ).toContainEqual(expect.stringMatching(/^law 9 audit:1 the call zz is not in the transcript$/))
    expect(found((all) => void Object.assign(all.trace[0] ?? {}, { turnId: 'turn_x' }))).toContainEqual(
      'law 9 trace:1 the turn turn_x is not in the transcript',
    )
  })
  it('records that were moved or written by two processes', () => {
    const lines = found((all) => {
      const [first, ...rest] = all.transcript.splice(3, 2)
      all.transcript.splice(3, 0, ...rest, ...(first ? [first] : []))
    })
    expect(lines).toContainEqual(expect.stringContaining('two processes wrote, or lines were moved'))
  })
  it('a line that cannot be read is a break, unless a new process goes on behind it', () => {
    const cut = { ...honest, transcript: { ...honest.transcript, damaged: [999] } }
    expect(breaks(cut)).toEqual([])
    const moved = honest.transcript.lines.map((line) => (line.line > 4 ? { ...line, line: line.line + 1 } : line))
    expect(breaks({ ...honest, transcript: { lines: moved, damaged: [5] } })).toContainEqual(
      expect.objectContaining({ law: 'law 9', file: 'transcript', line: 5 }),
    )
  })
})
