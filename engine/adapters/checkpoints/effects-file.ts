/** The list of what calls changed, one line when a call begins and one when it has ended, so that a crash loses no earlier state. */
import { readFileSync } from 'node:fs'
import type { CallEffects, FileEffect, FolderEffects } from '../../ports/index.ts'
import { openAppender } from '../append-line.ts'

type Line =
  | { v: 1; type: 'begin'; effects: CallEffects }
  | { v: 1; type: 'end'; callId: string; turnId: string; files: FileEffect[]; gaps: string[]; folders?: FolderEffects }

export interface EffectsFile {
  /** Both return what went wrong, or undefined. */
  begin(effects: CallEffects): string | undefined
  end(effects: CallEffects): string | undefined
  /** Oldest first. A call that never ended has files whose `after` is null. */
  read(): CallEffects[]
  sync(): void
  close(): void
}

export const cutOff = 'sluice was cut off while this ran: what it changed may be more than is known'

export function openEffects(path: string): EffectsFile {
  const file = openAppender(path)
  return {
    begin: (effects) => file.append({ v: 1, type: 'begin', effects } satisfies Line),
    end: ({ callId, turnId, files, gaps, folders }) =>
      file.append({ v: 1, type: 'end', callId, turnId, files, gaps, folders } satisfies Line),
    read: () => foldEffects(readLines(path)),
    sync: () => file.sync(),
    close: () => file.close(),
  }
}

/** Ends without a beginning are passed over; a call whose end is missing says so. */
function foldEffects(lines: readonly Line[]): CallEffects[] {
  const out: CallEffects[] = []
  const open = new Map<string, CallEffects>()
  const keyOf = ({ turnId, callId }: { turnId: string; callId: string }) => `${turnId}\n${callId}`
  for (const line of lines) {
    if (line.type === 'begin') {
      const effects = { ...line.effects }
      out.push(effects)
      open.set(keyOf(effects), effects)
      continue
    }
    const begun = open.get(keyOf(line))
    if (begun === undefined) continue
    begun.files = line.files
    begun.gaps = line.gaps
    if (line.folders !== undefined) begun.folders = line.folders
    open.delete(keyOf(line))
  }
  for (const effects of open.values()) effects.gaps = [...effects.gaps, cutOff]
  return out.filter(({ files, gaps, folders }) => files.length > 0 || gaps.length > 0 || folders !== undefined)
}

function readLines(path: string): Line[] {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return []
  }
  return text.split('\n').flatMap((line): Line[] => {
    try {
      const value = JSON.parse(line) as Line
      const whole = value.v === 1 && (value.type === 'end' ? Array.isArray(value.files) : value.type === 'begin')
      return whole ? [value] : []
    } catch {
      return []
    }
  })
}
