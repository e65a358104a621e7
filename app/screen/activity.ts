/** What the session does right now, in a few words: for the line above the composer. */
import type { StyledSpan, Theme } from '@sluice/permissions-ui'
import { oneLine } from '../dashboard/sections.ts'
import { running, type SessionView } from '../state/index.ts'
import { clock, plural, wordCount } from '../transcript/format.ts'
import { tickMs } from './use-now.ts'

/** The spinner moves with the clocks. */
export const spinnerMs = tickMs
const frames = ['⠋', '⠹', '⠼', '⠧']
const asciiFrames = ['|', '/', '-', '\\']

/** True while a person should see something move: never while the session waits for one. */
export function isMoving(view: SessionView | null): boolean {
  return view?.phase.name === 'working'
}

/** Empty while there is nothing to say. `now` is ms since 1970. */
export function activitySpans(view: SessionView, now: number, reducedMotion: boolean, theme: Theme): StyledSpan[] {
  const { phase } = view
  if (phase.name === 'needs-you') {
    const [request] = view.approvals
    const what = request === undefined ? '' : ` ${oneLine(request.tool)} ${oneLine(request.title)}`
    return [
      { text: `${theme.glyphs.warn} needs you`, color: theme.warn, bold: true },
      { text: what === '' ? '' : `:${what}`, color: theme.warn },
    ]
  }
  if (phase.name !== 'working') return []
  const set = theme.glyphs.horizontal === '-' ? asciiFrames : frames
  const frame = reducedMotion ? theme.glyphs.running : (set[Math.floor(now / spinnerMs) % set.length] ?? '')
  return [
    { text: `${frame} `, color: theme.accent },
    { text: doing(view), color: theme.muted },
    { text: ` · ${clock(now - phase.startedAt)}`, color: theme.muted },
  ]
}

function doing(view: SessionView): string {
  const calls = running(view)
  const [call] = calls
  if (call !== undefined) {
    return calls.length > 1
      ? `running ${plural(calls.length, 'call')}`
      : `${oneLine(call.name)} ${oneLine(call.title)}`.trim()
  }
  const live = view.live
  if (live !== null && live.text !== '') return 'answering'
  if (live !== null && live.reasoning !== '') return `thinking, ${plural(wordCount(live.reasoning), 'word')}`
  return view.phase.name === 'working' && view.phase.state === 'build_context'
    ? 'reading context'
    : 'waiting for the model'
}
