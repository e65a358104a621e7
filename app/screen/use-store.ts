/** The store for components: they render again only when what they selected is another object. */
import { createContext, useContext, useSyncExternalStore } from 'react'
import { type AppState, createStore, type Store } from '../state/index.ts'

export const StoreContext = createContext<Store>(createStore())

export function useStore(): Store {
  return useContext(StoreContext)
}

/** `select` must give the same object while nothing it looks at has changed. */
export function useSelected<T>(select: (state: AppState) => T): T {
  const store = useContext(StoreContext)
  return useSyncExternalStore(store.subscribe, () => select(store.getState()))
}
