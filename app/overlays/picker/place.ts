/** How the list of sessions is divided at a size; pure. */

export type Place = {
  /** Rows of the list. */
  list: number
  listWidth: number
  /** The preview stands at the right of the list, not below it. */
  beside: boolean
  /** Rows of the preview; 0 when there is none. */
  preview: number
  previewWidth: number
  rules: boolean
}

/** Title and filter always have a row each; `foot` are those of the hints. */
export function placeOf(width: number, height: number, foot = 1): Place {
  const rules = height >= 14
  const room = Math.max(1, height - 2 - foot - (rules ? 1 : 0))
  if (rules && width >= besideFrom) {
    const previewWidth = Math.min(80, Math.floor(width * 0.36))
    return { list: room, listWidth: width - previewWidth - 1, beside: true, preview: room, previewWidth, rules }
  }
  // With the rule above it and a gap below.
  const preview = rules && room >= 10 ? Math.min(11, Math.floor(room * 0.42)) : 0
  return {
    list: room - (preview > 0 ? preview + 1 : 0),
    listWidth: width,
    beside: false,
    preview: Math.max(0, preview - 1),
    previewWidth: width,
    rules,
  }
}

/** Rows that what is said may take: a question about a folder says which one, and rows of the list remain. */
export function mostFoot(height: number): number {
  return height < 10 ? 1 : 3
}

const besideFrom = 140
