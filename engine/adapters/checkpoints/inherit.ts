/** What a fork keeps of the session that it was made from. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { shareBlobs } from './blobs.ts'
import { openEffects } from './effects-file.ts'

/** Gives a session what another one keeps of these turns and rewinds. */
export function copyCheckpoints(from: string, to: string, ids: ReadonlySet<string>): void {
  const source = join(from, 'effects.jsonl')
  if (!existsSync(source)) return
  const reader = openEffects(source)
  const inherited = reader.read().filter(({ turnId }) => ids.has(turnId))
  reader.close()
  if (inherited.length === 0) return
  shareBlobs(join(from, 'contents'), join(to, 'contents'))
  const target = openEffects(join(to, 'effects.jsonl'))
  for (const effects of inherited) {
    target.begin(effects)
    target.end(effects)
  }
  target.sync()
  target.close()
}
