/** Which dialog a request gets. */
import type { PermissionRequest, ToolKind } from '@sluice/engine/protocol'
import type { Body, BodyOptions } from './body.ts'
import { commandBody } from './command.ts'
import { editBody } from './edit.ts'
import { genericBody } from './generic.ts'
import { questionBody } from './question.ts'

const bodies: Record<ToolKind, (request: PermissionRequest, options: BodyOptions) => Body> = {
  edit: editBody,
  execute: commandBody,
  ask: questionBody,
  read: genericBody,
  network: genericBody,
}

/** The rows that a request is about. */
export function requestBody(request: PermissionRequest, options: BodyOptions): Body {
  return bodies[request.kind](request, options)
}

/** Commands are read to their end before anybody can say yes. */
export function mustSeeEnd(request: PermissionRequest): boolean {
  return request.kind === 'execute' || request.blocks.some((block) => block.type === 'command')
}
