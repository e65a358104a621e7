/** The side panel of a session, with the clock that its running parts need. */
import { memo } from 'react'
import { SidePanel } from '../dashboard/SidePanel.tsx'
import type { OpenQuestion, SessionView } from '../state/index.ts'
import { isMoving } from './activity.ts'
import { useNow } from './use-now.ts'

export type PanelProps = {
  view: SessionView
  questions: readonly OpenQuestion[]
  width: number
  height: number
  clock: () => number
}

export const Panel = memo(function Panel({ view, questions, width, height, clock }: PanelProps) {
  const now = useNow(isMoving(view), 1_000, clock)
  return <SidePanel view={view} questions={questions} width={width} height={height} now={now} />
})
