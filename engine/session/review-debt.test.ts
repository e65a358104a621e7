import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkLaws, createFileLedger } from '@sluice/engine'
import { systemDigest } from '@sluice/engine/adapters/system'
import { afterEach, describe, expect, it } from 'vitest'
import { ask, createCannedModel, say } from '../../fixtures/canned-model.ts'
import { createFakeClock } from '../../fixtures/fake-clock.ts'
import {
  editing,
  onlyChange,
  openReviewed,
  recorded,
  removeReviewFolders,
  reviewEdited,
  reviewPlace,
  reviewText,
  turn,
  withDebt,
} from '../../fixtures/review-world.ts'
import { fileDiff } from '../change/index.ts'
import { createReviewDebt } from './review-debt.ts'
import { createReviewLedger } from './review-ledger.ts'

afterEach(removeReviewFolders)

describe('what was applied without a look', () => {
  it('waits when a mode or a rule let it through, and does not when a person did', async () => {
    const { session, close } = await withDebt()
    expect(session.debt.list().map(({ tool, diff }) => [tool, diff.path, diff.hunks.length])).toEqual([
      ['edit_file', 'a.txt', 3],
    ])
    await close()
    const at = reviewPlace()
    writeFileSync(join(at.cwd, 'a.txt'), reviewText)
    const asked = openReviewed(at, editing(say('done')), { mode: 'default' })
    await turn(asked.session, 'go')
    expect(asked.session.debt.list()).toEqual([])
    await asked.close()
  })

  it('is kept by a look alone: the file stays, the model hears nothing, and it does not wait any more', async () => {
    const { session, file, events, close } = await withDebt()
    const outcome = await session.debt.settle(onlyChange(session).id, { 0: true, 1: true, 2: true })
    expect(outcome).toMatchObject({ ok: true, review: { kept: [0, 1, 2], reverted: [], change: null } })
    expect(file()).toBe(reviewEdited)
    expect(session.debt.list()).toEqual([])
    expect(events.at(-1)).toMatchObject({ type: 'reviewed', turnId: null })
    expect((await session.debt.undo(session.debt.undoable()[0]?.id ?? '')).ok).toBe(true)
    expect(session.debt.list()).toHaveLength(1)
    expect(session.debt.undoable()).toEqual([])
    await close()
  })

  it('is taken back hunk by hunk: the file, the records, the ledger and the next request all have it', async () => {
    const { session, file, model, at, close } = await withDebt()
    const change = onlyChange(session)
    expect(await session.debt.standing(change.id)).toEqual({ same: true, conflicts: {} })
    const outcome = await session.debt.settle(change.id, { 0: true, 2: true }, 'keep thirty a number')
    expect(outcome).toMatchObject({
      ok: true,
      review: { kept: [0, 2], reverted: [1], message: 'keep thirty a number' },
    })
    expect(file()).toBe(reviewEdited.replace('thirty\n', 'line 30\n'))
    await turn(session, 'go on')
    const heard = model.requests.at(-1)?.messages.at(-2)
    expect(heard?.role).toBe('user')
    expect(heard?.content).toContain('took back hunk 2 of 3')
    expect(heard?.content).toContain('-thirty\n+line 30\n')
    expect(heard?.content).toContain('keep thirty a number')
    await close()
    const report = checkLaws(recorded(at), systemDigest)
    expect(report.breaks).toEqual([])
    const audit = readFileSync(join(at.records, 'audit.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(audit.slice(-2)).toMatchObject([
      { type: 'decision', step: 'review', decidedBy: 'person', outcome: 'allow', callId: change.callId },
      { type: 'outcome', step: 'review', ok: true },
    ])
    expect(audit.at(-1).digestApplied).toBe(audit.at(-2).digestPermitted)
  })

  it('survives a resume, with what was decided and what the model was told', async () => {
    const first = await withDebt(editing(ask('w', ['write_file', { path: 'new.txt', content: 'new\n' }]), say('done')))
    expect(first.session.debt.list().map(({ diff }) => diff.path)).toEqual(['a.txt', 'new.txt'])
    await first.session.debt.settle(onlyChange(first.session).id, {})
    expect(first.file()).toBe(reviewText)
    await first.close()

    const model = createCannedModel([say('I see')])
    const second = openReviewed(first.at, model, { resume: true })
    expect(second.session.debt.list().map(({ diff }) => diff.path)).toEqual(['new.txt'])
    await turn(second.session, 'go on')
    expect(model.requests[0]?.messages.map(({ content }) => content).join('\n')).toContain('took back all of it')
    const [review] = second.session.debt.undoable()
    expect((await second.session.debt.undo(review?.id ?? '')).ok).toBe(true)
    expect(first.file()).toBe(reviewEdited)
    expect(second.session.debt.list().map(({ diff }) => diff.path)).toEqual(['a.txt', 'new.txt'])
    await second.close()
  })

  it('a file that it made is taken away again, and comes back with an undo', async () => {
    const at = reviewPlace()
    const made = join(at.cwd, 'new.txt')
    const world = openReviewed(
      at,
      createCannedModel([ask('w', ['write_file', { path: 'new.txt', content: 'new\n' }]), say('ok')]),
    )
    await turn(world.session, 'go')
    const outcome = await world.session.debt.settle(onlyChange(world.session).id, {})
    expect(existsSync(made)).toBe(false)
    expect(outcome.ok && outcome.review.change?.change).toBe('delete')
    expect((await world.session.debt.undo(outcome.ok ? outcome.review.id : '')).ok).toBe(true)
    expect(readFileSync(made, 'utf8')).toBe('new\n')
    await world.close()
    expect(checkLaws(recorded(at), systemDigest).breaks).toEqual([])
  })
})

describe('a file that changed since', () => {
  it('keeps what the person wrote meanwhile; what cannot be found any more is a conflict and nothing is written', async () => {
    const { session, file, at, close } = await withDebt()
    const drifted = `mine\n${reviewEdited.replace('thirty\n', 'dreißig\n').replace('line 40\n', 'mine\n')}`
    writeFileSync(join(at.cwd, 'a.txt'), drifted)
    const { id } = onlyChange(session)
    const why = 'the lines it made are not there any more'
    expect(await session.debt.standing(id)).toEqual({ same: false, conflicts: { 1: why } })
    expect(await session.debt.settle(id, {})).toMatchObject({ ok: false, conflicts: { 1: why } })
    expect(file()).toBe(drifted)
    expect(session.debt.list()).toHaveLength(1)
    expect((await session.debt.settle(id, { 1: true })).ok).toBe(true)
    expect(file()).toBe(drifted.replace('five\n', 'line 5\n').replace('fifty-five\n', 'line 55\n'))
    await close()
  })

  it.each<[string, (path: string) => void, RegExp]>([
    ['is gone', (path) => rmSync(path), /not there any more/],
    ['is data by now', (path) => writeFileSync(path, Buffer.from([0, 1, 2, 0, 255])), /not text/],
  ])('that %s is told', async (_, spoil, said) => {
    const { session, at, close } = await withDebt()
    spoil(join(at.cwd, 'a.txt'))
    const { id } = onlyChange(session)
    const standing = await session.debt.standing(id)
    expect(Object.values(standing?.conflicts ?? {})[0]).toMatch(said)
    expect((await session.debt.settle(id, {})).ok).toBe(false)
    expect((await session.debt.settle(id, { 0: true, 1: true, 2: true })).ok).toBe(true)
    await close()
  })

  it('the model may edit on after a review, and must read again after an edit that it does not know of', async () => {
    const more = [{ old_text: 'line 10\n', new_text: 'ten\n' }]
    const again = () => ask('m', ['edit_file', { path: 'a.txt', edits: more }])
    const { session, file, close } = await withDebt(editing(say('done'), again(), say('done')))
    await session.debt.settle(onlyChange(session).id, {})
    await turn(session, 'more')
    expect(file()).toBe(reviewText.replace('line 10\n', 'ten\n'))
    await close()

    const other = await withDebt(editing(say('done'), again(), say('done')))
    const mine = reviewEdited.replace('line 44\n', 'mine\n')
    writeFileSync(join(other.at.cwd, 'a.txt'), mine)
    await other.session.debt.settle(onlyChange(other.session).id, { 0: true, 1: true })
    await turn(other.session, 'more')
    expect(other.file()).toBe(mine.replace('fifty-five\n', 'line 55\n'))
    expect(other.events.findLast((event) => event.type === 'tool_result')).toMatchObject({ result: { ok: false } })
    await other.close()
  })
})

it('while a turn runs everything can be kept, and nothing taken back', async () => {
  let during: Promise<unknown[]> | undefined
  const model = editing(ask('q', ['bash', { command: 'sleep 0.2' }]), say('done'))
  const at = reviewPlace()
  writeFileSync(join(at.cwd, 'a.txt'), reviewText)
  const { session, close } = openReviewed(at, model)
  session.subscribe((event) => {
    if (event.type !== 'tool_result' || event.call.name !== 'edit_file') return
    const { id } = onlyChange(session)
    during = (async () => [
      await session.debt.settle(id, {}),
      await session.debt.settle(id, { 0: true, 1: true, 2: true }),
    ])()
  })
  await turn(session, 'go')
  expect(await during).toMatchObject([{ ok: false, problem: expect.stringContaining('between turns') }, { ok: true }])
  expect(readFileSync(join(at.cwd, 'a.txt'), 'utf8')).toBe(reviewEdited)
  await close()
  expect(checkLaws(recorded(at), systemDigest).breaks).toEqual([])
})

it('a record of a review that the ledger does not know is a break', async () => {
  const { session, at, close } = await withDebt()
  await session.debt.settle(onlyChange(session).id, {})
  await close()
  const whole = recorded(at)
  const lines = whole.audit.lines.filter(({ record }) => record.type === 'seal' || record.step !== 'review')
  const breaks = checkLaws({ ...whole, audit: { ...whole.audit, lines } }, systemDigest).breaks
  expect(breaks.filter(({ law }) => law === 'law 2').map(({ text }) => text)).toEqual([
    expect.stringMatching(/^the review \S+ changed a\.txt, and no decision of a person is in the ledger$/),
  ])
  const decided = whole.audit.lines.filter(({ record }) => record.type !== 'outcome' || record.step !== 'review')
  const halves = checkLaws({ ...whole, audit: { ...whole.audit, lines: decided } }, systemDigest).breaks
  expect(halves.map(({ text }) => text)).toEqual([expect.stringContaining('the ledger does not say so')])
})

describe('with the text that the change was made from', () => {
  /** One change of one file in memory; `old` is what was kept of it. */
  function world(old: string, fresh: string, now: string, keptOld = true) {
    let text = now
    const hash = (of: string) => systemDigest.sha256(of)
    const diff = fileDiff({ path: 'a.txt', oldText: old, newText: fresh, oldHash: hash(old), newHash: hash(fresh) })
    const ledger = createReviewLedger()
    const head = { v: 1, seq: 1, time: '2026-01-01T00:00:00Z', sessionId: 's', turnId: 't' } as const
    const result = { ok: true, summary: '', content: '', metadata: { newHash: hash(fresh) } }
    const call = { id: 'c', name: 'edit_file', input: {} }
    ledger.see({ ...head, type: 'tool_result', call, result, blocks: [{ type: 'diff', diff }] })
    const debt = createReviewDebt({
      cwd: '/w',
      ledger,
      files: {
        read: async () => ({ path: '/w/a.txt', text, hash: hash(text) }),
        decode: async (bytes) => Buffer.from(bytes).toString('utf8'),
        async write(_name, _cwd, next) {
          text = next ?? ''
          return { hash: hash(text) }
        },
      },
      original: async (wanted) => (keptOld && wanted === hash(old) ? Buffer.from(old) : null),
      seen: createFileLedger(),
      audit: { record: () => {}, flush: async () => {} },
      clock: createFakeClock(),
      digest: systemDigest,
      mode: () => 'default',
      busy: () => false,
      record: () => {},
    })
    return { debt, id: ledger.waiting()[0]?.id ?? '', text: () => text }
  }
  const same = 'x\n'.repeat(20)

  it('what stands there many times is taken back where it was', async () => {
    const { debt, id, text } = world(same, 'x\n'.repeat(19), `mine\n${'x\n'.repeat(19)}`)
    expect(await debt.standing(id)).toEqual({ same: false, conflicts: {} })
    expect((await debt.settle(id, {})).ok).toBe(true)
    expect(text()).toBe(`mine\n${same}`)
    const blind = world(same, 'x\n'.repeat(19), `mine\n${'x\n'.repeat(19)}`, false)
    expect((await blind.debt.settle(blind.id, {})).ok).toBe(false)
    expect(blind.text()).toBe(`mine\n${'x\n'.repeat(19)}`)
  })

  it('lines that both changed are a conflict, and so is nothing else', async () => {
    const { debt, id, text } = world(reviewText, reviewEdited, `mine\n${reviewEdited.replace('thirty\n', 'XXX\n')}`)
    expect(Object.keys((await debt.standing(id))?.conflicts ?? {})).toEqual(['1'])
    expect((await debt.settle(id, {})).ok).toBe(false)
    expect((await debt.settle(id, { 1: true })).ok).toBe(true)
    expect(text()).toBe(`mine\n${reviewText.replace('line 30\n', 'XXX\n')}`)
  })
})
