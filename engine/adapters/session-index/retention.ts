/** Which stored sessions a person's limits say goodbye to; pure. */

/** Absent limits limit nothing. */
export type Retention = {
  maxAgeDays?: number
  maxTotalMb?: number
  /** Pinned ones stay whatever the limits say (default). */
  keepPinned?: boolean
  /** How long deleted sessions lie in the trash; default 30. */
  trashDays?: number
}

export const defaultTrashDays = 30

export type Kept = {
  id: string
  title: string
  /** ISO 8601; '' when unknown. */
  updatedAt: string
  turns: number
  /** Without a turn: it was given a name all the same, or a draft was left in it. */
  used?: boolean
  pinned: boolean
  live: boolean
  /** Of its whole folder. */
  bytes: number
}

/** `empty`: nothing was ever said in it. */
export type Retired = { session: Kept; why: 'empty' | 'age' | 'size' }

/** Oldest first. Live ones always stay; of unknown age is nothing, so damage deletes nothing. `now` is ms since 1970. */
export function planRetention(sessions: readonly Kept[], limits: Retention, now: number): Retired[] {
  const { maxAgeDays, maxTotalMb, keepPinned = true } = limits
  const oldestFirst = sessions
    .filter(({ live, pinned, updatedAt }) => !live && !(pinned && keepPinned) && !Number.isNaN(Date.parse(updatedAt)))
    .sort((a, b) => Date.parse(a.updatedAt) - Date.parse(b.updatedAt))
  const retired: Retired[] = []
  let total = sessions.reduce((sum, { bytes }) => sum + bytes, 0)
  for (const session of oldestFirst) {
    const days = (now - Date.parse(session.updatedAt)) / dayMs
    const why =
      session.turns === 0 && !session.used && !session.pinned && days > emptyDays
        ? 'empty'
        : maxAgeDays !== undefined && days > maxAgeDays
          ? 'age'
          : maxTotalMb !== undefined && total > maxTotalMb * 1_000_000
            ? 'size'
            : null
    if (why === null) continue
    total -= session.bytes
    retired.push({ session, why })
  }
  return retired
}

export const dayMs = 86_400_000
/** A session that was opened and left is not missed after this time. */
const emptyDays = 1
