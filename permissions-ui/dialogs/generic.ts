/** The body of any other request: what the tool shows, and what it needs. */
import type { PermissionRequest } from '@sluice/engine/protocol'
import { styledRow } from '../blocks/styled-row.ts'
import { wrapCells } from '../text/cells.ts'
import {
  type Body,
  type BodyOptions,
  blocksBody,
  headingBody,
  indent,
  needsBody,
  rowsBody,
  stackBodies,
  visibleText,
} from './body.ts'

export function genericBody(request: PermissionRequest, options: BodyOptions): Body {
  const shown =
    request.blocks.length > 0
      ? blocksBody(request.blocks, options)
      : rowsBody(
          indent(
            wrapCells(visibleText(request.title), Math.max(1, options.width - 1), { hard: true }).map((text) =>
              styledRow({ text }),
            ),
          ),
        )
  if (request.needs.length === 0) return shown
  return stackBodies([shown, headingBody('what it needs', options.theme), needsBody(request.needs, options)])
}
