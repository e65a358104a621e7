/** The full-screen interface: what the program that starts it needs. */
export type { AppActions } from './actions.ts'
export { type ComposerServices, type OverlaySize, Screen, type ScreenProps } from './Screen.tsx'
export { lastAnswer } from './screen-keys.ts'
export { StoreContext, useSelected, useStore } from './use-store.ts'
