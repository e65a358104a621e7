/** Which process works on a stored session, in words for a person. */
import { hostname } from 'node:os'
import { join } from 'node:path'
import { liveHolder } from '@sluice/engine/adapters/session-lock'

/** ` (process 4711)`, with the machine where that is another one; '' when nobody works on it. */
export function whereLive(sessionsDir: string, id: string): string {
  const holder = liveHolder(join(sessionsDir, id))
  if (holder === null) return ''
  return holder.host === hostname() ? ` (process ${holder.pid})` : ` (process ${holder.pid} on ${holder.host})`
}
