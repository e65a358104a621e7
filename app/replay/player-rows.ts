/** The two lines below a recording: how far it is, and the keys that steer it. */
import {
  cellWidth,
  fitSpans,
  type KeyTable,
  keyLabel,
  type StyledRow,
  type StyledSpan,
  type Theme,
} from '@sluice/permissions-ui'
import { localTime } from '../local-time.ts'
import type { PlayerState } from './player.ts'

export function progressRow(state: PlayerState, now: number, width: number, theme: Theme): StyledRow {
  const { at, steps, turn, turns, speed } = state
  const mode = state.over ? 'end' : state.playing ? 'playing' : 'paused'
  const left = ` replay ${mode}  `
  const facts = [`turn ${turn} of ${turns}`, timeText(now), `${speedText(speed)}×`].filter((text) => text !== '')
  const right = `  ${facts.join('  ')} `
  const room = Math.min(48, width - cellWidth(left) - cellWidth(right))
  const bar: StyledSpan[] = []
  if (room >= 6) {
    const done = steps === 0 ? room : Math.round((at / steps) * room)
    bar.push({ text: theme.glyphs.bar.repeat(done), color: theme.accent })
    bar.push({ text: theme.glyphs.barEmpty.repeat(room - done), color: theme.muted })
  }
  const spans = [
    { text: left, color: state.playing ? theme.accent : theme.muted },
    ...bar,
    { text: right, color: theme.muted },
  ]
  return { spans: fitSpans(spans, width) }
}

export function keysRow(state: PlayerState, table: KeyTable, width: number, theme: Theme): StyledRow {
  const keys: [string, string][] = [
    ['space', state.over ? 'again' : state.playing ? 'pause' : 'play'],
    ...(state.over ? [] : [['→', 'next turn'] as [string, string]]),
    ...(state.at === 0 ? [] : [['←', 'back'] as [string, string]]),
    ['+ -', 'speed'],
    [keyLabel(table, 'global', 'scrollUp'), 'read'],
    ['q', 'leave'],
  ]
  const spans: StyledSpan[] = []
  let used = 1
  for (const [key, help] of keys) {
    if (key === '') continue
    const shown = theme.glyphs.down === '↓' ? key : key.replace('→', 'right').replace('←', 'left')
    const gap = spans.length === 0 ? ' ' : '   '
    used += cellWidth(`${gap}${shown} ${help}`)
    if (used > width) break
    spans.push({ text: gap }, { text: shown, color: theme.accent }, { text: ` ${help}`, color: theme.muted })
  }
  return { spans: fitSpans(spans, width) }
}

function timeText(now: number): string {
  return now === 0 ? '' : localTime(now)
}

function speedText(speed: number): string {
  return speed >= 1 ? String(speed) : speed.toFixed(2)
}
