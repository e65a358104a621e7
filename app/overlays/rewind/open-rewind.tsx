/** Opens the rewind of the session in focus; its code comes when it is wanted. */
import type { OverlayProps } from '../index.tsx'
import { Later } from '../Later.tsx'

const loadRewind = async () => (await import('./RewindOverlay.tsx')).RewindOverlay

export function openRewind({ width, height, store, live, control, close }: OverlayProps) {
  const session = live.focused()?.runtime.session
  if (session === undefined) return null
  return (
    <Later
      load={loadRewind}
      props={{
        width,
        height,
        rewind: session.rewind,
        onDone({ conversation, undoes, input }) {
          close()
          if (!conversation || undoes !== undefined) return
          store.dispatch({ type: 'ui_draft', draft: { sessionId: session.id, text: input } })
        },
        onFork: (turnId) => control.fork({ id: session.id, turnId }),
        onClose: close,
        onTyped(text) {
          close()
          store.dispatch({ type: 'ui_draft', draft: { sessionId: session.id, text } })
        },
      }}
    />
  )
}
