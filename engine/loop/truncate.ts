/** Cuts a tool's answer to what the model may read, and keeps the whole of it in a file. */

import { estimateTokens } from '../context/budget.ts'
import type { ArtifactStore } from '../ports/index.ts'
import { cutAfter, cutBefore } from '../protocol/index.ts'

export type Truncated = { content: string; truncated?: { artifact: string; omittedChars: number } }

/** Content of at most about `maxTokens`; the middle is left out, the full text spilled to an artifact named in the gap. */
export function truncateContent(content: string, maxTokens: number, artifacts: ArtifactStore, name: string): Truncated {
  // Four characters a token at least: shorter text cannot exceed the limit by much, and is the common case.
  if (content.length <= maxTokens * 2 || estimateTokens(content) <= maxTokens) return { content }
  const keep = Math.max(400, Math.floor((content.length * maxTokens) / estimateTokens(content)))
  const head = cutAtLine(content.slice(0, cutBefore(content, Math.floor(keep * 0.6))), 'end')
  const tail = cutAtLine(content.slice(cutAfter(content, content.length - Math.floor(keep * 0.4))), 'start')
  const omittedChars = content.length - head.length - tail.length
  const artifact = artifacts.create(name)
  artifact.write(content)
  artifact.close()
  const where = artifact.failed
    ? `the full text could not be kept: ${artifact.failed}`
    : `the full text is in ${artifact.path}`
  return {
    content: `${head}\n[… ${omittedChars} characters left out here; ${where} …]\n${tail}`,
    truncated: { artifact: artifact.path, omittedChars },
  }
}

function cutAtLine(text: string, side: 'start' | 'end'): string {
  const at = side === 'end' ? text.lastIndexOf('\n') : text.indexOf('\n')
  // A cut at a line is nicer, but not at the price of half the text.
  if (side === 'end') return trimSurrogate(at > text.length / 2 ? text.slice(0, at) : text)
  return trimSurrogate(at >= 0 && at < text.length / 2 ? text.slice(at + 1) : text)
}

/** Half of a surrogate pair at either end would be sent as an invalid character. */
function trimSurrogate(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]/, '').replace(/[\uD800-\uDBFF]$/, '')
}
