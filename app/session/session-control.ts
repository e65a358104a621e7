/** What a person does with the sessions of this process: open one, go on with a stored one, name one, close one. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionSummary } from '@sluice/engine/ports'
import { UsageError } from '../cli/usage-error.ts'
import { localTime } from '../local-time.ts'
import type { Store } from '../state/index.ts'
import { type FolderAsked, type GoOn, type Refusal, runsElsewhere } from './going-on.ts'
import { lostWords } from './lost-words.ts'
import { openBeside, openStored, type SessionsWorld } from './open-session.ts'
import { storeProblem } from './store-problem.ts'
import { exportHere, type StoredSessions, sessionMeant } from './stored-sessions.ts'
import { titleGiven } from './title-given.ts'

export type SessionControl = {
  /** Opens another session, and sends it `prompt` unless that is empty. */
  open(prompt: string): Promise<void>
  /**
   * Goes on with the stored session that `words` mean, and says what is in the way of it. `unclear` when they mean none, or
   * several; its folder when it must first be said where it goes on.
   */
  resume(words: string, where?: GoOn): Promise<'done' | 'unclear' | ({ id: string } & FolderAsked)>
  /** Goes on with this one, `here` being the folder of the one in focus; null, or why it cannot be. */
  resumeStored(id: string, where: GoOn): Promise<Refusal | null>
  /** Writes a stored session into the folder of the one in focus; what there is to say then. */
  exportStored(id: string, format: 'md' | 'html' | 'json'): Promise<string>
  /** Names the session in focus, or another one of this process. An empty title is the one of its first words. */
  rename(title: string, id?: string): Promise<void>
  /** Stored sessions that have all the words, the newest first, as text; for where no list can be shown. */
  listed(words: string): Promise<string>
  /**
   * Opens a session that begins with what was said in another one (default: that in focus) before the turn `turnId`, or
   * with all of it, and brings it to the front. `prompt` is sent there; without one the words of that turn go into the draft.
   * Null, or why it cannot be.
   */
  fork(from: { id?: string; turnId?: string; prompt?: string }): Promise<string | null>
  /** Closes the one in focus; one that works only when it is asked for twice. */
  close(): Promise<void>
}

export function createSessionControl(world: SessionsWorld, stored: StoredSessions): SessionControl {
  const { store, live } = world
  /** The session about which it was said that it still works. */
  let warned: string | null = null

  async function resumeStored(id: string, answer: GoOn): Promise<Refusal | null> {
    const { index, where } = await stored.open()
    if (live.get(id) !== undefined) {
      await openStored(world, id)
      return null
    }
    // Asked of the lock itself: the index may be a second behind.
    const elsewhere = where(id)
    if (elsewhere !== '') return runsElsewhere(elsewhere)
    const folder = index.get(id)?.cwd ?? ''
    const gone = folder !== '' && !existsSync(folder)
    const other = folder !== '' && folder !== live.focused()?.runtime.session.cwd
    if (answer !== 'here' && (gone || (other && answer === 'asks'))) return { folder, gone }
    try {
      await openStored(world, id, answer === 'here')
      return null
    } catch (error) {
      return problemOf(error)
    }
  }

  /** Where it is open now, behind what is said of it. */
  function runs({ id, live: runsNow }: SessionSummary): string {
    if (live.get(id) !== undefined) return ', open here'
    return runsNow ? ', runs in another sluice' : ''
  }

  return {
    resumeStored,
    async resume(words, where = 'asks') {
      const { index } = await stored.open()
      await index.refresh()
      const meant = sessionMeant(index, words)
      if (meant === null) return 'unclear'
      if (meant.id === live.focused()?.runtime.session.id) {
        toast(store, 'info', 'That is the session you are in')
        return 'done'
      }
      const refusal = await resumeStored(meant.id, where)
      if (refusal !== null && typeof refusal !== 'string') return { id: meant.id, ...refusal }
      if (refusal !== null) toast(store, 'warn', refusal)
      return 'done'
    },
    async fork({ id = live.focused()?.runtime.session.id, turnId, prompt = '' }) {
      const front = live.focused()
      if (id === undefined || front === undefined) return 'There is no session to fork'
      try {
        const { forkSession } = await import('../compose/fork-session.ts')
        const made = await forkSession(front.setup.paths, id, turnId ?? null)
        await openStored(world, made.id)
        if (prompt !== '') live.get(made.id)?.runtime.session.send(prompt)
        else if (made.input !== null) {
          store.dispatch({ type: 'ui_draft', draft: { sessionId: made.id, text: made.input } })
        }
        return null
      } catch (error) {
        return problemOf(error)
      }
    },
    async exportStored(id, format) {
      const front = live.focused()
      if (front === undefined) return 'There is no session open yet'
      return exportHere((await stored.open()).index, front.setup, id, format)
    },
    async rename(title, id) {
      const session = (id === undefined ? live.focused() : live.get(id))?.runtime.session
      if (session === undefined) return
      const given = titleGiven(title)
      session.setTitle(given.title)
      if (given.remark !== '') toast(store, 'warn', given.remark)
      if (id !== undefined) return
      const { index } = await stored.open()
      try {
        index.rename(session.id, given.title)
      } catch (error) {
        toast(store, 'warn', storeProblem('The list may go on with the old title', error))
      }
    },
    async listed(words) {
      const { index, unreadable } = await stored.open()
      await index.refresh()
      const found = index.list({ words, limit: 10 })
      const missing = unreadable() === '' ? [] : [unreadable()]
      if (found.length > 0)
        return [...found.map((one) => `${spoken(one)}${runs(one)}`), ...missing, 'Go on with one: /resume ID'].join(
          '\n',
        )
      return [words === '' ? 'There are no stored sessions.' : `No session has all of: ${words}`, ...missing].join('\n')
    },
    async open(prompt) {
      const runtime = await openBeside(world)
      if (prompt !== '') runtime?.session.send(prompt)
    },
    async close() {
      const front = live.focused()
      if (front === undefined) return
      const { session } = front.runtime
      const again = warned === session.id
      warned = null
      if (live.all().length === 1) {
        toast(store, 'info', 'This is the only session: /exit leaves sluice')
      } else if (session.busy && !again) {
        warned = session.id
        toast(store, 'warn', 'This session still works: /close once more stops it')
      } else {
        await live.closeOne(session.id)
        // One in which nothing was said leaves nothing to go on with.
        const stays = existsSync(join(front.setup.paths.sessionsDir, session.id))
        const lost = lostWords(session.id, front.runtime.unsaved())
        if (lost !== null) toast(store, 'warn', lost)
        else toast(store, 'info', stays ? `Closed. Go on with it later: sluice --resume ${session.id}` : 'Closed')
      }
    },
  }
}

function problemOf(error: unknown): string {
  if (error instanceof UsageError) return `${error.message} ${error.fix}`
  return error instanceof Error ? error.message : String(error)
}

function toast(store: Store, level: 'info' | 'warn', text: string): void {
  store.dispatch({ type: 'ui_toast', toast: { level, text } })
}

function spoken({ id, title, cwd, updatedAt }: SessionSummary): string {
  return `${id}: ${title === '' ? 'nothing said yet' : title}, in ${cwd}, ${localTime(updatedAt)}`
}
