/** The body of a change to files: the change and nothing else. */
import type { PermissionRequest } from '@sluice/engine/protocol'
import { type Body, type BodyOptions, blocksBody, headingBody, needsBody, stackBodies } from './body.ts'

export function editBody(request: PermissionRequest, options: BodyOptions): Body {
  const change = blocksBody(request.blocks, options)
  // Paths inside the workspace are the file heads themselves; anything else is said in words.
  const beyond = request.needs.filter(({ need, verdict }) => need.type !== 'path' || !need.inside || verdict === 'deny')
  if (beyond.length === 0) return change
  return stackBodies([change, headingBody('what it touches', options.theme), needsBody(beyond, options)])
}
