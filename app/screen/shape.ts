/** How the screen is divided at a size: what is there, and how wide. */

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
