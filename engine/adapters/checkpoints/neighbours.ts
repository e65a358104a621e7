/** What other sessions of this process do in a folder while a command runs there: it must not count as the command's. */

export type Window = {
  /** Another session ran a command meanwhile. */
  readonly overlapped: boolean
  /** Files that another session edited meanwhile. */
  readonly foreign: ReadonlySet<string>
  close(): void
}

type Open = { sessionId: string; writes: readonly string[] | null; overlapped: boolean; foreign: Set<string> }

const open = new Map<string, Set<Open>>()

/** `writes` null for a command. Both ends of the window are those of the call. */
export function openWindow(workspace: string, sessionId: string, writes: readonly string[] | null): Window {
  const here = open.get(workspace) ?? new Set<Open>()
  open.set(workspace, here)
  const own: Open = { sessionId, writes, overlapped: false, foreign: new Set() }
  for (const other of here) {
    if (other.sessionId === sessionId) continue
    meet(own, other)
    meet(other, own)
  }
  here.add(own)
  return {
    get overlapped() {
      return own.overlapped
    },
    foreign: own.foreign,
    close() {
      here.delete(own)
      if (here.size === 0) open.delete(workspace)
    },
  }
}

function meet(one: Open, { writes }: Open): void {
  if (one.writes !== null) return
  if (writes === null) one.overlapped = true
  else for (const path of writes) one.foreign.add(path)
}
