import { afterEach, expect, test } from 'vitest'
import { callTool, type ToolTestContext, toolContext } from '../../fixtures/tool-context.ts'
import { askUserTool } from './tool.ts'

let made: ToolTestContext | undefined

async function ask(input: Record<string, unknown>, answer?: string) {
  made = await toolContext(answer === undefined ? {} : { answer })
  return callTool(askUserTool, input, made.context)
}

afterEach(async () => {
  await made?.cleanup()
})

test('the person is asked, and the model reads the answer', async () => {
  const input = { question: ' Which database? ', options: ['SQLite', ' Postgres', 'SQLite', ''] }
  const { prepared, ...outcome } = await ask(input, ' Postgres, please\n')
  const options = ['SQLite', 'Postgres']
  expect(prepared).toMatchObject({
    title: 'Which database?',
    needs: [],
    question: { text: 'Which database?', options },
    blocks: [{ type: 'question', question: 'Which database?', options }],
  })
  expect(outcome).toEqual({
    ok: true,
    summary: 'answered: Postgres, please',
    content: 'The person answered:\nPostgres, please',
    metadata: { answer: 'Postgres, please' },
    blocks: [{ type: 'question', question: 'Which database?', options, answer: 'Postgres, please' }],
    applied: prepared?.fingerprint,
  })
})

test('an empty answer leaves it to the model', async () => {
  const { ok, summary, content } = await ask({ question: 'Go on?' }, '  ')
  expect({ ok, summary, content }).toEqual({
    ok: true,
    summary: 'answered with nothing',
    content: 'The person sent an empty answer: they leave it to you.',
  })
})

test('where nobody can answer the model is told to be cautious', async () => {
  const { prepared: _prepared, ...outcome } = await ask({ question: 'Drop the table?', options: ['yes', 'no'] })
  expect(outcome).toEqual({
    ok: false,
    summary: 'nobody could answer',
    content:
      'Nobody is there to answer this question. Go on with the most cautious choice and say in your answer which ' +
      'assumption you made, or stop and say what you need to know.',
    blocks: [{ type: 'question', question: 'Drop the table?', options: ['yes', 'no'] }],
    error: 'TOOL_EXECUTION_FAILED',
  })
})

test('a question without words is refused', async () => {
  const { ok, error } = await ask({ question: '  ' }, 'x')
  expect({ ok, error }).toEqual({ ok: false, error: 'TOOL_INPUT_INVALID' })
})
