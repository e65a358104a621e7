/** Tells a person who looks elsewhere that the agent wants them. The words are ours alone: terminals act on such text. */

export type NotifyMethod = 'auto' | 'osc9' | 'osc777' | 'bell' | 'off'
export type NotifyEvent = 'needs-you' | 'done' | 'failed'

/** What to write to the terminal for `event`; '' for nothing. */
export function notification(event: NotifyEvent, method: NotifyMethod, env: NodeJS.ProcessEnv): string {
  const text = words[event]
  switch (method === 'auto' ? bestMethod(env) : method) {
    case 'osc9':
      return wrap(`\x1b]9;sluice: ${text}\x07`, env)
    case 'osc777':
      return wrap(`\x1b]777;notify;sluice;${text}\x07`, env)
    case 'bell':
      return '\x07'
    default:
      return ''
  }
}

/** The best way that the terminal is known to understand. */
export function bestMethod(env: NodeJS.ProcessEnv): 'osc9' | 'osc777' | 'bell' {
  const program = env.TERM_PROGRAM ?? ''
  const term = env.TERM ?? ''
  if (/^(iTerm\.app|WezTerm|ghostty|WarpTerminal)$/.test(program) || /^(xterm-)?(kitty|ghostty)/.test(term))
    return 'osc9'
  if (/^(foot|rxvt)/.test(term) || env.VTE_VERSION) return 'osc777'
  return 'bell'
}

/** Inside tmux a sequence reaches the terminal only when it is passed through. */
function wrap(sequence: string, env: NodeJS.ProcessEnv): string {
  return env.TMUX ? `\x1bPtmux;${sequence.replaceAll('\x1b', '\x1b\x1b')}\x1b\\` : sequence
}

const words: Record<NotifyEvent, string> = {
  'needs-you': 'a question waits for you',
  done: 'the turn is done',
  failed: 'the turn ended with an error',
}
