/** The slash commands, one line each, and the way from a typed line to one of them. */
import { clear } from './clear.ts'
import { close } from './close.ts'
import type { Command, CommandContext } from './context.ts'
import { copy } from './copy.ts'
import { cost } from './cost.ts'
import { exit } from './exit.ts'
import { fork } from './fork.ts'
import { help } from './help.ts'
import { inbox } from './inbox.ts'
import { keys } from './keys.ts'
import { mode } from './mode.ts'
import { model } from './model.ts'
import { mouse } from './mouse.ts'
import { nearest } from './nearest.ts'
import { newSession } from './new.ts'
import { permissions } from './permissions.ts'
import { rename } from './rename.ts'
import { resume } from './resume.ts'
import { review } from './review.ts'
import { rewind } from './rewind.ts'
import { sessions } from './sessions.ts'
import { theme } from './theme.ts'
import { trust } from './trust.ts'

export type { Command, CommandContext, ModelChoice, NoticeLevel, SessionUsage, Themes } from './context.ts'

export const commands: readonly Command[] = [
  ...[inbox, permissions, review],
  ...[clear, close, copy, cost, exit, help, keys, mode, model],
  ...[mouse, newSession, rename, resume, sessions, theme, trust],
  ...[fork, rewind],
]

/**
 * Runs `line` when it is a slash command. `handled` is true for everything that looks like one, known or not: it must not
 * reach the model. A path such as `/usr/bin` is no command. `done` settles when the command has ended; it never rejects.
 */
export function runCommand(line: string, context: CommandContext): { handled: boolean; done: Promise<void> } {
  const found = /^\/([A-Za-z][\w:-]*)(?:\s+([\s\S]*))?$/.exec(line.trimEnd())
  if (found === null) {
    if (line.trim() !== '/') return { handled: false, done: Promise.resolve() }
    context.openOverlay('palette')
    return { handled: true, done: Promise.resolve() }
  }
  const name = (found[1] ?? '').toLowerCase()
  const command = context.commands.find((one) => one.name === name || one.aliases?.includes(name))
  if (command === undefined) {
    const alike = nearest(name, context.commands)
    const hint = alike.length === 0 ? 'Type / to see all commands.' : `Did you mean ${listed(alike)}?`
    context.notice(`There is no command /${name}. ${hint}`, 'warn')
    return { handled: true, done: Promise.resolve() }
  }
  return { handled: true, done: runSafely(command, (found[2] ?? '').trim(), context) }
}

async function runSafely(command: Command, args: string, context: CommandContext): Promise<void> {
  try {
    await command.run(args, context)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    context.notice(`/${command.name} failed: ${reason}`, 'warn')
  }
}

function listed(names: string[]): string {
  const slashed = names.map((name) => `/${name}`)
  const last = slashed.pop() ?? ''
  return slashed.length === 0 ? last : `${slashed.join(', ')} or ${last}`
}
