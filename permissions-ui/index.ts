/** Everything a person decides with, and what every screen needs: sanitiser, cells, theme, keys. */

export { RowView } from './blocks/RowView.tsx'
export { fitSpans, rowText, rowWidth, type StyledRow, type StyledSpan, sliceSpans, styledRow } from './blocks/styled-row.ts'
export * from './keys.ts'
export { cellWidth, fitCells, graphemes, padCells, sliceCells, truncateCells, wrapCells } from './text/cells.ts'
export { hasHidden, type SanitizeMode, sanitizeForTerminal } from './text/sanitize.ts'
export * from './theme.ts'
