/** A session's view for everything but the stream: it stays the same object while only words arrive. */
import { useRef } from 'react'
import type { AppState, SessionView } from '../state/index.ts'
import { useSelected } from './use-store.ts'

/** The view of `sessionId`; its `live` words may be older than the store's, its calls never are. */
export function useQuietView(sessionId: string | null): SessionView | null {
  const last = useRef<SessionView | null>(null)
  return useSelected((state: AppState) => {
    const next = sessionId === null ? null : (state.sessions[sessionId] ?? null)
    if (last.current === null || next === null || !sameButWords(last.current, next)) last.current = next
    return last.current
  })
}

/** True when two views differ at most in the words that stream. */
export function sameButWords(a: SessionView, b: SessionView): boolean {
  if (a === b) return true
  for (const key of Object.keys(b) as (keyof SessionView)[]) {
    if (key !== 'live' && a[key] !== b[key]) return false
  }
  if (a.live === b.live) return true
  if (a.live === null || b.live === null) return false
  const begun = (text: string) => text !== ''
  return (
    a.live.calls === b.live.calls &&
    begun(a.live.text) === begun(b.live.text) &&
    begun(a.live.reasoning) === begun(b.live.reasoning)
  )
}
