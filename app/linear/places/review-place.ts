/** What was applied unseen, told hunk by hunk: each is asked about, then all of it is answered at once. */
import type { ChangeStanding, ReviewDebt, ReviewOutcome, Unreviewed } from '@sluice/engine/protocol'
import {
  createQuietGate,
  editLine,
  emptyLine,
  insertText,
  type KeyPress,
  type KeyTable,
  type LineState,
} from '@sluice/permissions-ui'
import { reviewWord } from '../../overlays/review-debt/debt-view.ts'
import { plural } from '../../transcript/format.ts'
import { spokenCounts, spokenDiff, spokenKey, spokenLine } from '../speech.ts'
import type { LinearPlace, PlaceVoice } from './place.ts'

export type ReviewPlaceOptions = PlaceVoice & { debt: ReviewDebt; table: KeyTable }

/** `hunk` is the one that is asked about; past the last one the whole answer is. */
type Walk = {
  change: Unreviewed
  standing: ChangeStanding | null
  hunk: number
  kept: Set<number>
  words: LineState | null
}

const quietMs = 400

export function createReviewPlace({ debt, table, say, left }: ReviewPlaceOptions): LinearPlace {
  const gate = createQuietGate({ quietMs })
  let walk: Walk | null = null
  let busy = false

  function open(change: Unreviewed | undefined): string[] {
    if (change === undefined) {
      walk = null
      const last = debt.undoable().at(-1)
      const undo = last === undefined ? '' : ` Press u to undo the last answer, about ${spokenLine(last.path)}.`
      return [`Nothing was applied that you have not looked at.${undo} Escape closes the review.`]
    }
    const { diff, tool } = change
    walk = { change, standing: null, hunk: 0, kept: new Set(), words: null }
    const at = debt.list().indexOf(change)
    void debt.standing(change.id).then((standing) => {
      if (walk?.change !== change) return
      walk.standing = standing
      if (standing && !standing.same) say(standingLines(standing))
    })
    return [
      `Change ${at + 1} of ${debt.list().length}: ${spokenLine(tool, 'decide')} ${spokenLine(diff.path, 'decide')}, ${spokenCounts(diff)}.`,
      ...hunkLines(),
    ]
  }

  function hunkLines(): string[] {
    if (walk === null) return []
    const { diff } = walk.change
    const hunk = diff.hunks[walk.hunk]
    if (hunk === undefined) return sumLines()
    gate.arrived(performance.now())
    return [
      `Hunk ${walk.hunk + 1} of ${diff.hunks.length}:`,
      ...spokenDiff({ ...diff, hunks: [hunk] }, 'decide').slice(1),
      `Keep hunk ${walk.hunk + 1}? Press y to keep it, n to take it back, r to hear it again, ${nextKey()} for the next change, or Escape to close.`,
    ]
  }

  function sumLines(): string[] {
    if (walk === null) return []
    gate.arrived(performance.now())
    const all = walk.change.diff.hunks.length
    const back = takenBack(walk)
    const what =
      back.length === 0
        ? `Everything of ${spokenLine(walk.change.diff.path, 'decide')} stays.`
        : `Of ${spokenLine(walk.change.diff.path, 'decide')} ${back.length === all ? 'everything' : `${back.length === 1 ? 'hunk' : 'hunks'} ${back.join(', ')} of ${all}`} is taken back.`
    return [what, 'Press y to do it, c to do it and tell the model why, n to begin again, or Escape to close.']
  }

  function nextKey(): string {
    return spokenKey(table.dialog?.nextFile?.keys[0] ?? '')
  }

  function answer(): void {
    if (walk === null || busy) return
    const { change, kept, words } = walk
    const message = words?.text.trim()
    const lines = Object.fromEntries([...kept].map((hunk) => [hunk, true as const]))
    finish(debt.settle(change.id, lines, message === '' ? undefined : message))
  }

  function finish(work: Promise<ReviewOutcome>): void {
    busy = true
    void work.then((outcome) => {
      busy = false
      if (outcome.ok) say([reviewWord(outcome.review), ...open(debt.list()[0])])
      else
        say([`Note: ${outcome.problem}`, ...standingLines({ same: false, conflicts: outcome.conflicts }), ...again()])
    })
  }

  function again(): string[] {
    if (walk === null) return open(debt.list()[0])
    walk.hunk = 0
    walk.kept = new Set()
    walk.words = null
    return hunkLines()
  }

  function hunkKey(press: KeyPress, now: Walk): string[] | null {
    if (press.name === 'y') {
      now.kept.add(now.hunk++)
      return hunkLines()
    }
    if (press.name === 'n') {
      const conflict = now.standing?.conflicts[now.hunk]
      if (conflict !== undefined)
        return [`Hunk ${now.hunk + 1} cannot be taken back: ${conflict}. Press y to leave it.`]
      now.hunk++
      return hunkLines()
    }
    return press.name === 'r' ? hunkLines() : null
  }

  function sumKey(press: KeyPress, now: Walk): string[] | null {
    if (press.name === 'y') {
      answer()
      return []
    }
    if (press.name === 'c') {
      now.words = emptyLine
      return ['Write to the model, then Enter. Escape goes back.']
    }
    return press.name === 'n' || press.name === 'r' ? (press.name === 'n' ? again() : sumLines()) : null
  }

  function wordsKey(press: KeyPress, now: Walk, words: LineState): string[] {
    if (press.name === 'escape') {
      now.words = null
      return sumLines()
    }
    if (press.name === 'return') {
      if (!press.repeat) answer()
      return []
    }
    now.words = editLine(words, press) ?? words
    return []
  }

  const deciding = new Set(['y', 'n', 'c', 'u'])
  return {
    begin: () => open(debt.list()[0]),
    press(press) {
      const early = gate.press(press.time) === 'draft'
      if (walk?.words) return say(wordsKey(press, walk, walk.words))
      if (table.review?.close?.keys.includes(press.name)) return left()
      if (press.repeat) return
      if (early && walk !== null && deciding.has(press.name))
        return say(['Note: that came too soon to be an answer: press it again.'])
      if (table.review?.undo?.keys.includes(press.name)) {
        const last = debt.undoable().at(-1)
        if (last === undefined) say(['Note: there is nothing to undo.'])
        else if (!busy) finish(debt.undo(last.id))
        return
      }
      const step = changeStep(press, table)
      if (step !== 0) {
        const list = debt.list()
        const to = list[list.findIndex(({ id }) => id === walk?.change.id) + step]
        return say(to === undefined ? ['There is no other change there.'] : open(to))
      }
      if (walk === null) return
      const lines = walk.hunk < walk.change.diff.hunks.length ? hunkKey(press, walk) : sumKey(press, walk)
      if (lines !== null) say(lines)
    },
    paste(text) {
      if (walk?.words) walk.words = insertText(walk.words, text.replace(/\s*\n\s*/g, ' '))
    },
    field: () => (walk?.words ? { label: 'To the model: ', text: walk.words.text } : null),
    close() {},
  }
}

function changeStep(press: KeyPress, table: KeyTable): number {
  if (table.dialog?.nextFile?.keys.includes(press.name)) return 1
  return table.dialog?.previousFile?.keys.includes(press.name) ? -1 : 0
}

/** Numbers, as they are told, of what is taken back. */
function takenBack({ change, kept }: Walk): number[] {
  return [...change.diff.hunks.keys()].filter((hunk) => !kept.has(hunk)).map((hunk) => hunk + 1)
}

function standingLines({ conflicts }: ChangeStanding): string[] {
  const lines = Object.entries(conflicts).map(
    ([hunk, why]) => `Hunk ${Number(hunk) + 1} cannot be taken back: ${spokenLine(why)}.`,
  )
  return lines.length > 0
    ? [`Warning: the file changed since. ${plural(lines.length, 'hunk')} must stay.`, ...lines]
    : []
}
