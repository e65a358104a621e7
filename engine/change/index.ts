/** Pure text changes, shared by the tools that make them and the screens that show them. */
export { commentWords } from './comments.ts'
export { editHunks, hunkKey, proposedText } from './edited-hunks.ts'
export { diffHunks, type FileDiffInput, fileDiff, unifiedDiff } from './hunks.ts'
export { applySelection, type HunkSelection } from './select.ts'
