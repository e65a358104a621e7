/** `sessions replay`: plays a recorded session again, on the screen or as lines of JSON in its own time. */
import { recordsOf } from '../compose/session-index.ts'
import { loadConfig } from '../config.ts'
import { findPaths } from '../paths.ts'
import { type Step, timelineOf } from '../replay/timeline.ts'
import { openOutput } from './output.ts'
import type { SessionsWords } from './sessions-args.ts'
import { findSession } from './sessions-find.ts'
import { withIndex } from './sessions-list.ts'
import { recordsText } from './sessions-words.ts'
import { UsageError } from './usage-error.ts'

export async function replaySession({ rest, speed, json }: SessionsWords): Promise<void> {
  const screen = process.stdin.isTTY && process.stdout.isTTY
  if (!json && !screen) {
    throw new UsageError('A replay needs a terminal.', 'Without one, write: sluice sessions replay ID --json')
  }
  const paths = findPaths()
  const { config } = await loadConfig(paths.configFile)
  let id = ''
  await withIndex((index) => {
    id = findSession(index, rest.join(' ')).id
  })
  const { events, lost } = recordsOf(paths, id)
  const steps = timelineOf(events)
  if (json) await writeInTime(steps, speed)
  else await (await import('../replay/open-replay.tsx')).openReplay({ steps, speed, config, home: paths.home })
  if (lost > 0)
    process.stderr.write(`sluice: ${recordsText(lost, 'damaged')} of ${id} ${lost === 1 ? 'was' : 'were'} not shown.\n`)
}

/** Until whoever reads it is gone. */
async function writeInTime(steps: readonly Step[], speed: number): Promise<void> {
  let gone = false
  const output = openOutput(() => {
    gone = true
  })
  for (const { event, waitMs } of steps) {
    if (waitMs / speed >= 1) await new Promise((resolve) => setTimeout(resolve, waitMs / speed))
    if (gone) return
    await output.write(`${JSON.stringify(event)}\n`)
  }
}
