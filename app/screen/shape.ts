/** How the screen is divided at a size: what is there, and how wide and high; pure. */

export type Shape = {
  columns: number
  rows: number
  /** The first line and the rule below it. */
  header: boolean
  /** Key hints below the composer. */
  hints: boolean
  /** Columns of the side panel; 0 when it is folded or away. */
  panel: number
  /** The panel as one line above the composer. */
  strip: boolean
}

const panelColumns = 36
const panelFrom = 100

/** Below 100 columns the panel folds; below 60 columns or 16 rows only transcript, strip and composer remain. */
export function shapeOf(columns: number, rows: number, panelShown: boolean): Shape {
  const small = columns < 60 || rows < 16
  const panel = !small && panelShown && columns >= panelFrom ? panelColumns : 0
  return { columns, rows, header: !small, hints: !small, panel, strip: panel === 0 }
}

/** Below the scrollback of the normal screen: `rows` is what it may take at most, and it takes what it needs. */
export function inlineShape(columns: number, rows: number): Shape {
  return { columns, rows, header: false, hints: false, panel: 0, strip: true }
}

/** Rows of what changes: whether the strip has anything to say, and what composer and dialog would like to have. */
export type Wishes = { strip: boolean; composer: number; dialog: number; fullScreen: boolean }

/** Rows of each part; `dialogTop` and `composerBottom` are screen rows, the latter the first one below the draft. */
export type Division = {
  transcript: number
  dialog: number
  overlay: number
  mostComposer: number
  dialogTop: number
  composerBottom: number
  /** Columns left of the composer. */
  inset: number
}

export function divide(shape: Shape, wishes: Wishes): Division {
  const { rows } = shape
  const head = shape.header ? 2 : 0
  const rule = shape.header ? 1 : 0
  const hints = shape.hints ? 1 : 0
  const chrome = head + rule + hints + (wishes.strip ? 1 : 0)
  const mostComposer = Math.max(1, Math.min(Math.floor(rows / 3), rows - chrome - 3))
  const composer = Math.min(wishes.composer, mostComposer)
  const middle = Math.max(0, rows - chrome - composer)
  const dialog = Math.min(wishes.fullScreen && wishes.dialog > 0 ? middle : wishes.dialog, mostDialog(middle, wishes))
  const composerBottom = rows - hints
  return {
    transcript: middle - dialog,
    dialog,
    // An overlay covers the composer and its hints as well: what is typed goes to it.
    overlay: Math.max(1, rows - head - rule - (shape.header ? 0 : wishes.strip ? 1 : 0)),
    mostComposer,
    dialogTop: composerBottom - composer - dialog,
    composerBottom,
    inset: shape.columns > 20 ? 1 : 0,
  }
}

/** The same for a screen that is as high as its parts; `live` is what is alive now, `transcript` the most it may take. */
export function divideInline(shape: Shape, wishes: Wishes, live: number): Division {
  const { rows } = shape
  // The strip, and the rule between it and the draft.
  const chrome = wishes.strip ? 2 : 0
  const mostComposer = Math.max(1, Math.min(Math.floor(rows / 3), rows - chrome - 3))
  const composer = Math.min(wishes.composer, mostComposer)
  const middle = Math.max(0, rows - chrome - composer)
  const dialog = Math.min(wishes.fullScreen && wishes.dialog > 0 ? middle : wishes.dialog, middle)
  const transcript = Math.min(middle - dialog, Math.max(4, Math.floor(rows / 2)))
  const composerBottom = Math.min(live, transcript) + chrome + dialog + composer
  return {
    transcript,
    dialog,
    overlay: Math.max(1, Math.min(rows - chrome, 24)),
    mostComposer,
    dialogTop: composerBottom - composer - dialog,
    composerBottom,
    inset: shape.columns > 20 ? 1 : 0,
  }
}

/** Some of the conversation stays in sight above a question, unless there is hardly room for the question. */
function mostDialog(middle: number, { fullScreen }: Wishes): number {
  if (fullScreen || middle < 14) return middle
  return middle - Math.min(12, Math.max(3, Math.round(middle / 5)))
}
