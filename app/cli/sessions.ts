/** `sluice sessions`: lists, shows, searches, exports and tidies up what is stored, without opening the app. */
import type { Options } from './args.ts'
import { readSessionsWords, type SessionsAction, type SessionsWords, sessionsHelp } from './sessions-args.ts'
import { tellingProblems } from './system-problem.ts'

export async function runSessions(options: Options): Promise<void> {
  const words = readSessionsWords(options.rest, options)
  if (words.help) {
    process.stdout.write(sessionsHelp)
    return
  }
  await tellingProblems(failed[words.action], () => run(words))
}

/** How a sentence begins that says what the system did not let us do. */
const failed: Record<SessionsAction, string> = {
  list: 'The sessions could not be listed',
  search: 'The sessions could not be searched',
  show: 'The session could not be shown',
  export: 'The session could not be exported',
  delete: 'The session could not be moved to the trash',
  restore: 'The session could not be restored',
  gc: 'The sessions could not be tidied up',
  repair: 'The session could not be repaired',
  replay: 'The session could not be replayed',
}

async function run(words: SessionsWords): Promise<void> {
  switch (words.action) {
    case 'list':
    case 'search':
    case 'show': {
      const { listSessions, searchSessions, showSession } = await import('./sessions-list.ts')
      if (words.trash) return (await import('./sessions-trash.ts')).listTrash(words)
      return { list: listSessions, search: searchSessions, show: showSession }[words.action](words)
    }
    case 'export':
      return (await import('./sessions-export.ts')).exportSession(words)
    case 'replay':
      return (await import('./sessions-replay.ts')).replaySession(words)
    case 'restore':
      return (await import('./sessions-trash.ts')).restoreSessions(words)
    default: {
      const { changeSessions } = await import('./sessions-change.ts')
      return changeSessions(words.action, words)
    }
  }
}
