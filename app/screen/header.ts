/** The first line: where we are, with which model and mode, how full and how dear it is, what the sessions do. */
import { cellWidth, fitSpans, type StyledRow, type StyledSpan, type Theme } from '@sluice/permissions-ui'
import { bar, contextShare, oneLine, percent } from '../dashboard/sections.ts'
import type { Counts, SessionView } from '../state/index.ts'
import { money } from '../transcript/format.ts'

export type HeaderFacts = {
  view: SessionView | null
  counts: Counts
  /** `main ±2`, or null outside a repository. */
  branch: string | null
  home: string | null
}

/** Exactly `width` cells; parts that do not fit give way in the order of how little they are missed, the mode last. */
export function headerRow({ view, counts, branch, home }: HeaderFacts, width: number, theme: Theme): StyledRow {
  const left: Part[] = [{ rank: 0, spans: [{ text: 'sluice', bold: true, color: theme.accent }] }]
  const right: Part[] = []
  if (view !== null) {
    const title = view.title === '' ? '' : ` ${theme.glyphs.todo} ${oneLine(view.title)}`
    left.push({ rank: 3, spans: [{ text: shortPath(oneLine(view.cwd), home) }] })
    if (branch !== null && branch !== '')
      left.push({ rank: 5, spans: [{ text: oneLine(branch), color: theme.accent2 }] })
    if (title !== '') left.push({ rank: 9, spans: [{ text: title.trimStart(), color: theme.muted }] })
    right.push({ rank: 4, spans: [{ text: oneLine(view.model), color: theme.muted }] })
    right.push({ rank: 1, spans: [{ text: view.mode, color: modeColor(view, theme), bold: view.mode === 'yolo' }] })
    const share = contextShare(view)
    if (share !== null) {
      right.push({ rank: 8, spans: [{ text: 'ctx ', color: theme.muted }, ...bar(share, 10, theme)], glued: true })
      right.push({ rank: 6, spans: [{ text: percent(share) }] })
    }
    if (view.usage.costUsd > 0)
      right.push({ rank: 7, spans: [{ text: money(view.usage.costUsd, view.usage.costKnown) }] })
  }
  const sessions = sessionsText(counts)
  if (sessions !== '') {
    right.push({ rank: 2, spans: [{ text: sessions, color: counts.needsYou > 0 ? theme.warn : theme.muted }] })
  }
  const parts = [...left, ...right]
  for (;;) {
    const cells = total(left) + total(right) + 4
    if (cells <= width || parts.length === 0) break
    const worst = parts.reduce((a, b) => (b.rank > a.rank ? b : a))
    if (worst.rank === 0) break
    worst.dropped = true
    parts.splice(parts.indexOf(worst), 1)
    for (const list of [left, right]) if (list.includes(worst)) list.splice(list.indexOf(worst), 1)
  }
  const tail = joined(right)
  const tailCells = cells(tail)
  const head = fitSpans([{ text: ' ' }, ...joined(left)], Math.max(1, width - tailCells - (tailCells > 0 ? 1 : 0)))
  return { spans: tailCells > 0 ? fitSpans([...head, ...tail], width) : head }
}

type Part = { rank: number; spans: StyledSpan[]; glued?: boolean; dropped?: boolean }

function total(parts: readonly Part[]): number {
  return cells(joined(parts))
}

function joined(parts: readonly Part[]): StyledSpan[] {
  return parts.flatMap((part, i) =>
    i === 0 ? part.spans : [{ text: parts[i - 1]?.glued ? ' ' : '   ' }, ...part.spans],
  )
}

function cells(spans: readonly StyledSpan[]): number {
  return spans.reduce((sum, span) => sum + cellWidth(span.text), 0)
}

function modeColor(view: SessionView, theme: Theme): string | undefined {
  if (view.mode === 'yolo') return theme.bad
  return view.mode === 'default' ? theme.muted : theme.accent2
}

/** Says who works and who waits once there is more than one. */
function sessionsText({ sessions, working, needsYou, done }: Counts): string {
  if (sessions < 2) return ''
  const parts: string[] = []
  if (needsYou > 0) parts.push(`${needsYou} ${needsYou === 1 ? 'needs' : 'need'} you`)
  if (working > 0) parts.push(`${working} ${working === 1 ? 'works' : 'work'}`)
  if (done > 0) parts.push(`${done} done`)
  return parts.length === 0 ? `${sessions} sessions` : `${sessions} sessions: ${parts.join(', ')}`
}

/** `~/…` for what is below the home folder. */
export function shortPath(path: string, home: string | null): string {
  if (home !== null && home !== '' && (path === home || path.startsWith(`${home}/`)))
    return `~${path.slice(home.length)}`
  return path
}
