/** The full-screen interface: what the program that starts it needs. */
export type { AppActions } from './actions.ts'
export { createMemory, forget, goBack, type Left, leftOf, type ScreenMemory } from './memory.ts'
export {
  type ComposerServices,
  type OverlaySize,
  type RenderLive,
  type RenderPlayer,
  Screen,
  type ScreenProps,
} from './Screen.tsx'
export { lastAnswer } from './screen-keys.ts'
export { Themed } from './Themed.tsx'
export { StoreContext, useSelected, useStore } from './use-store.ts'
