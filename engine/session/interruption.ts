/** What the model is told of a call that has no result because its process died: what may have happened, and what is known. */
import { commandOf, howToStop } from './left-running.ts'
import type { OpenCall } from './open-call.ts'
import { countRedactions } from './redact.ts'
import type { ResumeOptions } from './resumed.ts'

export function interruption(one: OpenCall, { hashOf, stillRuns }: ResumeOptions): string {
  const { call, started, proposal, denied, leader } = one
  if (denied) {
    const words = denied.message?.trim()
    return `The person refused this call. Nothing was done.${words ? ` Their words: ${words}` : ''}`
  }
  if (!started) {
    const notAgain =
      countRedactions(call.input).size === 0
        ? ''
        : ' It was not asked about again, since secrets in it were kept out of the record: make the call anew if it is still wanted.'
    return `Interrupted: the session ended before this call ran. It had no effect.${notAgain}`
  }
  if (proposal?.kind === 'read') {
    return 'Interrupted: the session ended before this call had a result. It may or may not have run, and only reads: repeat it if you need it.'
  }
  const known = (proposal?.files ?? []).map(({ path, oldHash, newHash }) => {
    const now = hashOf?.(path)
    if (now === undefined) return ''
    if (now === newHash) return ` ${path} has the new content: the change was made.`
    if (now === oldHash) {
      return now === null
        ? ` ${path} does not exist: nothing was written.`
        : ` ${path} still has its old content: nothing was written.`
    }
    return ` ${path} ${now === null ? 'does not exist any more' : 'has neither the old nor the new content'}; look at it before you go on.`
  })
  const command = commandOf(call)
  const what = command === null ? 'It' : `The command ${command}`
  if (leader && stillRuns?.(leader))
    return `${lost} ${what} goes on without it: ${howToStop(leader)}. Look at what it has done before you run it again.${known.join('')}`
  return `${lost} ${what} may or may not have run${known.some((text) => text !== '') ? '.' : '; check before you repeat it.'}${known.join('')}`
}

const lost = 'Interrupted: the session ended before this call had a result.'
