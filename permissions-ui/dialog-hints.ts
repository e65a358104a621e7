/** The keys that a dialog names in its last row, by weight. */
import type { StyledRow, StyledSpan } from './blocks/styled-row.ts'
import type { FrameInput } from './dialog-foot.ts'
import type { DialogAction } from './dialog-keys.ts'
import { keyLabel } from './keys.ts'
import { summaryOf } from './review/state.ts'
import { cellWidth } from './text/cells.ts'

/** From this height on a review names its keys in two rows. */
export const roomy = 30

/** The keys of a dialog in which nothing is being written: one row, or two where there is room and need for them. */
export function hintRows(input: FrameInput): StyledRow[] {
  const hints = readHintsOf(input)
  const rows = input.state.review !== null && input.height >= roomy ? 2 : 1
  const out: StyledRow[] = []
  let next = 0
  // Always as many, so that nothing moves when a key comes or goes.
  while (out.length < rows) {
    const { row, shown } = hintsFrom(hints.slice(next), input)
    out.push(row)
    next += Math.max(1, shown)
  }
  return out
}

function readHintsOf(input: FrameInput): [string, string][] {
  const { table } = input
  return readHints
    .filter((hint) => hint.when?.(input) ?? true)
    .flatMap((hint): [string, string][] => {
      const first = arrow(keyLabel(table, 'dialog', hint.action))
      const second = hint.second === undefined ? '' : arrow(keyLabel(table, 'dialog', hint.second))
      const keys = second === '' ? first : `${first} ${second}`
      const words = typeof hint.words === 'string' ? hint.words : hint.words(input)
      return keys.trim() === '' ? [] : [[keys, words]]
    })
}

/** As many hints as fit, whole. */
export function hintSpans(
  hints: readonly (readonly [string, string])[],
  size: Pick<FrameInput, 'width' | 'theme'>,
): StyledRow {
  return hintsFrom(hints, size).row
}

function hintsFrom(
  hints: readonly (readonly [string, string])[],
  { width, theme }: Pick<FrameInput, 'width' | 'theme'>,
): { row: StyledRow; shown: number } {
  let shown = 0
  const spans: StyledSpan[] = []
  let used = 0
  for (const [key, words] of hints) {
    const lead = spans.length === 0 ? ' ' : '   '
    const cells = cellWidth(lead + key) + 1 + cellWidth(words)
    if (used + cells > width) break
    used += cells
    shown++
    spans.push({ text: `${lead}${key}` }, { text: ` ${words}`, color: theme.muted })
  }
  return { row: { spans }, shown }
}

type Hint = {
  action: DialogAction
  second?: DialogAction
  words: string | ((input: FrameInput) => string)
  when?: (input: FrameInput) => boolean
}

const overflows = (input: FrameInput) => input.overflows ?? false
const isChange = (input: FrameInput) => input.request.blocks.some((block) => block.type === 'diff')
const isReview = (input: FrameInput) => input.state.review !== null
const hasHunks = ({ state }: FrameInput) => state.review !== null && summaryOf(state.review).all > 1
const hasPast = ({ state }: FrameInput) => state.review?.past != null
const canEdit = (input: FrameInput) => isReview(input) || input.request.kind === 'execute'
/** The last ones give way where there is little room. */
const readHints: Hint[] = [
  { action: 'toggle', words: 'toggle', when: isReview },
  { action: 'up', second: 'down', words: 'scroll', when: (input) => overflows(input) && !isReview(input) },
  { action: 'next', words: 'buttons' },
  { action: 'nextHunk', second: 'previousHunk', words: 'hunk', when: hasHunks },
  { action: 'comment', words: 'comment', when: isReview },
  { action: 'edit', words: 'edit', when: canEdit },
  { action: 'fullscreen', words: ({ fullScreen }) => (fullScreen ? 'smaller' : 'full screen') },
  { action: 'leave', words: 'later' },
  { action: 'selectAll', words: 'all', when: hasHunks },
  { action: 'editor', words: '$EDITOR', when: (input) => canEdit(input) && (input.hasEditor ?? false) },
  {
    action: 'nextHunk',
    second: 'previousHunk',
    words: 'hunk',
    when: (input) => isChange(input) && overflows(input) && !isReview(input),
  },
  {
    action: 'nextFile',
    second: 'previousFile',
    words: 'file',
    when: ({ request }) => request.blocks.filter((b) => b.type === 'diff').length > 1,
  },
  { action: 'pageDown', words: 'page', when: overflows },
  { action: 'extendUp', second: 'extendDown', words: 'range', when: isReview },
  { action: 'hunkParts', words: 'split hunk', when: isReview },
  { action: 'wider', words: 'more lines', when: isReview },
  { action: 'undo', words: 'undo', when: hasPast },
  { action: 'whitespace', words: 'blanks', when: isReview },
  { action: 'split', words: 'side by side', when: (input) => isChange(input) && input.width >= 60 },
  { action: 'back', second: 'sideways', words: 'sideways', when: isChange },
]

function arrow(label: string): string {
  const arrows: Record<string, string> = {
    up: '↑',
    down: '↓',
    'shift+up': '⇧↑',
    'shift+down': '⇧↓',
    left: '←',
    right: '→',
    'shift+left': '⇧←',
    'shift+right': '⇧→',
  }
  return arrows[label] ?? label.replace('pagedown', 'pgdn').replace('pageup', 'pgup')
}
