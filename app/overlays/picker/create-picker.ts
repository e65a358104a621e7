/** The list of sessions while it is open: what is listed and marked, what keys change about sessions, and what is said. */
import { emptyLine, insertText } from '@sluice/permissions-ui'
import { type Refusal, runsElsewhere } from '../../session/going-on.ts'
import { storeProblem } from '../../session/store-problem.ts'
import { titleGiven } from '../../session/title-given.ts'
import { createDeletions } from './deletions.ts'
import { countAll, type Listing, listSessions } from './listing.ts'
import { createLooks, messageOf } from './looks.ts'
import type { PickerRow } from './picker-row.ts'
import { emptyPicker, moved, type Possible, type Pressed, pasted, pressed, tagsIn, type Wish } from './picker-state.ts'
import type { Picker, PickerOptions, PickerView, Said } from './picker-view.ts'
import { deleted, notDone, titleOf } from './picker-words.ts'

export function createPicker(options: PickerOptions): Picker {
  const { index, table, actions, after } = options
  const listeners = new Set<() => void>()
  const looks = createLooks({ index, after, changed, where: actions.where, unsent: actions.unsent })
  const deletions = createDeletions({ index, after, changed })
  let state = { ...emptyPicker(options.query), everywhere: options.opens !== undefined }
  let widen = options.widen ?? false
  let here = options.here()
  let cwd = options.cwd()
  let listing = list()
  let all = countAll(index, here)
  widenIfEmpty()
  let selected = begin()
  /** Until somebody has moved the mark or typed it stays where it begins, whatever comes above it. */
  let untouched = true
  let scope: { everywhere: boolean; total: number } | null = null
  let reading = false
  let said: Said | null = null
  let busy = false
  let closed = false
  let stopWaiting = () => {}
  let stopTicking = () => {}
  let view: PickerView | null = null

  function list({ words, content } = { words: state.line.text, content: state.content }): Listing {
    return listSessions(index, here, { words, content, cwd: state.everywhere ? null : cwd })
  }
  /** Until somebody chose for themselves. */
  function widenIfEmpty(): void {
    if (!widen || listing.total > 0 || all === 0) return
    state = { ...state, everywhere: true }
    listing = list()
  }
  function begin(): number {
    const { start } = options
    if (listing.total === 0) return -1
    if (start === undefined) return 0
    const first = here.length < listing.total ? here.length : 0
    return start === 'stored' ? first : Math.max(0, listing.find(start, 0))
  }
  /** Of what is shown without a filter; counted again only where something else is shown. */
  function inScope(): number {
    const { line, content, everywhere } = state
    if (!content && line.text.trim() === '') scope = { everywhere, total: listing.total }
    if (scope?.everywhere !== everywhere) scope = { everywhere, total: list({ words: '', content: false }).total }
    return scope.total
  }
  function changed(): void {
    view = null
    for (const listener of [...listeners]) listener()
  }
  function say(text: string, level: 'info' | 'warn' = 'info'): void {
    said = text === '' ? null : { level, text }
  }

  const current = (): PickerRow | undefined => (selected < 0 ? undefined : listing.at(selected))

  /** Asks the index again; the mark stays on its session, or where it stood. */
  function relist(keep: string | undefined = current()?.session.id): void {
    const before = selected
    // Records are still being read: those of this folder may have come after those of others.
    if (widen) state = { ...state, everywhere: false }
    listing = list()
    all = countAll(index, here)
    scope = null
    widenIfEmpty()
    const found = keep === undefined ? -1 : listing.find(keep, before)
    select(untouched ? begin() : found !== -1 ? found : before)
  }
  function select(row: number): void {
    selected = listing.total === 0 ? -1 : Math.max(0, Math.min(listing.total - 1, row))
    looks.rest(current())
  }
  /** The filter has changed: at once where it is quick, after a moment where everything that was said is searched. */
  function refilter(): void {
    stopWaiting()
    const again = () => {
      listing = list()
      select(0)
    }
    if (state.content && state.line.text.trim() !== '')
      stopWaiting = after(searchRestMs, () => {
        attempt(again)
        changed()
      })
    else again()
  }

  /** `without` is what was not done, where that is more than a look. */
  function attempt(work: () => void, without?: string): void {
    try {
      work()
    } catch (error) {
      say(without === undefined ? messageOf(error) : storeProblem(without, error), 'warn')
    }
  }
  function outside<T>(work: Promise<T>, without: string, done: (answer: T | string) => void): void {
    busy = true
    const settled = work.catch((error: unknown) => storeProblem(without, error))
    void settled.then((answer) => {
      busy = false
      if (closed) return
      done(answer)
      changed()
    })
  }

  function remove(row: PickerRow): void {
    const { id } = row.session
    const title = titleOf(row)
    if (row.here !== null || row.session.live) {
      say(row.here === null ? runsElsewhere(actions.where(id)) : `${title} is open here: /close it first`, 'warn')
      return
    }
    deletions.remove(id, title)
    looks.forget(id)
    relist()
  }
  function undo(): void {
    const back = deletions.undo()
    if (back === null) {
      say('There is nothing to undo')
      return
    }
    relist(back.id)
    said = { level: 'info', text: `Back again: ${back.title}`, ...(deletions.left() > 0 ? { undo: 'one more' } : {}) }
  }

  function resume(row: PickerRow): void {
    const { id, live } = row.session
    if (row.here !== null) actions.front(id)
    else if (live) say(runsElsewhere(actions.where(id)), 'warn')
    else open(id, 'opening …', actions.resume(id, 'asks'))
  }
  function open(id: string, text: string, work: Promise<Refusal | null> | undefined): void {
    if (work === undefined) return
    say(text)
    outside(work, 'Not opened', (refusal) => {
      said = typeof refusal === 'string' ? { level: 'warn', text: refusal } : null
      // Another program may have changed what is listed.
      if (typeof refusal === 'string') refresh()
      if (refusal !== null && typeof refusal !== 'string') {
        state = { ...state, asking: { what: 'folder', id, ...refusal } }
      }
    })
  }

  function save({ what, id, text }: Extract<Wish, { want: 'save' }>): void {
    if (what === 'tags') index.tag(id, tagsIn(text))
    else {
      const { title, remark } = titleGiven(text)
      index.rename(id, title)
      if (here.some(({ session }) => session.id === id)) actions.renamed?.(id, title)
      say(remark, 'warn')
    }
    here = options.here()
    relist(id)
  }

  function grant(wish: Wish, page: number): void {
    switch (wish.want) {
      case 'leave':
        actions.leave()
        break
      case 'quit':
        if (actions.quit === undefined) actions.leave()
        else actions.quit()
        break
      case 'list':
        refilter()
        break
      case 'undo':
        undo()
        break
      case 'save':
        save(wish)
        break
      case 'go-on':
        open(wish.id, 'opening …', actions.resume(wish.id, wish.where))
        break
      default: {
        const row = current()
        if (row !== undefined) grantFor(row, wish, page)
      }
    }
  }
  function grantFor(
    row: PickerRow,
    wish: Exclude<Wish, { want: 'leave' | 'quit' | 'list' | 'undo' | 'save' | 'go-on' }>,
    page: number,
  ) {
    const { id, title, tags, pinned } = row.session
    const line = (text: string) => insertText(emptyLine, text)
    switch (wish.want) {
      case 'move':
        select(moved(wish.by, selected, page, listing.total))
        break
      case 'resume':
        resume(row)
        break
      case 'fork':
        open(id, 'forking …', actions.fork?.(id))
        break
      case 'pin':
        index.pin(id, !pinned)
        here = options.here()
        relist()
        break
      case 'remove':
        remove(row)
        break
      case 'title':
        state = { ...state, asking: { what: 'title', id, line: line(title) } }
        break
      case 'tags':
        state = { ...state, asking: { what: 'tags', id, line: line(tags.join(' ')) } }
        break
      case 'format':
        state = { ...state, asking: { what: 'format', id } }
        break
      case 'export':
        say('exporting …')
        outside(actions.export?.(wish.id, wish.format) ?? Promise.resolve(''), 'Not exported', say)
    }
  }
  const possible = (): Possible => ({ fork: actions.fork !== undefined, export: actions.export !== undefined })
  function take(next: Pressed, page: number): void {
    state = next.state
    said = null
    widen = false
    untouched = false
    const { wish } = next
    if (wish !== undefined) attempt(() => grant(wish, page), notDone(wish))
    changed()
  }

  /** Many new records take a while: what is there already is shown meanwhile. */
  function tick(): void {
    stopTicking = after(readingMs, () => {
      reading = true
      if (index.count() !== all) attempt(() => relist())
      changed()
      tick()
    })
  }
  function refreshed(news: number): void {
    stopTicking()
    if (closed) return
    const unread = options.unreadable?.() ?? ''
    if (unread !== '' && said === null) {
      say(unread, 'warn')
      changed()
    }
    if (news === 0 && !reading) return
    reading = false
    looks.clear()
    // What is known of those that run here is new, too.
    here = options.here()
    attempt(() => relist())
    changed()
  }

  function refresh(): void {
    stopTicking()
    tick()
    index.refresh().then(refreshed, (error: unknown) => {
      say(`New records cannot be listed: ${messageOf(error)}`, 'warn')
      reading = true
      refreshed(0)
    })
  }

  looks.rest(current())
  if (options.opens !== undefined) open(options.opens, 'opening …', actions.resume(options.opens, 'asks'))
  // What is known comes first: looking for new records takes the time of a few frames.
  stopTicking = after(refreshMs, refresh)
  return {
    view() {
      const row = current()
      view ??= {
        state,
        listing,
        selected,
        row,
        looked: row === undefined ? null : looks.of(row.session.id),
        all,
        scope: inScope(),
        reading,
        said: said ?? deleted(deletions.recent()?.title),
        possible: possible(),
      }
      return view
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    press(press, page) {
      if (busy) return true
      const next = pressed(state, press, table, possible())
      if (next.used) take(next, page)
      return next.used
    },
    paste(text) {
      if (!busy) take(pasted(state, text), 1)
    },
    move(by) {
      if (selected < 0 || state.asking !== null) return
      widen = false
      untouched = false
      select(selected + by)
      changed()
    },
    hereChanged() {
      const now = options.here()
      const folder = options.cwd()
      if (folder === cwd && JSON.stringify(now) === JSON.stringify(here)) return
      here = now
      cwd = folder
      looks.renew(here)
      attempt(() => relist())
      changed()
    },
    close() {
      closed = true
      stopWaiting()
      stopTicking()
      looks.close()
      deletions.close()
    },
  }
}

/** How long typing must rest before all that was said is searched. */
export const searchRestMs = 50
/** How long the first screen has for itself. */
export const refreshMs = 60
/** How long taking in new records may last before the list says so. */
export const readingMs = 400
