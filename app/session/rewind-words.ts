/** A rewind by words alone: for where no list can be shown, and for undoing without one. */
import type { FileDiff, Rewind, RewindPreview, RewindTurn } from '@sluice/engine/protocol'
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
  const found = /^(\d+)(?:\.(\d+))?(?:\s+(both|conversation|files))?$/.exec(words)
  const turn = turns[Number(found?.[1] ?? 0) - 1]
  if (words === '' || found === null || turn === undefined) return listed(turns)
  const [, number = '', nth, what] = found
  const call = nth === undefined ? undefined : turn.calls[Number(nth) - 1]
  if (nth !== undefined && call === undefined)
    return [`There is no call ${number}.${nth}.`, ...calls(turn, number)].join('\n')
  const preview = await rewind.preview(turn.turnId, call?.callId)
  if (typeof preview === 'string') return preview
  const name = call === undefined ? number : `${number}.${nth}`
  if (what === undefined) return described(preview, name, call === undefined ? calls(turn, number) : [])
  if (call !== undefined && what !== 'files') return `A call is undone in its files alone: /rewind ${name} files`
  const restore = what === 'conversation' ? [] : untouched(preview)
  const outcome = await rewind.apply({ preview, conversation: what !== 'files', restore })
  if (!outcome.ok) return outcome.problem
  return call === undefined ? `Done. Your words were: ${turn.input}` : 'Done.'
}

function listed(turns: readonly RewindTurn[]): string {
  if (turns.length === 0) return 'Nothing was said yet: there is nothing to go back to.'
  const rows = turns.map(
    ({ input, files }, i) => `${i + 1}: ${oneLine(input)}, ${plural(files.length, 'file')} changed`,
  )
  return [...rows, 'See what going back would do, and what each call did: /rewind NUMBER'].join('\n')
}

function calls({ calls: all }: RewindTurn, number: string): string[] {
  if (all.length === 0) return ['None of its calls changed files, as far as known.']
  const rows = all.map(({ tool, title, files, undone }, i) => {
    const changed = undone ? 'undone' : `${plural(files.length, 'file')} changed`
    return `${number}.${i + 1}: ${oneLine(tool)}: ${oneLine(title)}, ${changed}`
  })
  return ['Its calls that changed files:', ...rows, `See what undoing one of them would do: /rewind ${number}.1`]
}

/** What a file without changed lines is listed for: its permissions, bytes that are no text. */
export function noteInstead({ additions, deletions, change, note }: FileDiff): string | undefined {
  return change === 'edit' && additions + deletions === 0 ? note : undefined
}

function described(preview: RewindPreview, name: string, more: readonly string[]): string {
  const { files, turns, gaps, call } = preview
  const rows = files.map(({ shown, state, why, diff, uncounted }) => {
    const lines = `${plural(diff.additions, 'line')} added, ${diff.deletions} removed`
    const counts = uncounted ? 'not compared' : (noteInstead(diff) ?? lines)
    return state === 'restore' ? `${shown}: ${counts}` : `${shown}: stays as it is, because ${why}`
  })
  const what =
    call === undefined
      ? `Going back takes ${plural(turns, 'turn')} out of the conversation.`
      : `Undoing ${oneLine(call.tool)}: ${oneLine(call.title)}. The conversation stays.`
  const how =
    call === undefined
      ? `/rewind ${name} both, /rewind ${name} conversation, or /rewind ${name} files`
      : `/rewind ${name} files`
  return [
    what,
    ...(rows.length === 0 ? ['No file would change.'] : rows),
    ...gaps.map((gap) => `Not captured: ${gap}`),
    ...(call !== undefined && rows.length === 0 ? [] : [`Do it: ${how}`]),
    ...more,
  ].join('\n')
}

function untouched({ files }: RewindPreview): string[] {
  return files.filter(({ state }) => state === 'restore').map(({ path }) => path)
}
