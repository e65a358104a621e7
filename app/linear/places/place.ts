/** A place that has the keys until it is left: a list that is told line by line, and asked about. */
import type { KeyPress, KeyTable } from '@sluice/permissions-ui'
import { spokenKey } from '../speech.ts'

export interface LinearPlace {
  /** What is told when it opens. */
  begin(): string[]
  press(press: KeyPress): void
  paste(text: string): void
  /** What is being written in it, or null. */
  field(): { label: string; text: string } | null
  /** It was left, or another place opens. */
  close(): void
}

/** What places speak with; `left` ends them: for the draft, for the open question, or for one that was just told. */
export type PlaceVoice = { say(lines: readonly string[]): void; left(to?: 'question' | 'told'): void }

/** `Press y to allow, n to deny, or Escape to close.` */
export function pressLine(
  table: KeyTable,
  context: string,
  actions: readonly (readonly [action: string, what: string])[],
): string {
  const parts = actions.flatMap(([action, what]) => {
    const key = table[context]?.[action]?.keys[0]
    return key === undefined ? [] : [`${spokenKey(key)} ${what}`]
  })
  return `Press ${parts.slice(0, -1).join(', ')} or ${parts.at(-1)}.`
}
