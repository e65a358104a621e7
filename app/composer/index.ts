/** What the screen uses of the composer. */
export { Composer, type ComposerProps } from './Composer.tsx'
export type { CommandChoice } from './completion.ts'
export { createDraft, type Draft, type DraftMode, isEmpty, type QueuedText, replaceDraft } from './draft.ts'
export { createFileCompleter } from './files.ts'
export { createHistory, type History, type HistoryEntry, type HistoryStore, memoryHistory } from './history.ts'
export { historyFile } from './history-file.ts'
export { type InterruptPlan, type InterruptState, interruptPlan } from './interrupt-plan.ts'
export { type InterruptOptions, useInterrupts } from './use-interrupts.ts'
