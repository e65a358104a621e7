/** /resume: goes on with a stored session, beside those that run. */
import type { Command, CommandContext, FolderUnsaid } from './context.ts'

export const resume: Command = {
  name: 'resume',
  description: 'go on with an earlier session: the list, or the one that the words fit',
  argumentHint: '[words or id]',
  async run(args, context) {
    const answered = args === '' ? 'unclear' : await meant(args, context)
    if (answered === 'done') return
    if (context.sessions.listed === undefined) {
      const words = answered === 'unclear' ? args : answered.id
      context.openOverlay('resume', words === '' ? undefined : words)
    } else context.notice(answered === 'unclear' ? await context.sessions.listed(args) : asked(answered))
  },
}

/** `ID here` and `ID there` answer in which folder it goes on, where no list can ask. */
function meant(args: string, { sessions }: CommandContext): ReturnType<CommandContext['sessions']['resume']> {
  const [, id, where] = /^(s_\S+)\s+(here|there)$/.exec(args) ?? []
  if (id === undefined) return sessions.resume(args)
  return sessions.resume(id, where === 'here' ? 'here' : 'there')
}

function asked({ id, folder, gone }: FolderUnsaid): string {
  const here = `Go on in this folder: /resume ${id} here`
  return gone
    ? `Its folder is not there any more: ${folder}\n${here}`
    : `It works in another folder: ${folder}\nGo on there: /resume ${id} there\n${here}`
}
