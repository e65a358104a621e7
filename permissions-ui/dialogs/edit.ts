/** The body of a change to files: the change and nothing else. */
import type { PermissionRequest } from '@sluice/engine/protocol'
import { type Body, type BodyOptions, blocksBody, headingBody, needsBody, stackBodies } from './body.ts'

export function editBody(request: PermissionRequest, options: BodyOptions): Body {
  return withTargets(request, blocksBody(request.blocks, options), options)
}

/** A change that is under review, with what else the tool shows below it. */
export function reviewedBody(request: PermissionRequest, change: Body, options: BodyOptions): Body {
  const others = request.blocks.filter((block) => block.type !== 'diff')
  return withTargets(
    request,
    others.length === 0 ? change : stackBodies([change, blocksBody(others, options)]),
    options,
  )
}

function withTargets(request: PermissionRequest, change: Body, options: BodyOptions): Body {
  // Paths inside the workspace are the file heads themselves; anything else is said in words.
  const beyond = request.needs.filter(({ need, verdict }) => need.type !== 'path' || !need.inside || verdict === 'deny')
  if (beyond.length === 0) return change
  return stackBodies([change, headingBody('what it touches', options.theme), needsBody(beyond, options)])
}
