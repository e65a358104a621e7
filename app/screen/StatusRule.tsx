/** The line between the session and the composer: what is being done now, or what was just said. */
import {
  cellWidth,
  fitSpans,
  RowView,
  type StyledSpan,
  type Theme,
  truncateCells,
  useTheme,
} from '@sluice/permissions-ui'
import { memo } from 'react'
import { oneLine } from '../dashboard/sections.ts'
import { stripRow } from '../dashboard/strip.ts'
import type { OpenQuestion, SessionView, UiState } from '../state/index.ts'
import { activitySpans, isMoving, spinnerMs } from './activity.ts'
import { useNow } from './use-now.ts'
import { useStore } from './use-store.ts'

export type StatusRuleProps = {
  view: SessionView
  width: number
  /** Column of the panel's edge, for the joint; null without a panel. */
  joint: number | null
  toast: UiState['toast']
  /** Where an open question is drawn: right below it is not said twice what it is about. */
  asked: 'below' | 'elsewhere'
  reducedMotion: boolean
  clock: () => number
}

export const StatusRule = memo(function StatusRule(props: StatusRuleProps) {
  const { view, width, joint, toast, asked, reducedMotion, clock } = props
  const theme = useTheme()
  const now = useNow(isMoving(view), reducedMotion ? 1_000 : spinnerMs, clock)
  // The words that stream are newer in the store: they move this line only when it ticks.
  const current = useStore().getState().sessions[view.id] ?? view
  const doing = activitySpans(current, now, reducedMotion, theme)
  const activity = current.phase.name === 'needs-you' && asked === 'below' ? doing.slice(0, 1) : doing
  const label = toast === null ? activity : toastSpans(toast, theme)
  return <RowView row={{ spans: ruleSpans(label, width, joint, theme) }} />
})

export type StripProps = {
  view: SessionView
  questions: readonly OpenQuestion[]
  width: number
  /** True when no other line tells the mode, the activity and the toasts. */
  alone: boolean
  /** True when a rule below tells the activity all the same. */
  ruled?: boolean
  toast: UiState['toast']
  reducedMotion: boolean
  clock: () => number
}

export const Strip = memo(function Strip(props: StripProps) {
  const { view, questions, width, alone, ruled, toast, reducedMotion, clock } = props
  const theme = useTheme()
  const moving = alone && !ruled && isMoving(view)
  const now = useNow(moving, reducedMotion ? 1_000 : spinnerMs, clock)
  if (alone && toast !== null)
    return <RowView row={{ spans: fitSpans([{ text: ' ' }, ...toastSpans(toast, theme)], width) }} />
  const [mark, , time] = moving ? activitySpans(view, now, reducedMotion, theme) : []
  const lead: StyledSpan[] =
    mark === undefined || time === undefined ? [] : [mark, { ...time, text: time.text.slice(3) }]
  const strip = stripRow(view, questions, width, theme, alone ? view.mode : null, lead)
  return strip === null ? null : <RowView row={strip} />
})

/** A rule with a label near its left end; with a joint where the panel's edge meets it. */
export function ruleSpans(label: StyledSpan[], width: number, joint: number | null, theme: Theme): StyledSpan[] {
  const { horizontal, teeUp } = theme.glyphs
  const line = (from: number, to: number): StyledSpan[] => {
    if (to <= from) return []
    if (joint === null || joint < from || joint >= to)
      return [{ text: horizontal.repeat(to - from), color: theme.muted }]
    return [{ text: horizontal.repeat(joint - from) + teeUp + horizontal.repeat(to - joint - 1), color: theme.muted }]
  }
  if (label.length === 0) return line(0, width)
  const room = Math.max(0, (joint ?? width) - 5)
  const shown = label.reduce((sum, span) => sum + cellWidth(span.text), 0) > room ? fitSpans(label, room) : label
  const cells = shown.reduce((sum, span) => sum + cellWidth(span.text), 0)
  return [...line(0, 1), { text: ' ' }, ...shown, { text: ' ' }, ...line(cells + 3, width)]
}

function toastSpans(toast: NonNullable<UiState['toast']>, theme: Theme): StyledSpan[] {
  const text = truncateCells(oneLine(toast.text), 200)
  return [{ text, color: toast.level === 'warn' ? theme.warn : theme.accent }]
}
