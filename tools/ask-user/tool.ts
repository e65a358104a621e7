/** The tool `ask_user`: a question that only the person can answer. */
import { defineTool, type Prepared } from '@sluice/engine/ports'
import type { Block } from '@sluice/engine/protocol'
import { z } from 'zod/v3'
import { zodInput } from '../shared/json-schema.ts'

export const askUserTool = defineTool<Input, Question>({
  name: 'ask_user',
  kind: 'ask',
  description: [
    'Asks the person one question and waits for the answer.',
    'Use it only when the answer changes what you do next and cannot be found in the workspace.',
    'Offer two to five short options where you can; the person may always answer in their own words.',
  ].join('\n'),
  input: zodInput(
    z.object({
      question: z.string().trim().min(1).describe('One question, complete in itself.'),
      options: z.array(z.string()).max(9).optional().describe('Short answers to choose from, the likeliest first.'),
    }),
  ),
  timeoutMs: 0,
  maxResultTokens: 4_000,
  prepare: async ({ question, options }): Promise<Prepared<Question>> => {
    const choices = [...new Set((options ?? []).map((option) => option.trim()).filter((option) => option !== ''))]
    const plan: Question = choices.length === 0 ? { text: question } : { text: question, options: choices }
    return {
      title: question.split('\n')[0] ?? '',
      needs: [],
      blocks: [questionBlock(plan)],
      plan,
      fingerprint: fingerprintOf(plan),
      question: plan,
    }
  },
  run: async (plan, { answer }) => {
    if (answer === undefined) {
      return {
        ok: false,
        summary: 'nobody could answer',
        content:
          'Nobody is there to answer this question. Go on with the most cautious choice and say in your answer which ' +
          'assumption you made, or stop and say what you need to know.',
        blocks: [questionBlock(plan)],
        error: 'TOOL_EXECUTION_FAILED',
      }
    }
    const said = answer.trim()
    return {
      ok: true,
      summary: said === '' ? 'answered with nothing' : `answered: ${said.split('\n')[0]}`,
      content: said === '' ? 'The person sent an empty answer: they leave it to you.' : `The person answered:\n${said}`,
      metadata: { answer: said },
      blocks: [questionBlock(plan, said)],
      applied: fingerprintOf(plan),
    }
  },
})

type Input = { question: string; options?: string[] }
type Question = { text: string; options?: string[] }

function questionBlock({ text, options }: Question, answer?: string): Block {
  const block: Extract<Block, { type: 'question' }> = { type: 'question', question: text }
  if (options) block.options = options
  if (answer !== undefined) block.answer = answer
  return block
}

function fingerprintOf({ text, options }: Question): string {
  return ['ask_user', text, ...(options ?? [])].join('\n')
}
