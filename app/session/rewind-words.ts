/** A rewind by words alone: for where no list can be shown, and for undoing without one. */
import type { Rewind, RewindPreview } from '@sluice/engine/protocol'
import { oneLine } from '../dashboard/sections.ts'
import { plural } from '../transcript/format.ts'

/** Takes the last rewind back, files that somebody else changed since excepted. Null, or why it cannot be. */
export async function undoRewind(rewind: Rewind): Promise<string | null> {
  const preview = await rewind.preview(null)
  if (typeof preview === 'string') return preview
  const outcome = await rewind.apply({ preview, conversation: preview.conversation, restore: untouched(preview) })
  return outcome.ok ? null : outcome.problem
}

/** What is answered to `/rewind WORDS`. */
export async function spokenRewind(rewind: Rewind, words: string): Promise<string> {
  if (words === 'undo') return (await undoRewind(rewind)) ?? 'Done.'
  const turns = (await rewind.turns()).toReversed()
  const found = /^(\d+)(?:\s+(both|conversation|files))?$/.exec(words)
  const turn = turns[Number(found?.[1] ?? 0) - 1]
  if (words === '' || found === null || turn === undefined) {
    if (turns.length === 0) return 'Nothing was said yet: there is nothing to go back to.'
    const rows = turns.map(
      ({ input, files }, i) => `${i + 1}: ${oneLine(input)}, ${plural(files.length, 'file')} changed`,
    )
    return [...rows, 'See what going back would do: /rewind NUMBER'].join('\n')
  }
  const preview = await rewind.preview(turn.turnId)
  if (typeof preview === 'string') return preview
  const what = found[2]
  if (what === undefined) return described(preview, Number(found[1]))
  const restore = what === 'conversation' ? [] : untouched(preview)
  const outcome = await rewind.apply({ preview, conversation: what !== 'files', restore })
  return outcome.ok ? `Done. Your words were: ${turn.input}` : outcome.problem
}

function described(preview: RewindPreview, number: number): string {
  const { files, turns, gaps } = preview
  const rows = files.map(({ shown, state, why, diff }) => {
    const counts = `${plural(diff.additions, 'line')} added, ${diff.deletions} removed`
    return state === 'restore' ? `${shown}: ${counts}` : `${shown}: stays as it is, because ${why}`
  })
  return [
    `Going back takes ${plural(turns, 'turn')} out of the conversation.`,
    ...(rows.length === 0 ? ['No file would change.'] : rows),
    ...gaps.map((gap) => `Not captured: ${gap}`),
    `Do it: /rewind ${number} both, /rewind ${number} conversation, or /rewind ${number} files`,
  ].join('\n')
}

function untouched({ files }: RewindPreview): string[] {
  return files.filter(({ state }) => state === 'restore').map(({ path }) => path)
}
