/** Which dialog a request gets. */
import type { PermissionRequest, ToolKind } from '@sluice/engine/protocol'
import type { DialogState } from '../dialog-steps.ts'
import type { Body, BodyOptions } from './body.ts'
import { commandBody, editedCommandBody } from './command.ts'
import { editBody, reviewedBody } from './edit.ts'
import { genericBody } from './generic.ts'
import { questionBody } from './question.ts'
import { areaBody, type ReviewLines, type ReviewPlaces, reviewBody } from './review.ts'

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

/** The rows of a dialog as its state has them: what is being edited, what is selected, the request itself. */
export function dialogBody(
  request: PermissionRequest,
  { mode, area, review, command }: Pick<DialogState, 'mode' | 'area' | 'review' | 'command'>,
  lines: ReviewLines | null,
  options: BodyOptions,
): Body & { places?: ReviewPlaces } {
  if (mode === 'edit' && area !== null) return areaBody(area.area, area.first, options)
  if (review !== null && lines !== null) {
    const change = reviewBody(review, lines, options)
    return { ...reviewedBody(request, change, options), places: change.places }
  }
  return command === null ? requestBody(request, options) : editedCommandBody(request, command, options)
}

/** Commands are read to their end before anybody can say yes. */
export function mustSeeEnd(request: PermissionRequest): boolean {
  return request.kind === 'execute' || request.blocks.some((block) => block.type === 'command')
}
