/** The state of the screen: types, reducer, store and selectors. */
export * from './log.ts'
export { type Action, isAgentEvent, reduce, reduceView } from './reduce.ts'
export { appendTail, emptyTail, type Tail } from './retain.ts'
export * from './select.ts'
export * from './state.ts'
export { createStore, frameMs, type Store, type StoreOptions } from './store.ts'
export type { UiAction } from './ui-action.ts'
