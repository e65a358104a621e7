import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AgentEvent } from '../../protocol/index.ts'
import { readRecord } from '../../session/migrations.ts'
import { createTranscript, readTranscript, scanRecords } from './index.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-read-'))
  path = join(folder, 'transcript.jsonl')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const head = (seq: number) => ({ v: 1, seq, time: '2026-01-01T00:00:00Z', sessionId: 's', turnId: 't' }) as const
const note = (seq: number, text = `note ${seq}`): AgentEvent => ({
  ...head(seq),
  ...{ type: 'notice', level: 'info', code: 'x', text },
})
const line = (record: unknown) => `${JSON.stringify(record)}\n`
const seqs = () => readTranscript(path).events.map(({ seq }) => seq)
const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1)

describe('reading a transcript', () => {
  it('G01: skips a line of NULs and a torn end, keeps the other 98 records, and leaves the bytes alone', () => {
    const lines = upTo(100).map((seq) => line(note(seq)))
    lines[39] = `${'\0'.repeat(300)}\n`
    const bytes = Buffer.from(lines.join('').slice(0, -30))
    writeFileSync(path, bytes)
    const { events, ...rest } = readTranscript(path)
    expect(events.map(({ seq }) => seq)).toEqual(upTo(99).filter((seq) => seq !== 40))
    expect(rest).toEqual({ badLines: 1, tornTail: true, newerVersion: null })
    expect(readFileSync(path)).toEqual(bytes)
  })

  it('G01: finds the record behind damage that has no line end of its own', () => {
    writeFileSync(
      path,
      `${line(note(1))}${'\0'.repeat(50)}${line(note(2))}${line(note(3)).slice(0, 40)}${line(note(4))}`,
    )
    expect(readTranscript(path)).toEqual({
      events: [note(1), note(2), note(4)],
      ...{ badLines: 2, tornTail: false, newerVersion: null },
    })
  })

  it('G03: a result with line ends, U+2028, a lone surrogate, NUL and 5 MB is one record and comes back as it was', async () => {
    const content = `one\ntwo\r\u2028three\u2029\ud800\0${'x'.repeat(5 * 2 ** 20)}`
    const result: AgentEvent = {
      ...head(1),
      type: 'tool_result',
      call: { id: 'c', name: 'bash', input: { command: 'echo "a\nb"' } },
      result: { ok: true, summary: 's', content, metadata: { durationMs: 1 } },
      blocks: [{ type: 'output', text: content }],
    }
    const transcript = createTranscript(path, () => {})
    transcript.write(result)
    transcript.write(note(2))
    await transcript.close()
    expect(readFileSync(path).filter((byte) => byte === 10)).toHaveLength(2)
    expect(readTranscript(path).events).toEqual([result, note(2)])
  })

  it('counts what is JSON and no record, and passes over empty lines', () => {
    const bad = [
      'null',
      '[]',
      '"text"',
      '{}',
      '{"v":1}',
      '{"v":"1","seq":1,"type":"notice"}',
      line({ ...note(1), text: 1 }).trim(),
    ]
    const odd = { ...head(5), type: 'from_tomorrow', anything: true }
    writeFileSync(path, `\n${bad.join('\n')}\n\r\n${line(note(1))}${line(odd)}`)
    expect(readTranscript(path)).toEqual({
      events: [note(1), odd],
      ...{ badLines: bad.length, tornTail: false, newerVersion: null },
    })
  })

  it.each([
    ['a message without its text', { type: 'message', message: { role: 'assistant' } }],
    ['a message of nobody', { type: 'message', message: { role: 'system', content: '' } }],
    [
      'a call without a name',
      { type: 'message', message: { role: 'assistant', content: '', toolCalls: [{ id: 'c' }] } },
    ],
    [
      'a result without content',
      { type: 'tool_result', call: { id: 'c', name: 'x' }, result: { ok: true }, blocks: [] },
    ],
    [
      'a diff without hunks',
      {
        type: 'tool_proposed',
        call: { id: 'c', name: 'x' },
        kind: 'edit',
        title: '',
        blocks: [{ type: 'diff', diff: {} }],
      },
    ],
    ['a question without an id', { type: 'approval_request', request: {} }],
  ])('takes %s for damage', (_, body) => {
    writeFileSync(path, line({ ...head(1), ...body }) + line(note(2)))
    expect(readTranscript(path)).toMatchObject({ events: [note(2)], badLines: 1 })
  })

  it('leaves out kinds of blocks that it does not know, and keeps the record', () => {
    const call = { id: 'c', name: 'x', input: {} }
    const result = { ok: true, summary: '', content: 'c', metadata: { durationMs: 0 } }
    const text = { type: 'text', text: 'known' }
    writeFileSync(
      path,
      line({ ...head(1), type: 'tool_result', call, result, blocks: [{ type: 'hologram', rays: 7 }, text] }),
    )
    expect(readTranscript(path).events).toMatchObject([{ blocks: [text] }])
  })

  it('an end without a line end is a record when it is whole', () => {
    writeFileSync(path, line(note(1)) + line(note(2)).trim())
    expect(readTranscript(path)).toMatchObject({ events: [note(1), note(2)], tornTail: false, badLines: 0 })
  })

  it('tells a newer version, whatever else is there', () => {
    writeFileSync(path, line(note(1)) + line({ ...note(2), v: 3 }) + line({ ...note(3), v: 2 }))
    expect(readTranscript(path)).toMatchObject({ badLines: 0, newerVersion: 3 })
    expect(seqs()).toEqual([1])
  })

  it('reads the same in pieces of any size', () => {
    const bytes = Buffer.from(
      upTo(6)
        .map((seq) => line(note(seq, '😀ä\u2028'.repeat(seq))))
        .join(''),
    )
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 90 }), (size) => {
        const shared = Buffer.alloc(size)
        const events: AgentEvent[] = []
        function* pieces() {
          // As from a file: one buffer for all of them.
          for (let at = 0; at < bytes.length; at += size) yield shared.subarray(0, bytes.copy(shared, 0, at, at + size))
        }
        expect(scanRecords(pieces(), (event) => void events.push(event))).toMatchObject({ badLines: 0 })
        expect(events.map(({ seq }) => seq)).toEqual(upTo(6))
      }),
    )
  })
})

describe('records of other versions', () => {
  const list = [
    { from: 0, lift: ({ words, ...rest }: Record<string, unknown>) => ({ ...rest, text: words }) },
    { from: 1, lift: (record: Record<string, unknown>) => (record.code === 'gone' ? null : { ...record, seen: true }) },
  ]
  const { text: _, ...bare } = note(1) as AgentEvent & { text: string }

  it('are lifted step by step', () => {
    expect(readRecord({ ...bare, v: 0, words: 'old' }, list.slice(0, 1), 1)).toEqual({
      type: 'record',
      event: { ...note(1), text: 'old' },
    })
  })

  it.each([
    ['without a counterpart today', { ...bare, v: 1, code: 'gone' }, { type: 'dropped' }],
    ['from before the first migration', { ...bare, v: -1 }, { type: 'bad' }],
    ['of a version that is no number', { ...bare, v: 1.5 }, { type: 'bad' }],
    ['of a newer program', { ...bare, v: 4 }, { type: 'newer', version: 4 }],
  ])('%s', (_, record, expected) => {
    expect(readRecord(record, list, 2)).toEqual(expected)
  })
})
