/** /trust: asks again whether this folder is trusted. */
import type { Command } from './context.ts'

export const trust: Command = {
  name: 'trust',
  description: 'decide whether this folder may configure sluice',
  run(_args, context) {
    if (context.askTrust === undefined) context.notice('There is nobody to ask here.', 'warn')
    else if (!context.askTrust()) {
      context.notice('There is nothing to decide: this folder is trusted, or brings nothing along that needs it.')
    }
  },
}
