import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { ask, brokenPairs, createCannedModel, say } from '../../fixtures/canned-model.ts'
import {
  afterCrash,
  breaksIn,
  createPlace,
  type Opened,
  openAt,
  type Place,
  removePlaces,
  resume,
  transcriptOf,
} from '../../fixtures/crashing-session.ts'
import type { Message } from '../protocol/index.ts'

const opened: Opened[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()))
  removePlaces()
})

function open(...given: Parameters<typeof openAt>): Opened {
  const one = openAt(...given)
  opened.push(one)
  return one
}

const read = (path: string): [string, unknown] => ['read_file', { path }]
const edit = (path: string, old_text: string, new_text: string): [string, unknown] => [
  'edit_file',
  { path, edits: [{ old_text, new_text }] },
]
const bash = (command: string): [string, unknown] => ['bash', { command }]
const tool = (messages: readonly Message[] = []) =>
  messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []))

/** A session that reads a.txt and b.txt, proposes the calls, and dies while the first question is open. */
async function diesAsking(calls: [string, unknown][], options: { allow?: string[]; prompt?: string } = {}) {
  const place = createPlace()
  place.write('a.txt', 'one\ntwo\n')
  place.write('b.txt', 'three\nfour\n')
  const model = createCannedModel([ask('r', read('a.txt'), read('b.txt')), ask('e', ...calls), say('never said')])
  const first = open(place, model, options)
  first.session.send(options.prompt ?? 'do it')
  const request = await first.question()
  return { first, request, crashed: afterCrash(place) }
}

/** Another process goes on with it. */
function goOn(crashed: Place, options: { allow?: string[] } = {}) {
  const model = createCannedModel([say('done')])
  const second = open(crashed, model, { ...options, resume: true })
  expect(second.session.continueOpenTurn()).toBe(true)
  return { second, model }
}

describe('a turn whose process died while a question was open', () => {
  it('asks it again, does it on a yes, and ends as the very same turn', async () => {
    const { request, crashed } = await diesAsking([edit('a.txt', 'two', 'TWO')])
    const { second, model } = goOn(crashed)
    const again = await second.answer()
    expect(again).toMatchObject({ callId: request.callId, digest: request.digest, blocks: request.blocks })
    expect(again.id).not.toBe(request.id)
    expect(await second.ended()).toBe('final_answer')
    expect(crashed.read('a.txt')).toBe('one\nTWO\n')
    expect(brokenPairs(model.requests[0]?.messages ?? [])).toBeUndefined()
    await second.close()

    const events = transcriptOf(crashed)
    const turns = events.filter(({ type }) => type === 'turn_start' || type === 'turn_end')
    expect(turns.map(({ type, turnId }) => [type, turnId])).toEqual([
      ['turn_start', turns[0]?.turnId],
      ['turn_end', turns[0]?.turnId],
    ])
    expect(turns[1]).toMatchObject({ replies: 3, calls: 3 })
    const decisions = events.flatMap((event) =>
      event.type === 'approval_decision' ? [[event.id, event.decidedBy]] : [],
    )
    expect(decisions).toEqual([
      [request.id, 'abandoned'],
      [again.id, 'person'],
    ])
    expect(events.filter(({ type }) => type === 'context')).toHaveLength(1)
    expect(events.every(({ seq }, i) => i === 0 || seq > (events[i - 1]?.seq ?? 0))).toBe(true)
    expect(breaksIn(crashed)).toEqual([])
    // What it comes to is what a process that never died would have.
    expect(resume(crashed)).toMatchObject({
      repairs: [],
      history: [...(model.requests[0]?.messages.slice(1) ?? []), { content: 'done' }],
    })
  })

  it('makes the change anew where its file was changed meanwhile, and says so to person and model', async () => {
    const { request, crashed } = await diesAsking([edit('a.txt', 'two', 'TWO')])
    crashed.write('a.txt', 'zero\none\ntwo\n')
    const { second, model } = goOn(crashed)
    const again = await second.answer()
    expect(again.reason).toBe('the file changed since you were asked; this is the new change')
    expect(again.digest).not.toBe(request.digest)
    expect(await second.ended()).toBe('final_answer')
    expect(crashed.read('a.txt')).toBe('zero\none\nTWO\n')
    expect(tool(model.requests[0]?.messages).at(-1)).toContain('Somebody else had changed the file since you read it')
    await second.close()
    expect(breaksIn(crashed)).toEqual([])
  })

  it('tells the model where the change no longer applies', async () => {
    const { crashed } = await diesAsking([edit('a.txt', 'two', 'TWO')])
    crashed.write('a.txt', 'something else\n')
    const { second, model } = goOn(crashed)
    expect(await second.ended()).toBe('final_answer')
    expect(tool(model.requests[0]?.messages).at(-1)).toContain('a.txt has changed on disk since it was read')
    expect(crashed.read('a.txt')).toBe('something else\n')
  })

  it('asks about several changes together, as it did before', async () => {
    const { request, crashed } = await diesAsking([edit('a.txt', 'two', 'TWO'), edit('b.txt', 'four', 'FOUR')])
    const { second } = goOn(crashed)
    const again = await second.answer()
    expect(again.changeSet?.map(({ path }) => path)).toEqual(request.changeSet?.map(({ path }) => path))
    expect(await second.ended()).toBe('final_answer')
    expect([crashed.read('a.txt'), crashed.read('b.txt')]).toEqual(['one\nTWO\n', 'three\nFOUR\n'])
    await second.close()
    expect(breaksIn(crashed)).toEqual([])
  })

  it('asks about a command, and about one that a rule allows, since nobody saw it run', async () => {
    const { crashed } = await diesAsking([bash('touch made'), bash('echo hi')], { allow: ['bash(echo *)'] })
    const { second } = goOn(crashed, { allow: ['bash(echo *)'] })
    expect((await second.answer()).title).toBe('touch made')
    expect(existsSync(join(crashed.cwd, 'made'))).toBe(false)
    const other = await second.answer()
    expect([other.title, other.reason]).toEqual(['echo hi', 'it had not run when the session ended'])
    expect(await second.ended()).toBe('final_answer')
    expect(existsSync(join(crashed.cwd, 'made'))).toBe(true)
  })

  it('asks a question of the model again, and passes the answer on', async () => {
    const { request, crashed } = await diesAsking([['ask_user', { question: 'Which?', options: ['a', 'b'] }]])
    const { second, model } = goOn(crashed)
    const again = await second.question()
    expect([again.question, again.reason]).toEqual([request.question, request.reason])
    second.session.answer(again.id, { type: 'allow', digest: again.digest, answer: 'b' })
    expect(await second.ended()).toBe('final_answer')
    expect(tool(model.requests[0]?.messages).at(-1)).toContain('b')
  })

  it('asks about a command that the person typed', async () => {
    const place = createPlace()
    const first = open(place, createCannedModel([]))
    first.session.run('touch typed')
    await first.question()
    const crashed = afterCrash(place)
    const { second, model } = goOn(crashed)
    expect((await second.answer()).title).toBe('touch typed')
    expect(await second.ended()).toBe('final_answer')
    expect(existsSync(join(crashed.cwd, 'typed'))).toBe(true)
    await second.next('state')
    second.session.send('and?')
    await second.ended()
    expect(model.requests[0]?.messages.map(({ content }) => content.split('\n')[0])).toEqual([
      'system',
      'I ran `touch typed`:',
      'and?',
    ])
    await second.close()
    expect(breaksIn(crashed)).toEqual([])
  })

  it.each([undefined, 'no, never'])(
    'died right after the answer (%s): a yes is asked for again, a no stands',
    async (refusal) => {
      const place = createPlace()
      const first = open(place, createCannedModel([ask('e', bash('touch made'), bash('ls')), say('never said')]))
      let crashed: Place | undefined
      first.session.subscribe((event) => {
        if (event.type === 'approval_decision') crashed ??= afterCrash(place)
      })
      first.session.send('do it')
      await first.answer(refusal)
      await first.answer()
      await first.ended()
      if (!crashed) throw new Error('no crash')
      const { second, model } = goOn(crashed)
      const titles = [(await second.answer()).title]
      if (refusal === undefined) titles.push((await second.answer()).title)
      expect(titles).toEqual(refusal === undefined ? ['touch made', 'ls'] : ['ls'])
      expect(await second.ended()).toBe('final_answer')
      const [made] = tool(model.requests[0]?.messages)
      expect(made).toContain(
        refusal === undefined ? '[exit 0' : 'The person refused this call. Nothing was done. Their words: no, never',
      )
      await second.close()
      expect(breaksIn(crashed)).toEqual([])
    },
  )

  it('dies again, and asks again', async () => {
    const { crashed } = await diesAsking([edit('a.txt', 'two', 'TWO')])
    const { second } = goOn(crashed)
    await second.question()
    const twice = afterCrash(crashed)
    const { second: third } = goOn(twice)
    await third.answer('not now')
    expect(await third.ended()).toBe('final_answer')
    await third.close()
    expect(breaksIn(twice)).toEqual([])
  })

  it('is over when the person says something else first, and every call has its result', async () => {
    const { crashed } = await diesAsking([edit('a.txt', 'two', 'TWO'), bash('ls')])
    const model = createCannedModel([say('fine')])
    const second = open(crashed, model, { resume: true })
    second.session.send('forget it')
    expect(await second.ended()).toBe('user_abort')
    expect(await second.ended()).toBe('final_answer')
    expect(second.session.continueOpenTurn()).toBe(false)
    expect(tool(model.requests[0]?.messages).slice(-2)).toEqual(
      Array(2).fill('Interrupted: the session ended before this call ran. It had no effect.'),
    )
    expect(crashed.read('a.txt')).toBe('one\ntwo\n')
    await second.close()
    expect(breaksIn(crashed)).toEqual([])
  })

  it('stays open where the terminal is lost instead of the process, and nobody said no', async () => {
    const place = createPlace()
    const first = open(place, createCannedModel([ask('e', bash('touch made'))]))
    first.session.send('do it')
    await first.question()
    await first.session.close({ leaveQuestions: true })
    expect(transcriptOf(place).at(-1)?.type).toBe('approval_request')
    const { second } = goOn(place)
    await second.answer()
    expect(await second.ended()).toBe('final_answer')
    await second.close()
    expect(breaksIn(place)).toEqual([])
  })

  it('is recorded to its end where something ran when the terminal was lost', async () => {
    const place = createPlace()
    const first = open(place, createCannedModel([ask('e', bash('sleep 60'))]), { allow: ['bash(sleep *)'] })
    first.session.send('do it')
    await first.next('tool_start')
    await first.session.close({ leaveQuestions: true })
    expect(
      transcriptOf(place)
        .map(({ type }) => type)
        .slice(-3),
    ).toEqual(['tool_result', 'turn_end', 'session_end'])
  })

  it('is over when the session is closed without a word', async () => {
    const { crashed } = await diesAsking([bash('ls')])
    const second = open(crashed, createCannedModel([]), { resume: true })
    await second.close()
    expect(breaksIn(crashed)).toEqual([])
    expect(resume(crashed)).toMatchObject({ repairs: [] })
  })

  it('does not ask again for what would not be the same: secrets were kept out of its record', async () => {
    const place = createPlace()
    const first = open(place, createCannedModel([ask('e', bash('echo "[redacted: token]" > t'), bash('ls'))]))
    first.session.send('do it')
    await first.question()
    const crashed = afterCrash(place)
    const { second, model } = goOn(crashed)
    expect((await second.answer()).title).toBe('ls')
    await second.ended()
    expect(tool(model.requests[0]?.messages)[0]).toContain('secrets in it were kept out of the record')
  })
})

describe('a turn whose process died while calls ran', () => {
  it('ends what had started, and asks what had not; each call has one result in its order', async () => {
    const place = createPlace()
    const model = createCannedModel([ask('e', bash('sleep 60'), bash('touch later'))])
    const first = open(place, model, { allow: ['bash(sleep *)'] })
    first.session.send('do it')
    await first.next('tool_start')
    const crashed = afterCrash(place)
    first.session.interrupt()
    const { second, model: next } = goOn(crashed)
    expect((await second.answer()).title).toBe('touch later')
    expect(await second.ended()).toBe('final_answer')
    const results = tool(next.requests[0]?.messages)
    expect(results[0]).toBe(
      'Interrupted: the session ended before this call had a result. The command `sleep 60` may or may not have run; check before you repeat it.',
    )
    expect(results[1]).toContain('[exit 0')
    expect(brokenPairs(next.requests[0]?.messages ?? [])).toBeUndefined()
    await second.close()
    expect(breaksIn(crashed)).toEqual([])
  })

  it.each([
    ['one\nTWO\n', 'a.txt has the new content: the change was made.'],
    ['one\ntwo\n', 'a.txt still has its old content: nothing was written.'],
    ['else\n', 'a.txt has neither the old nor the new content; look at it before you go on.'],
    [null, 'a.txt does not exist any more; look at it before you go on.'],
  ])('says of an edit what its file shows (%j)', async (now, said) => {
    const place = createPlace()
    place.write('a.txt', 'one\ntwo\n')
    const model = createCannedModel([ask('r', read('a.txt')), ask('e', edit('a.txt', 'two', 'TWO')), say('done')])
    const first = open(place, model)
    first.session.send('do it')
    await first.answer()
    await first.ended()
    const crashed = afterCrash(place, (event) => event.type === 'tool_start' && event.call.name === 'edit_file')
    if (now === null) rmSync(join(place.cwd, 'a.txt'))
    else place.write('a.txt', now)
    const resumed = resume(crashed)
    expect(resumed.open).toBeUndefined()
    expect(tool(resumed.history).at(-1)).toContain(said)
    const second = open(crashed, createCannedModel([say('I see')]), { resume: true })
    second.session.send('go on')
    await second.ended()
    await second.close()
    expect(breaksIn(crashed)).toEqual([])
  })
})
