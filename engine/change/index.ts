/** Pure text changes, shared by the tools that make them and the screens that show them. */
export { commentWords } from './comments.ts'
export { editHunks, hunkKey, proposedText } from './edited-hunks.ts'
export { diffHunks, type FileDiffInput, fileDiff, unifiedDiff } from './hunks.ts'
export { mergeTexts } from './merge.ts'
export { type RevertPlan, revertPlan, sameBytes } from './revert.ts'
export { applySelection, type HunkSelection } from './select.ts'
export { type DecidedChange, type EditShare, editShares } from './shares.ts'
export { type TakenBack, takeBack } from './take-back.ts'
