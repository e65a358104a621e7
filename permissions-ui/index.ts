/** Everything a person decides with, and what every screen needs: sanitiser, cells, theme, keys. */

export { ApprovalDialog, type ApprovalDialogProps } from './ApprovalDialog.tsx'
export { approvalHeight, splitFrom } from './approval-height.ts'
export { type BlockRowOptions, blockRows, fitRow } from './blocks/block-rows.ts'
export { RowsView, RowView } from './blocks/RowView.tsx'
export {
  fitSpans,
  rowText,
  rowWidth,
  type StyledRow,
  type StyledSpan,
  sliceSpans,
  styledRow,
} from './blocks/styled-row.ts'
export { fieldRow, fieldSpans } from './choice/field-row.ts'
export { editLine, emptyLine, insertText, type LineState, lineWindow } from './choice/line-editor.ts'
export { type DialogAction, dialogKeys, withDialogKeys } from './dialog-keys.ts'
export {
  type DialogScene,
  type DialogState,
  type DialogStep,
  dialogKey,
  dialogPaste,
  drawn,
  openDialog,
  settle,
} from './dialog-state.ts'
export { type Body, needText, requestHasHidden, visibleLine, visibleText } from './dialogs/body.ts'
export { mustSeeEnd, requestBody } from './dialogs/index.ts'
export { type ReviewLines, reviewBody, reviewLines } from './dialogs/review.ts'
export { DiffView, type DiffViewProps } from './diff/DiffView.tsx'
export { type DiffLines, type DiffLinesOptions, diffLines } from './diff/diff-lines.ts'
export {
  type CodeScope,
  type CodeSpan,
  highlighterVersion,
  highlightLines,
  languageNamed,
  languageOf,
  loadHighlighter,
  subscribeHighlighter,
  useHighlighter,
} from './diff/highlight.ts'
export { countSpans } from './diff/line-look.ts'
export { type DiffRow, type DiffRowOptions, hunkTitle } from './diff/rows.ts'
export { pairLines, type Ranges, type WordDiff, wordDiff } from './diff/word-diff.ts'
export * from './keys.ts'
export { createQuietGate, type QuietGate } from './quiet.ts'
export { reviewWords } from './review/outcome.ts'
export { summaryOf } from './review/state.ts'
export { asciiRow } from './text/ascii.ts'
export { cellWidth, fitCells, graphemes, padCells, sliceCells, truncateCells, wrapCells } from './text/cells.ts'
export { revealBlanks } from './text/reveal.ts'
export { hasHidden, type SanitizeMode, sanitizeForTerminal } from './text/sanitize.ts'
export * from './theme.ts'
export {
  indexed,
  inSixteen,
  type Shade,
  type ThemeName,
  themeHelp,
  themeNamed,
  themeNames,
  themeOn,
  withoutColor,
} from './themes/index.ts'
