/** Checkpoints on disk: earlier contents below the session's folder, effects of commands by snapshots of a shadow repository. */
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { CallEffects, Checkpoints, Clock, FileEffect, WatchedCall } from '../../ports/index.ts'
import { sameState } from '../../session/rewind-plan.ts'
import { openBlobs } from './blobs.ts'
import { type EffectsFile, openEffects } from './effects-file.ts'
import { readRegular, stateOf } from './file-state.ts'
import { findGit, GitFailure, gitFolders } from './git.ts'
import { createInspection, mostCountingMs } from './inspection.ts'
import { openWindow, type Window } from './neighbours.ts'
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
  onProblem(text: string): void
  /** Folders to look for git in, as in PATH; default: those of the system, then those of PATH. */
  path?: string
  /** How long a call may have to wait before it runs, and what nobody waits for may take. */
  budgetMs?: { wait: number; work: number }
}

const defaultBudget = { wait: 3_000, work: 20_000 }

export function createCheckpoints(options: CheckpointOptions): Checkpoints {
  const { workspace, folder, clock } = options
  const budget = options.budgetMs ?? defaultBudget
  const blobs = openBlobs(join(folder, 'contents'))
  const told = new Set<string>()
  const inspect = createInspection({ workspace, blobs, clock, shadow: () => shadow, notKept: () => tell(notKept) })
  let file: EffectsFile | undefined
  /** Done one after the other: what follows a command waits until it is known what that did. */
  let tail: Promise<void> = Promise.resolve()
  let shadow: Shadow | undefined
  let missing: string | null | undefined
  let warmed = false
  /** A call has waited long enough for what is still going on; the next ones do not wait for it again. */
  let behind = false
  const running = new Set<AbortController>()

  const tell = (text: string) => {
    if (told.has(text)) return
    told.add(text)
    options.onProblem(text)
  }
  const effectsFile = () => {
    file ??= openEffects(join(folder, 'effects.jsonl'))
    return file
  }
  const written = (problem: string | undefined) => {
    if (problem !== undefined) tell(`What is changed from now on cannot be undone by a rewind: ${problem}`)
  }
  const queue = <T>(work: () => Promise<T>): Promise<T | null> => {
    const done = tail.then(work).catch((error: unknown) => {
      tell(`A change is not kept for a rewind: ${textOf(error)}`)
      return null
    })
    tail = done.then(() => undefined)
    return done
  }
  /** What `work` gives, or null when the call has waited long enough, or is not wanted any more. */
  const within = <T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> =>
    new Promise((resolve) => {
      const giveUp = () => done(null)
      const cancel = clock.after(budget.wait, giveUp)
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
  async function snapshot(since?: Snapshot): Promise<Snapshot | string> {
    const reason = unavailable()
    if (reason !== null || shadow === undefined) return reason ?? ''
    try {
      return await limited((signal) => (shadow as Shadow).snapshot(signal, since))
    } catch (error) {
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
      if (before.kind === 'file' && !before.kept) tell(notKept)
      files.push({ path, before, after: null, additions: 0, deletions: 0 })
    }
    const effects = begun(call, files)
    written(effectsFile().begin(effects))
    const window = openWindow(workspace, options.sessionId, paths)
    return {
      end: () =>
        void queue(async () => {
          const changed: FileEffect[] = []
          const until = clock.monotonic() + mostCountingMs
          for (const one of files) {
            const now = await stateOf(one.path, blobs)
            if (sameState(one.before, now)) continue
            changed.push({ ...one, after: now, ...(await inspect.counts(one.before, now, until)) })
          }
          written(effectsFile().end({ ...effects, files: changed }))
        }).finally(window.close),
    }
  }

  async function beginAnything(call: WatchedCall): Promise<{ end(): void }> {
    warmed = true
    const window = openWindow(workspace, options.sessionId, null)
    const taken = behind
      ? slow
      : ((await within(
          queue(() => snapshot()),
          call.signal,
        )) ?? slow)
    if (taken === slow && call.signal.aborted) {
      window.close()
      return { end: () => undefined }
    }
    if (taken === slow) {
      behind = true
      void tail.then(() => {
        behind = false
      })
    }
    // A folder that is read for the first time may be ready for the next command.
    if (typeof taken === 'string' && taken !== slow) tell(taken)
    const effects = begun(call, [])
    const gaps = typeof taken === 'string' ? [taken] : gapsOf(taken)
    written(effectsFile().begin({ ...effects, gaps }))
    return {
      end: () =>
        void queue(async () => {
          const found = typeof taken === 'string' ? { files: [], gaps } : await afterwards(taken, window)
          written(effectsFile().end({ ...effects, ...found }))
        }).finally(window.close),
    }
  }

  /** The person may have interrupted the command; what it did until then counts. */
  async function afterwards(before: Snapshot, window: Window): Promise<Pick<CallEffects, 'files' | 'gaps'>> {
    const now = await snapshot(before)
    if (typeof now === 'string') return { files: [], gaps: [now] }
    const found = await limited((signal) => inspect.between(before, now, signal))
    const files = found.files.filter(({ path }) => !window.foreign.has(path))
    const gaps = [...gapsOf(now), ...found.gaps]
    if (files.length < found.files.length) gaps.push('files that another session edited while this command ran')
    if (window.overlapped) gaps.push('which of two commands that ran at once, in two sessions, changed what')
    return { files, gaps }
  }

  const begun = ({ turnId, callId, tool }: WatchedCall, files: FileEffect[]): CallEffects => ({
    ...{ turnId, callId, tool, time: clock.timestamp(), files, gaps: [] },
  })

  return {
    expect() {
      if (warmed || unavailable() !== null) return
      warmed = true
      void queue(() => snapshot())
    },
    async begin(call) {
      try {
        if (call.writes === null) return await beginAnything(call)
        if (!behind) await within(tail, call.signal)
        return await beginFiles(call, call.writes)
      } catch (error) {
        tell(`A change is not kept for a rewind: ${textOf(error)}`)
        return { end: () => undefined }
      }
    },
    async effects() {
      await tail
      return file === undefined && !existsSync(join(folder, 'effects.jsonl')) ? [] : effectsFile().read()
    },
    record(effects) {
      written(effectsFile().begin(effects))
      written(effectsFile().end(effects))
      effectsFile().sync()
    },
    look: (path, keep = false) => stateOf(path, keep ? blobs : undefined, keep),
    content: (hash) => blobs.read(hash),
    bytes: readRegular,
    restore: (path, from, to, since) => restoreFile({ path, from, to, since, workspace }, blobs),
    unavailable,
    async close() {
      // What the last command did is worth a moment.
      const cancel = clock.after(budget.wait, () => {
        for (const one of running) one.abort()
      })
      await tail
      cancel()
      shadow?.close()
      file?.close()
    },
  }
}

const slow = 'looking at all files took too long, so that what this command changed is not kept'
const notKept = 'Some earlier contents are too large to be kept, so that a rewind cannot bring them back.'

function gapsOf({ large, nested }: Snapshot): string[] {
  const gaps: string[] = []
  if (large.size > 0) gaps.push(`${listed(large, 'file')} over 5 MB or not readable`)
  if (nested.size > 0) gaps.push(`what is in ${listed(nested, 'repository of its own', 'repositories of their own')}`)
  return gaps
}

function listed(names: ReadonlySet<string>, one: string, many = `${one}s`): string {
  const first = [...names].slice(0, 2).join(', ')
  return `${names.size} ${names.size === 1 ? one : many} (${first}${names.size > 2 ? ', …' : ''})`
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
