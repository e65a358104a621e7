/** `sluice sessions`: lists, shows, searches, exports and tidies up what is stored, without opening the app. */
import type { Options } from './args.ts'
import { readSessionsWords, sessionsHelp } from './sessions-args.ts'

export async function runSessions(options: Options): Promise<void> {
  const words = readSessionsWords(options.rest, options)
  if (words.help) {
    process.stdout.write(sessionsHelp)
    return
  }
  switch (words.action) {
    case 'list':
    case 'search':
    case 'show': {
      const { listSessions, searchSessions, showSession } = await import('./sessions-list.ts')
      return { list: listSessions, search: searchSessions, show: showSession }[words.action](words)
    }
    case 'export':
      return (await import('./sessions-export.ts')).exportSession(words)
    case 'replay':
      return (await import('./sessions-replay.ts')).replaySession(words)
    default: {
      const { changeSessions } = await import('./sessions-change.ts')
      return changeSessions(words.action, words)
    }
  }
}
