/** Checkpoints on disk: earlier contents below the session's folder, effects of commands by snapshots of a shadow repository. */
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { CallEffects, Checkpoints, Clock, FileEffect, WatchedCall } from '../../ports/index.ts'
import { sameState } from '../../session/rewind-plan.ts'
import { diskState, type OnProblem } from '../disk-report.ts'
import { insideGitFolder } from './beneath.ts'
import { openBlobs } from './blobs.ts'
import { type EffectsFile, openEffects } from './effects-file.ts'
import { ledAway, readRegular, stateOf } from './file-state.ts'
import { foldersThere, missingFolders, restoreFolders } from './folders.ts'
import { diskGaps, looseGaps, notKept, slow, tooMany } from './gaps.ts'
import { findGit, GitFailure, gitFolders } from './git.ts'
import { headsMoved, readHeads } from './heads.ts'
import { createInspection, mostCountingMs } from './inspection.ts'
import { looseChanges } from './loose.ts'
import { lookAtNamed, namedChanges } from './named-outside.ts'
import { openWindow, type Window } from './neighbours.ts'
import { findObstacles } from './obstacles.ts'
import { openPendingRewind } from './pending-rewind.ts'
import { createProblems, textOf } from './problems.ts'
import { restoreFile } from './restore.ts'
import { openShadow, type Shadow, type Snapshot } from './shadow.ts'

export { copyCheckpoints } from './inherit.ts'

export type CheckpointOptions = {
  /** Canonical. */
  workspace: string
  /** `sessions/ID/checkpoints`. */
  folder: string
  /** sluice's folder for state: repositories are made in it, and it is never part of a snapshot. */
  stateFolder: string
  sessionId: string
  clock: Clock
  /** Told once for each reason why something cannot be undone later. */
  onProblem: OnProblem
  /** Folders to look for git in, as in PATH; default: those of the system, then those of PATH. */
  path?: string
  /** How long a call may have to wait before it runs, and what nobody waits for may take. */
  budgetMs?: Budget
}

/** `first` instead of `wait` until the folder was read once. */
type Budget = { wait: number; first?: number; work: number }

const defaultBudget: Budget = { wait: 3_000, first: 25_000, work: 60_000 }

export function createCheckpoints(options: CheckpointOptions): Checkpoints {
  const { workspace, folder, clock } = options
  const budget = options.budgetMs ?? defaultBudget
  const blobs = openBlobs(join(folder, 'contents'))
  const pendingRewind = openPendingRewind(join(folder, 'rewinding.json'))
  const { tell, tellGap, tellFailure } = createProblems(options.stateFolder, options.onProblem)
  const tellNotKept = (file?: { hash: string }) => {
    const refusal = file && blobs.refusal(file.hash)
    if (refusal === undefined) tell(notKept)
    else tellFailure('A change is not kept for a rewind', refusal)
  }
  const inspect = createInspection({ workspace, blobs, clock, shadow: () => shadow, notKept: tellNotKept })
  let file: EffectsFile | undefined
  /** Work with the repository, one after the other. */
  let tail: Promise<void> = Promise.resolve()
  /** Until it is known what the calls did that have ended: what follows them waits for that, but not for a folder that is read. */
  let ends: Promise<unknown> = Promise.resolve()
  let shadow: Shadow | undefined
  let missing: string | null | undefined
  let warmed = false
  /** A call has waited long enough for what is still going on; the next ones do not wait for it again. */
  let behind = false
  /** The folder was read once. */
  let ready = false
  /** Calls that have ended, and whose effects are not known yet. */
  let ending = 0
  const running = new Set<AbortController>()

  const effectsFile = () => {
    file ??= openEffects(join(folder, 'effects.jsonl'))
    return file
  }
  const written = (problem: string | undefined) => {
    if (problem !== undefined) tellFailure('What is changed from now on cannot be undone by a rewind', problem)
  }
  const safely = <T>(work: Promise<T>): Promise<T | null> =>
    work.catch((error: unknown) => {
      tellFailure('A change is not kept for a rewind', error)
      return null
    })
  const queue = <T>(work: () => Promise<T>): Promise<T | null> => {
    const done = safely(tail.then(work))
    tail = done.then(() => undefined)
    return done
  }
  /** What `work` gives, or null when the call has waited long enough, or is not wanted any more. */
  const within = <T>(work: Promise<T>, signal: AbortSignal, most = budget.wait): Promise<T | null> =>
    new Promise((resolve) => {
      const giveUp = () => done(null)
      const cancel = clock.after(most, giveUp)
      signal.addEventListener('abort', giveUp, { once: true })
      const done = (value: T | null) => {
        cancel()
        signal.removeEventListener('abort', giveUp)
        resolve(value)
      }
      work.then(done, giveUp)
    })

  /** Null when commands can be watched; else why not. */
  function unavailable(): string | null {
    if (missing !== undefined) return missing
    const program = findGit(options.path ?? gitFolders(process.env.PATH), workspace)
    if (workspace === homedir() || dirname(workspace) === workspace) {
      missing = `What commands change is not kept: ${workspace} is too wide to be watched.`
    } else if (insideGitFolder(workspace)) {
      missing = `What commands change is not kept: ${workspace} belongs to git itself, and a rewind never touches that.`
    } else if (program === undefined) {
      missing = 'What commands change is not kept for a rewind: git is not installed. Edits are.'
    } else {
      missing = null
      const { stateFolder, sessionId } = options
      const place = { program, workspace, folder: join(stateFolder, 'checkpoints'), own: [stateFolder], sessionId }
      shadow = openShadow(place)
    }
    return missing
  }

  /** A string says why there is none. A folder that takes too long is not tried again. */
  async function snapshot(since?: Snapshot, low?: boolean): Promise<Snapshot | string> {
    const reason = unavailable()
    if (reason !== null || shadow === undefined) return reason ?? ''
    try {
      const taken = await limited((signal) => (shadow as Shadow).snapshot(signal, since, low))
      ready = true
      return taken
    } catch (error) {
      const disk = diskState(textOf(error))
      if (disk !== null) return diskGaps[disk]
      const text = `What commands change is not kept for a rewind here: ${textOf(error)}. Edits are.`
      if (error instanceof GitFailure && error.aborted) missing = text
      return text
    }
  }

  async function limited<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const own = new AbortController()
    running.add(own)
    const cancel = clock.after(budget.work, () => own.abort())
    try {
      return await work(own.signal)
    } finally {
      cancel()
      running.delete(own)
    }
  }

  async function beginFiles(call: WatchedCall, paths: readonly string[]): Promise<{ end(): void }> {
    const files: FileEffect[] = []
    for (const path of new Set(paths)) {
      const before = await stateOf(path, blobs)
      if (before.kind === 'file' && !before.kept) tellNotKept(before)
      files.push({ path, before, after: null, ...noCounts })
    }
    const missing = missingFolders(paths)
    const effects = begun(call, files)
    written(effectsFile().begin(effects))
    const window = openWindow(workspace, options.sessionId, paths)
    return {
      end: () =>
        ended(
          async () => {
            const changed: FileEffect[] = []
            const until = clock.monotonic() + mostCountingMs
            for (const one of files) {
              const now = await stateOf(one.path, blobs)
              if (sameState(one.before, now)) continue
              changed.push({ ...one, after: now, ...(await inspect.counts(one.before, now, until)) })
            }
            const made = missing.filter((path) => existsSync(path))
            const folders = made.length > 0 ? { folders: { made, gone: [] } } : {}
            written(effectsFile().end({ ...effects, files: changed, ...folders }))
          },
          window,
          false,
        ),
    }
  }

  /** What the snapshot before a command is, or why there is none. */
  async function taken(call: WatchedCall): Promise<Snapshot | string> {
    if (behind) return slow
    const told = call.waiting && clock.after(mostUnsaid, () => call.waiting?.(waitingFor))
    // Not the ends that come later: they wait for this.
    const before = ends
    const most = ready ? budget.wait : (budget.first ?? budget.wait)
    const found = await within(
      queue(() => before.then(() => snapshot())),
      call.signal,
      most,
    )
    told?.()
    return found ?? slow
  }

  async function beginAnything(call: WatchedCall): Promise<{ end(): void }> {
    warmed = true
    const window = openWindow(workspace, options.sessionId, null)
    const before = await taken(call)
    if (before === slow && call.signal.aborted) {
      window.close()
      return { end: () => undefined }
    }
    if (before === slow) {
      behind = true
      void tail.then(() => {
        behind = false
      })
      // A folder that is read for the first time may be ready for the next command.
      tell(`What this command changes is not kept for a rewind: ${tooSlow}.`, `slow ${call.turnId}`)
    } else if (typeof before === 'string') tellGap(before)
    const heads = readHeads(workspace)
    const named = await lookAtNamed(call.needs ?? [], workspace, blobs)
    const effects = begun(call, [])
    const gaps = typeof before === 'string' ? [before] : []
    written(effectsFile().begin({ ...effects, gaps }))
    return {
      end: () =>
        ended(
          async () => {
            const found = typeof before === 'string' ? { files: [], gaps } : await afterwards(before, window)
            const outside = await namedChanges(named, blobs)
            const more: FileEffect[] = []
            const until = clock.monotonic() + mostCountingMs
            for (const one of outside.files)
              more.push({ ...one, ...(await inspect.counts(one.before, one.after, until)) })
            const moved = headsMoved(heads, readHeads(workspace))
            // Of one that was made nothing is lost.
            if (heads !== null) for (const text of moved) tell(`${text}.`, 'heads')
            const all = [...found.gaps, ...outside.gaps, ...moved]
            written(effectsFile().end({ ...effects, ...found, files: [...found.files, ...more], gaps: all }))
          },
          window,
          true,
        ),
    }
  }

  /** The person may have interrupted the command; what it did until then counts. */
  async function afterwards(
    before: Snapshot,
    window: Window,
  ): Promise<Pick<CallEffects, 'files' | 'gaps' | 'folders'>> {
    const now = await snapshot(before)
    if (typeof now === 'string') {
      tellGap(now)
      return { files: [], gaps: [now] }
    }
    const found = await limited((signal) => inspect.between(before, now, signal))
    const files = found.files.filter(({ path }) => !window.foreign.has(path))
    const folders = await limited((signal) => inspect.folders(before, now, files, signal))
    const gaps = [...(await leftOut(before, now, files, found.renamed)), ...found.gaps]
    if (files.length < found.files.length) gaps.push('files that another session edited while this command ran')
    if (window.overlapped) gaps.push('which of two commands that ran at once, in two sessions, changed what')
    return { files, gaps, ...(folders.made.length + folders.gone.length > 0 ? { folders } : {}) }
  }

  /** What is in no snapshot is known by its size and time. */
  async function leftOut(
    before: Snapshot,
    now: Snapshot,
    files: readonly FileEffect[],
    renamed: ReadonlySet<string>,
  ): Promise<string[]> {
    const kept = new Set(files.map(({ path }) => path))
    const all = await looseChanges(workspace, before.loose, now.loose)
    const changes = all.filter(({ path }) => !kept.has(join(workspace, ...path.split('/'))) && !renamed.has(path))
    // Tools make and change such files all the time; one that is gone may be missed.
    for (const text of looseGaps(changes.filter(({ how }) => how === 'deleted'))) {
      tell(`A rewind cannot bring this back: ${text}.`, `deleted ${text.replace(/\(.*|\d+/g, '')}`)
    }
    return [...looseGaps(changes), ...(before.loose.whole ? [] : [tooMany])]
  }

  /** What has to be found out when a call has ended, in its turn; `reading` with the repository. */
  function ended(work: () => Promise<void>, window: Window, reading: boolean): void {
    ending++
    const done = (reading ? queue(work) : safely(ends.then(work))).finally(() => {
      ending--
      window.close()
    })
    ends = Promise.all([ends, done])
  }

  const begun = ({ turnId, callId, tool }: WatchedCall, files: FileEffect[]): CallEffects => ({
    ...{ turnId, callId, tool, time: clock.timestamp(), files, gaps: [] },
  })

  return {
    expect() {
      if (warmed || unavailable() !== null) return
      warmed = true
      void queue(() => snapshot(undefined, true))
    },
    async begin(call) {
      try {
        if (call.writes === null) return await beginAnything(call)
        if (!behind) await within(ends, call.signal)
        return await beginFiles(call, call.writes)
      } catch (error) {
        tellFailure('A change is not kept for a rewind', error)
        return { end: () => undefined }
      }
    },
    async effects() {
      await ends
      return file === undefined && !existsSync(join(folder, 'effects.jsonl')) ? [] : effectsFile().read()
    },
    record(effects) {
      written(effectsFile().begin(effects))
      written(effectsFile().end(effects))
      effectsFile().sync()
    },
    intend: (rewind) => pendingRewind.write(rewind),
    pending: () => pendingRewind.read(),
    settled: () => pendingRewind.remove(),
    look: async (path, keep = false) =>
      (await ledAway(path)) ? { kind: 'absent' } : stateOf(path, keep ? blobs : undefined, keep),
    content: (hash) => blobs.read(hash),
    bytes: readRegular,
    restore: (path, from, to, undone) => restoreFile({ path, from, to, undone, workspace }, blobs),
    obstacles: (plans) => findObstacles(plans, blobs),
    restoreFolders,
    foldersThere,
    unavailable,
    async close() {
      const stop = () => {
        for (const one of running) one.abort()
      }
      // What the last command did is worth a moment; a folder that was read for nothing is not.
      if (ending === 0) stop()
      const cancel = clock.after(budget.wait, stop)
      await Promise.all([ends, tail])
      cancel()
      shadow?.close()
      file?.close()
    },
  }
}

/** A wait that is longer is told to the person. */
const mostUnsaid = 700
const waitingFor = 'the files of this folder are kept first, so that a rewind can bring them back …'
const tooSlow = 'looking at all files takes too long'
const noCounts = { additions: 0, deletions: 0 }
