/** The body of a command: its whole text, and the parts that the rules judged. */
import type { PermissionRequest } from '@sluice/engine/protocol'
import { type Body, type BodyOptions, blocksBody, headingBody, needsBody, stackBodies } from './body.ts'

export function commandBody(request: PermissionRequest, options: BodyOptions): Body {
  const parts =
    request.needs.length === 1 ? 'how it was judged' : `its ${request.needs.length} parts, as they were judged`
  const command = blocksBody(request.blocks, options)
  if (request.needs.length === 0) return command
  return stackBodies([command, headingBody(parts, options.theme), needsBody(request.needs, options)])
}
