/** /cost: tokens and money of this session. */
import type { Command } from './context.ts'

export const cost: Command = {
  name: 'cost',
  aliases: ['usage'],
  description: 'tokens and money of this session',
  run(_args, context) {
    const usage = context.usage()
    if (usage.replies === 0) {
      context.notice('No reply yet, so nothing was spent.')
      return
    }
    const cached = usage.cachedInputTokens > 0 ? ` (${grouped(usage.cachedInputTokens)} of them cached)` : ''
    const rows = [
      `${usage.replies} ${usage.replies === 1 ? 'reply' : 'replies'} by ${context.model()}`,
      `in    ${grouped(usage.inputTokens)} tokens${cached}`,
      `out   ${grouped(usage.outputTokens)} tokens`,
      usage.costUsd === null ? 'cost  unknown: no price is known for this model' : `cost  ${money(usage.costUsd)}`,
    ]
    if (usage.estimated) rows.push('The provider sent no figures for a part; those are estimates.')
    context.notice(rows.join('\n'))
  },
}

function grouped(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',')
}

function money(usd: number): string {
  return `$${usd < 0.01 && usd > 0 ? usd.toFixed(4) : usd.toFixed(2)}`
}
