/** The last line: the keys that do something now. */
import {
  cellWidth,
  fitSpans,
  type KeyTable,
  keyLabel,
  type StyledRow,
  type StyledSpan,
  type Theme,
} from '@sluice/permissions-ui'

export type HintState = {
  /** "press ctrl+c again to leave", or what the composer has to say. */
  notice: string | null
  /** Keys that may follow the leader that was pressed; null when none was. */
  leader: { prefix: string; next: readonly { key: string; help: string }[] } | null
  reading: boolean
  asked: boolean
  answering: boolean
  working: boolean
  draftEmpty: boolean
}

export function hintsRow(state: HintState, table: KeyTable, width: number, theme: Theme): StyledRow {
  if (state.notice !== null) return { spans: fitSpans([{ text: ` ${state.notice}`, color: theme.warn }], width) }
  if (state.leader !== null) {
    const next = state.leader.next.map(({ key, help }): Hint => [key, help])
    return { spans: joined([[state.leader.prefix, ''], ...next], width, theme) }
  }
  return { spans: joined(hints(state, table), width, theme) }
}

type Hint = [key: string, help: string]

function hints(state: HintState, table: KeyTable): Hint[] {
  const of = (context: string, action: string, help: string): Hint => [keyLabel(table, context, action), help]
  if (state.reading) {
    return [
      of('transcript', 'toggle', 'open'),
      of('transcript', 'search', 'search'),
      of('transcript', 'copy', 'copy'),
      of('transcript', 'previousTurn', 'turn before'),
      of('transcript', 'nextTurn', 'turn after'),
      of('transcript', 'bottom', 'newest'),
      of('transcript', 'leave', 'back'),
    ]
  }
  const list: Hint[] = [of('global', 'mode', 'mode')]
  if (state.working && !state.answering) list.push(of('global', 'interrupt', 'interrupt'))
  if (state.asked && !state.answering) list.unshift(of('leader', 'answer', 'answer'))
  list.push(
    of('leader', 'panel', 'panel'),
    of('leader', 'sessions', 'sessions'),
    of('leader', 'transcript', 'transcript'),
  )
  if (state.draftEmpty) list.push(of('global', 'help', 'keys'))
  return list
}

/** Hints that fit whole; the last ones give way. */
function joined(list: readonly Hint[], width: number, theme: Theme): StyledSpan[] {
  const out: StyledSpan[] = [{ text: ' ' }]
  let used = 1
  for (const [key, help] of list) {
    if (key === '') continue
    const gap = out.length > 1 ? '   ' : ''
    const cells = cellWidth(gap) + cellWidth(key) + (help === '' ? 0 : 1 + cellWidth(help))
    if (used + cells > width) break
    out.push({ text: `${gap}${key}` }, ...(help === '' ? [] : [{ text: ` ${help}`, color: theme.muted }]))
    used += cells
  }
  return fitSpans(out, width)
}
