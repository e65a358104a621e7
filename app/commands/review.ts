/** /review: what was applied without the person's look. */
import type { Command } from './context.ts'

export const review: Command = {
  name: 'review',
  description: 'look at what was applied without you, and take it back',
  run(_args, context) {
    context.openOverlay('review')
  },
}
