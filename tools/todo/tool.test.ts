import { afterEach, expect, test } from 'vitest'
import { callTool, type ToolTestContext, toolContext } from '../../fixtures/tool-context.ts'
import { todoTool } from './tool.ts'

let made: ToolTestContext | undefined

async function write(items: unknown) {
  made = await toolContext()
  return { ...(await callTool(todoTool, { items }, made.context)), todos: made.todos }
}

afterEach(async () => {
  await made?.cleanup()
})

test('the plan replaces the one before, in its order, and the model gets the ids back', async () => {
  const items = [
    { id: 'a', text: 'reproduce the failure', status: 'done' },
    { id: 'b', text: ' find the rounding ', status: 'done' },
    { text: 'round once, at the end', status: 'in_progress' },
    { text: 'run the tests', status: 'pending' },
  ]
  const plan = [
    { id: 'a', text: 'reproduce the failure', status: 'done' },
    { id: 'b', text: 'find the rounding', status: 'done' },
    { id: '1', text: 'round once, at the end', status: 'in_progress' },
    { id: '2', text: 'run the tests', status: 'pending' },
  ]
  const { todos, prepared, ...outcome } = await write(items)
  expect(todos).toEqual([plan])
  expect(outcome).toEqual({
    ok: true,
    summary: '2 of 4 done',
    content: [
      'The plan is now: 2 of 4 done.',
      '- [done] reproduce the failure (id a)',
      '- [done] find the rounding (id b)',
      '- [in_progress] round once, at the end (id 1)',
      '- [pending] run the tests (id 2)',
    ].join('\n'),
    metadata: { items: 4 },
    blocks: [{ type: 'todo', items: plan }],
    applied: prepared?.fingerprint,
  })
  expect({ needs: prepared?.needs, title: prepared?.title, blocks: prepared?.blocks }).toEqual({
    needs: [],
    title: '2 of 4 done',
    blocks: [{ type: 'todo', items: plan }],
  })
})

test.each([
  [
    'ids that occur twice or are taken',
    [
      ['1', 'a'],
      ['1', 'b'],
      [undefined, 'c'],
      ['2', 'd'],
    ],
    ['1', '3', '4', '2'],
  ],
  [
    'empty ids',
    [
      ['', 'a'],
      ['x', 'b'],
    ],
    ['1', 'x'],
  ],
] as const)('%s are made unique', async (_what, given, ids) => {
  const { todos } = await write(given.map(([id, text]) => ({ id, text, status: 'pending' })))
  expect(todos[0]?.map((item) => item.id)).toEqual(ids)
})

test('dropped items no longer count', async () => {
  const { summary } = await write([
    { text: 'a', status: 'done' },
    { text: 'b', status: 'dropped' },
    { text: 'c', status: 'pending' },
  ])
  expect(summary).toBe('1 of 2 done')
})

test('an empty list clears the plan', async () => {
  const { todos, summary } = await write([])
  expect({ todos, summary }).toEqual({ todos: [[]], summary: 'no open steps' })
})

test('a status that does not exist is named', async () => {
  const { ok, error, content, todos } = await write([{ text: 'a', status: 'finished' }])
  expect({ ok, error, todos }).toEqual({ ok: false, error: 'TOOL_INPUT_INVALID', todos: [] })
  expect(content).toContain('status')
})
