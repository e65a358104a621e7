/** What each permission mode allows or refuses by itself, where no rule speaks. */
import type { PermissionMode, PermissionNeed, ToolKind } from '../protocol/index.ts'
import { permissionModes } from '../protocol/index.ts'

/** The mode that follows when the person cycles: default, accept-edits, plan, yolo, and around again. */
export function nextMode(mode: PermissionMode): PermissionMode {
  const at = permissionModes.indexOf(mode)
  return permissionModes[(at + 1) % permissionModes.length] as PermissionMode
}

/** One line for the screen: what the mode means for the person. */
export const modeMeaning: Readonly<Record<PermissionMode, string>> = {
  default: 'reads in the workspace run, everything else asks',
  'accept-edits': 'edits in the workspace run as well; commands ask',
  plan: 'reads only: nothing is written, nothing is executed',
  yolo: 'everything runs except what a deny or ask rule or a protected path holds back',
}

/** Why plan mode refuses this need, in words for the model; null when it does not. `need` null is a call without needs. */
export function refusedByPlan(need: PermissionNeed | null, kind: ToolKind): string | null {
  const changes =
    need === null || need.type === 'network' || need.type === 'mcp'
      ? kind === 'edit' || kind === 'execute'
      : need.type === 'command' || need.access !== 'read'
  return changes ? planRefusal : null
}

const planRefusal =
  'plan mode is on: nothing may be written or executed. Read, think and describe the plan; the person ends plan mode when ' +
  'they agree'

/** True when accept-edits covers the need: files in the workspace are written, none is deleted. */
export function acceptedEdit(need: PermissionNeed, kind: ToolKind): boolean {
  return kind === 'edit' && need.type === 'path' && need.access === 'write' && need.inside
}
