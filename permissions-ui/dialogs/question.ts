/** The body of a question to the person: its words; the answers stand below the body. */
import type { PermissionRequest } from '@sluice/engine/protocol'
import { styledRow } from '../blocks/styled-row.ts'
import { wrapCells } from '../text/cells.ts'
import { type Body, type BodyOptions, blocksBody, indent, rowsBody, stackBodies, visibleText } from './body.ts'

export function questionBody(request: PermissionRequest, options: BodyOptions): Body {
  const text = visibleText(request.question?.text ?? request.title)
  const words = wrapCells(text, Math.max(1, options.width - 1)).map((line) => styledRow({ text: line, bold: true }))
  const blocks = request.blocks.filter((block) => block.type !== 'question')
  return stackBodies([rowsBody(indent(words)), blocksBody(blocks, options)])
}
