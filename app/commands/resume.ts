/** /resume: goes on with a stored session, beside those that run. */
import type { Command, CommandContext, FolderUnsaid } from './context.ts'

export const resume: Command = {
  name: 'resume',
  description: 'go on with an earlier session: the list, or the one that the words fit',
  argumentHint: '[words or id]',
  async run(args, context) {
    const { words, answered } = args === '' ? { words: '', answered: 'unclear' as const } : await meant(args, context)
    if (answered === 'done') return
    if (context.sessions.listed === undefined) {
      const wanted = answered === 'unclear' ? words : answered.id
      context.openOverlay('resume', wanted === '' ? undefined : wanted)
    } else context.notice(answered === 'unclear' ? await context.sessions.listed(words) : asked(answered))
  },
}

type Answered = Awaited<ReturnType<CommandContext['sessions']['resume']>>

/** `here` or `there` behind words that fit one session answer in which folder it goes on; a title may end so itself. */
async function meant(args: string, { sessions }: CommandContext): Promise<{ words: string; answered: Answered }> {
  const [, words, where] = /^(\S.*?)\s+(here|there)$/s.exec(args) ?? []
  if (words === undefined) return { words: args, answered: await sessions.resume(args) }
  const whole = /^s_\S+$/.test(words) ? 'unclear' : await sessions.resume(args)
  if (whole !== 'unclear') return { words: args, answered: whole }
  return { words, answered: await sessions.resume(words, where === 'here' ? 'here' : 'there') }
}

function asked({ id, folder, gone }: FolderUnsaid): string {
  const here = `Go on in this folder: /resume ${id} here`
  return gone
    ? `Its folder is not there any more: ${folder}\n${here}`
    : `It works in another folder: ${folder}\nGo on there: /resume ${id} there\n${here}`
}
