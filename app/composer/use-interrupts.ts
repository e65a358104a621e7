/** Ctrl+C, Ctrl+D and Esc below everything else: what no dialog, overlay or draft wanted. */
import { actionOf, KeysContext, useKeys } from '@sluice/permissions-ui'
import { useContext, useEffect, useRef, useState } from 'react'
import { hintMs, interruptPlan } from './interrupt-plan.ts'

export type InterruptOptions = {
  active?: boolean
  draftEmpty: boolean
  running: boolean
  onInterrupt(): void
  onLeave(): void
  /** Two Escs on an idle session with an empty draft. */
  onRewind(): void
}

/** Subscribes to the global layer; the composer clears its draft itself before. Returns the hint to show, or null. */
export function useInterrupts(options: InterruptOptions): string | null {
  const { table } = useContext(KeysContext)
  const [hint, setHint] = useState<{ text: string; at: number } | null>(null)
  const escapeAt = useRef<number | null>(null)
  const shown = useRef<{ text: string; at: number } | null>(null)
  shown.current = hint

  useEffect(() => {
    if (hint === null) return
    const timer = setTimeout(() => setHint(null), hintMs)
    return () => clearTimeout(timer)
  }, [hint])

  useKeys('global', options.active ?? true, (press) => {
    const action = actionOf(table, 'global', press)
    const key =
      action === 'cancel' ? 'ctrl+c' : action === 'leave' ? 'ctrl+d' : action === 'interrupt' ? 'escape' : null
    if (key === null) return false
    const now = press.time
    const plan = interruptPlan(
      {
        draftEmpty: options.draftEmpty,
        overlayOpen: false,
        running: options.running,
        hintAt: shown.current?.at ?? null,
        escapeAt: escapeAt.current,
        now,
      },
      key,
    )
    escapeAt.current = plan === 'arm-rewind' ? now : null
    const show = (next: { text: string; at: number } | null) => {
      shown.current = next
      setHint(next)
    }
    if (plan === 'interrupt') {
      show(null)
      options.onInterrupt()
    } else if (plan === 'hint') show({ text: `press ${key} again to leave`, at: now })
    else if (plan === 'leave') options.onLeave()
    else if (plan === 'rewind') options.onRewind()
    return true
  })
  return hint?.text ?? null
}
