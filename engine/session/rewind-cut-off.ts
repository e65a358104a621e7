/** A rewind that the process did not live to finish: what it did is found out and recorded, so that it can be undone or done again. */
import type { PendingRewind } from '../ports/index.ts'
import type { Rewound, RewoundFile } from '../protocol/index.ts'
import type { RewindPorts } from './rewind.ts'
import { noteOutcome, restoreText, rewindCallId } from './rewind-apply.ts'
import { foldersChanged, goes, sameState } from './rewind-plan.ts'
import { shownPath } from './rewind-turns.ts'

/** The conversation stays as it is: the person reads what happened before anything else does. */
export async function finishRewind(ports: RewindPorts): Promise<void> {
  const { checkpoints, timeline } = ports
  const pending = checkpoints?.pending() ?? null
  if (checkpoints === undefined || pending === null) return
  const { id } = pending.rewound
  if (!timeline.knows(id)) {
    const { rewound, effects } = await cutOff(ports, pending)
    const known = (await checkpoints.effects()).some(({ turnId }) => turnId === id)
    if (effects.files.length > 0 && !known) checkpoints.record(effects)
    const planBefore = timeline.todo()
    ports.done(rewound, timeline.rewound(rewound, ports.history()), planBefore)
  }
  checkpoints.settled()
}

/** A file that is as it should have become was reached; each is written whole or not at all. */
async function cutOff(ports: RewindPorts, { rewound, effects, folders: before }: PendingRewind) {
  const { checkpoints, cwd, audit, digest } = ports
  const reached: boolean[] = []
  for (const { path, after } of effects.files) {
    const now = await checkpoints?.look(path)
    reached.push(now !== undefined && after !== null && sameState(now, after))
  }
  const last = reached.lastIndexOf(true)
  // The ledger may have a decision on the one after the last, and nothing of what came of it.
  const files = effects.files.slice(0, last + 2).map(({ path, after }, i): RewoundFile => {
    const shown = shownPath(path, cwd)
    if (!reached[i]) return { path: shown, how: 'failed', problem: 'sluice ended before it was reached' }
    return { path: shown, how: after !== null && goes(after) ? 'deleted' : 'written' }
  })
  const at = effects.files[last]
  if (at?.after) {
    noteOutcome(audit, rewindCallId(rewound.id, last), digest.sha256(restoreText(at.path, at.before, at.after)), 0)
  }
  const { undoes: _, ...begun } = rewound
  const found: Rewound = {
    ...begun,
    ...{ files, conversation: false, turns: 0, cutOff: reached.filter((one) => !one).length },
  }
  const after = (await checkpoints?.foldersThere(Object.keys(before))) ?? {}
  const done = effects.files.filter((_file, i) => reached[i])
  return { rewound: found, effects: { ...effects, files: done, folders: foldersChanged(before, after) } }
}
