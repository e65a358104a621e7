/** The body of a command: its whole text, and the parts that the rules judged. */
import type { PermissionRequest } from '@sluice/engine/protocol'
import { type Body, type BodyOptions, blocksBody, factsBody, headingBody, needsBody, stackBodies } from './body.ts'

/** The command as the person wrote it. What the rules judged was another one, so their verdicts are not shown. */
export function editedCommandBody(request: PermissionRequest, command: string, options: BodyOptions): Body {
  const edited = request.blocks.map((block) => (block.type === 'command' ? { ...block, command } : block))
  return blocksBody(edited, options)
}

export function commandBody(request: PermissionRequest, options: BodyOptions): Body {
  const { needs } = request
  const command = blocksBody(request.blocks, options)
  const [only] = needs
  if (only === undefined) return command
  // One simple command is its own only part, and why it is asked stands above: what is left to say are its dangers.
  if (needs.length === 1 && isWhole(request)) {
    return stackBodies([command, factsBody(only, options, `asks: ${request.reason}`)])
  }
  const parts = needs.length === 1 ? 'how it was judged' : `its ${needs.length} parts, as they were judged`
  return stackBodies([command, headingBody(parts, options.theme), needsBody(needs, options)])
}

function isWhole({ needs, blocks }: PermissionRequest): boolean {
  const need = needs[0]?.need
  return need?.type === 'command' && blocks.some((block) => block.type === 'command' && block.command === need.text)
}
