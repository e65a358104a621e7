/** The tool `todo_write`: replaces the plan that the person sees beside the conversation. */
import { defineTool, type Prepared } from '@sluice/engine/ports'
import type { TodoItem } from '@sluice/engine/protocol'
import { z } from 'zod/v3'
import { zodInput } from '../shared/json-schema.ts'

export const todoTool = defineTool<Input, TodoItem[]>({
  name: 'todo_write',
  kind: 'read',
  description: [
    'Replaces the whole plan of this session, which the person sees all the time.',
    'Use it for work of three steps or more: write the steps first, mark one in_progress when you begin it and done when it is.',
    'Always send every item, with the ids that you were given, in the order in which they should be shown.',
  ].join('\n'),
  input: zodInput(
    z.object({
      items: z
        .array(
          z.object({
            id: z.string().optional().describe('Keeps its item across updates; made up when it is absent.'),
            text: z.string().describe('One step, in a few words.'),
            status: z.enum(['pending', 'in_progress', 'done', 'dropped']),
          }),
        )
        .max(100)
        .describe('The whole plan; an empty list clears it.'),
    }),
  ),
  timeoutMs: 5_000,
  maxResultTokens: 4_000,
  prepare: async ({ items }): Promise<Prepared<TodoItem[]>> => {
    const plan = withIds(items.filter((item) => item.text.trim() !== ''))
    return {
      title: progress(plan),
      needs: [],
      blocks: [{ type: 'todo', items: plan }],
      plan,
      fingerprint: `todo_write\n${JSON.stringify(plan)}`,
    }
  },
  run: async (plan, context) => {
    context.setTodo(plan)
    return {
      ok: true,
      summary: progress(plan),
      content: [`The plan is now: ${progress(plan)}.`, ...plan.map(listed)].join('\n'),
      metadata: { items: plan.length },
      blocks: [{ type: 'todo', items: plan }],
      applied: `todo_write\n${JSON.stringify(plan)}`,
    }
  },
})

type Input = { items: { id?: string; text: string; status: TodoItem['status'] }[] }

/** Given ids stay when they are unique; the others become the first free of `1`, `2`, …. */
function withIds(items: Input['items']): TodoItem[] {
  const taken = new Set<string>()
  const own = items.map(({ id }) => {
    if (id === undefined || id === '' || taken.has(id)) return undefined
    taken.add(id)
    return id
  })
  let next = 1
  return items.map(({ text, status }, at) => {
    let id = own[at]
    while (id === undefined) {
      const free = String(next++)
      if (!taken.has(free)) id = free
    }
    return { id, text: text.trim(), status }
  })
}

/** `2 of 4 done`; dropped items no longer count. */
function progress(items: readonly TodoItem[]): string {
  const counted = items.filter((item) => item.status !== 'dropped')
  if (counted.length === 0) return 'no open steps'
  return `${counted.filter((item) => item.status === 'done').length} of ${counted.length} done`
}

function listed({ id, text, status }: TodoItem): string {
  return `- [${status}] ${text} (id ${id})`
}
