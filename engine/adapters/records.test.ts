import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { createFakeClock } from '../../fixtures/fake-clock.ts'
import type { AgentEvent } from '../protocol/index.ts'
import { openAppender } from './append-line.ts'
import { createArtifacts } from './artifacts/index.ts'
import { createAuditLog } from './audit-log/index.ts'
import { createCostLedger } from './cost-jsonl/index.ts'
import { systemDigest } from './system/index.ts'
import { createTracer } from './trace-jsonl/index.ts'
import { createTranscript, readTranscript } from './transcript-jsonl/index.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-records-'))
})

const problems: string[] = []
const whole = { badLines: 0, tornTail: false, newerVersion: null }
const note = (seq: number, text: string): AgentEvent => ({
  v: 1,
  seq,
  time: '2026-01-01T00:00:00Z',
  sessionId: 's',
  turnId: null,
  type: 'notice',
  level: 'info',
  code: 'x',
  text,
})
const lines = (path: string) =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

describe('the transcript', () => {
  it('keeps durable events only, in a private file', async () => {
    const path = join(folder, 'a', 'transcript.jsonl')
    const transcript = createTranscript(path, (text) => problems.push(text))
    transcript.write(note(1, 'kept'))
    transcript.write({ ...note(2, ''), type: 'text_delta', text: 'not kept' } as AgentEvent)
    await transcript.flush()
    await transcript.close()
    expect(readTranscript(path)).toEqual({
      events: [note(1, 'kept')],
      ...whole,
    })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o700)
  })

  it('cut at any byte reads as a prefix of its records, and takes new ones after that', () => {
    const path = join(folder, 'transcript.jsonl')
    const all = [note(1, 'ä'), note(2, 'two\nlines'), note(3, '😀')]
    const bytes = Buffer.from(all.map((event) => `${JSON.stringify(event)}\n`).join(''))
    fc.assert(
      fc.property(fc.integer({ min: 0, max: bytes.length }), (length) => {
        writeFileSync(path, bytes.subarray(0, length))
        const before = readTranscript(path).events
        expect(before).toEqual(all.slice(0, before.length))
        const file = openAppender(path)
        expect(file.append(note(9, 'later'))).toBeUndefined()
        file.close()
        const after = readTranscript(path).events
        expect(after).toEqual([...before, note(9, 'later')])
      }),
    )
  })

  it('counts damaged lines and goes on behind them', () => {
    const path = join(folder, 'transcript.jsonl')
    writeFileSync(path, `${JSON.stringify(note(1, 'a'))}\n{"v":1,"se\nnull\n${JSON.stringify(note(2, 'b'))}\n`)
    expect(readTranscript(path)).toEqual({
      events: [note(1, 'a'), note(2, 'b')],
      ...whole,
      badLines: 2,
    })
  })

  it('says once that it cannot be written, and does not throw', async () => {
    const said: string[] = []
    writeFileSync(join(folder, 'file'), '')
    const transcript = createTranscript(join(folder, 'file', 'transcript.jsonl'), (text) => said.push(text))
    transcript.write(note(1, 'a'))
    transcript.write(note(2, 'b'))
    await Promise.resolve()
    expect(said).toEqual([expect.stringContaining('The transcript is not being saved')])
  })
})

describe('the other records', () => {
  it('trace: spans form a tree by parentId', async () => {
    const path = join(folder, 'trace.jsonl')
    const tracer = createTracer(path, 's', createFakeClock())
    const root = tracer.start('turn.run', 't1', { model: 'm' })
    root.child('model.call').end('error', { code: 1 })
    root.end()
    await tracer.flush()
    const spans = lines(path).map(
      (record) => record.span as { id: string; parentId?: string; name: string; status: string },
    )
    expect(spans.map((span) => [span.name, span.status])).toEqual([
      ['model.call', 'error'],
      ['turn.run', 'ok'],
    ])
    expect(spans[0]?.parentId).toBe(spans[1]?.id)
  })

  it('audit: each record carries the hash of the one before it, also over a restart', () => {
    const path = join(folder, 'audit.jsonl')
    const entry = { type: 'outcome' as const, callId: 'c', tool: 'bash', ok: true, digestApplied: null, durationMs: 1 }
    for (let i = 0; i < 2; i++) {
      const audit = createAuditLog(path, 's', createFakeClock(), systemDigest, (text) => problems.push(text))
      audit.record(entry, 't')
      audit.record(entry, 't')
      audit.close()
    }
    let previous = '0'.repeat(64)
    for (const [i, { hash, ...record }] of lines(path).entries()) {
      expect(record.seq).toBe(i + 1)
      expect(record.prevHash).toBe(previous)
      expect(hash).toBe(systemDigest.sha256(JSON.stringify(record)))
      previous = String(hash)
    }
  })

  it('cost: one line per reply with the session it belongs to', async () => {
    const path = join(folder, 'cost.jsonl')
    const ledger = createCostLedger(path, (text) => problems.push(text))
    const usage = { model: 'm', inputTokens: 1, outputTokens: 2, totalTokens: 3, costUsd: 0.5 }
    ledger.write({ ...note(4, ''), type: 'usage', usage } as AgentEvent)
    ledger.write(note(5, 'no usage'))
    await ledger.close()
    expect(lines(path)).toMatchObject([{ type: 'usage', sessionId: 's', ...usage }])
  })

  it('artifacts: private files with harmless names', () => {
    const artifact = createArtifacts(join(folder, 'artifacts')).create('../../etc/pass wd')
    artifact.write('text')
    artifact.write(new Uint8Array([33]))
    artifact.close()
    expect(artifact.path.startsWith(join(folder, 'artifacts'))).toBe(true)
    expect(readFileSync(artifact.path, 'utf8')).toBe('text!')
    expect(statSync(artifact.path).mode & 0o777).toBe(0o600)
  })

  it('artifacts: keep no secret, wherever it is cut, and every other byte', () => {
    const redact = (text: string) =>
      text
        .replaceAll(/sk-[a-z]{20}/g, '[redacted: key]')
        .replaceAll(/-----BEGIN K-----[^-]*-----END K-----/g, '[redacted: block]')
    const secret = `sk-${'a'.repeat(20)}`
    const block = '-----BEGIN K-----\nAAAA\nBBBB\n-----END K-----'
    const text = Buffer.concat([
      Buffer.from(`one ${secret} ä\n${block}\n`),
      Buffer.from([0xff, 0xfe, 0]),
      Buffer.from(`${secret} end`),
    ])
    const expected = Buffer.concat([
      Buffer.from('one [redacted: key] ä\n[redacted: block]\n'),
      Buffer.from([0xff, 0xfe, 0]),
      Buffer.from('[redacted: key] end'),
    ])
    for (let size = 1; size < text.length; size++) {
      const artifact = createArtifacts(join(folder, 'artifacts'), redact).create('out')
      for (let at = 0; at < text.length; at += size) artifact.write(text.subarray(at, at + size))
      artifact.close()
      expect(readFileSync(artifact.path)).toEqual(expected)
    }
    const plain = createArtifacts(join(folder, 'artifacts'), redact).create('text')
    plain.write(`one ${secret} ä😀`)
    plain.close()
    expect(readFileSync(plain.path, 'utf8')).toBe('one [redacted: key] ä😀')
  })
})
