/** Says which words of a former process have not been sent yet, and when they will be. */
import { type EventBody, type QueuedInput, shorten } from '../protocol/index.ts'

export function waitingWords(queue: readonly QueuedInput[]): EventBody {
  const words = queue.map(({ text }) => `“${shorten(text.replace(/\s+/g, ' ').trim(), most)}”`).join(', ')
  const they = queue.length === 1 ? 'it goes' : 'they go'
  const text = `Not sent yet: ${words}; ${they} to the model before your next message.`
  return { type: 'notice', level: 'info', code: 'words_wait', text }
}

const most = 60
