/** A title as a person gives it: one line of a length that lists and files can take. */
import { graphemes } from '@sluice/permissions-ui'

export const longestTitle = 200

/** `remark` says that it was cut; '' when it was not. */
export function titleGiven(text: string): { title: string; remark: string } {
  // Far more than is kept: nobody waits for a whole file that was pasted.
  const line = text
    .slice(0, longestTitle * 50)
    .replace(/\s+/g, ' ')
    .trim()
  const letters = line.length <= longestTitle ? [] : graphemes(line)
  if (letters.length <= longestTitle) return { title: line, remark: '' }
  return {
    title: letters.slice(0, longestTitle).join('').trim(),
    remark: `The title was cut: it may have ${longestTitle} characters`,
  }
}
