/** /copy: the last answer, or one of its code blocks, to the clipboard. */
import type { Command } from './context.ts'

export const copy: Command = {
  name: 'copy',
  description: 'copy the last answer, or its Nth code block',
  argumentHint: '[code|N]',
  async run(args, context) {
    const answer = context.lastAnswer()
    if (answer === null) {
      context.notice('There is no answer to copy yet.', 'warn')
      return
    }
    const text = args === '' ? answer : pick(answer, args)
    if (typeof text !== 'string') {
      context.notice(text.problem, 'warn')
      return
    }
    const result = await context.copy(text)
    context.notice(result.text, result.ok ? 'info' : 'warn')
  },
}

/** `code` is the last block, a number counts from the first. */
function pick(answer: string, which: string): string | { problem: string } {
  const blocks = codeBlocks(answer)
  if (blocks.length === 0) return { problem: 'The last answer has no code block.' }
  if (which === 'code') return blocks.at(-1) ?? ''
  const number = Number(which)
  if (!Number.isInteger(number)) return { problem: `"${which}" is no block; write /copy code or /copy 2.` }
  return (
    blocks[number - 1] ?? { problem: `The last answer has ${blocks.length} code block(s), so there is no ${which}.` }
  )
}

/** Contents of fenced blocks; a fence is closed by one that is at least as long. */
export function codeBlocks(markdown: string): string[] {
  const blocks: string[] = []
  let fence: string | null = null
  let lines: string[] = []
  for (const line of markdown.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line)
    if (fence === null) {
      if (mark !== null && !(mark[1]?.startsWith('`') && mark[2]?.includes('`'))) {
        fence = mark[1] ?? ''
        lines = []
      }
    } else if (mark?.[1]?.startsWith(fence) && mark[2]?.trim() === '') {
      blocks.push(lines.join('\n'))
      fence = null
    } else lines.push(line)
  }
  if (fence !== null) blocks.push(lines.join('\n'))
  return blocks
}
