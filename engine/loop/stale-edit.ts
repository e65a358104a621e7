/** An edit that a person permitted, and that found another version of its file than the one they saw. */
import type { FileLedger, PrepareContext, Prepared, Tool, ToolOutcome } from '../ports/index.ts'
import type { ToolCall } from '../protocol/index.ts'

/**
 * The edit made anew on the version that is there now. Null where the outcome is no stale edit, or where the edit no longer
 * applies. The model has not read that version; the person sees what would be done to it, and decides.
 */
export async function prepareAnew(
  outcome: ToolOutcome,
  call: ToolCall,
  tool: Tool,
  context: PrepareContext,
): Promise<{ path: string; prepared: Prepared<unknown> } | null> {
  const now = versionNow(outcome)
  if (now === null || tool.kind !== 'edit') return null
  const input = tool.input.validate(call.input)
  if (!input.ok) return null
  const { files } = context
  const seen = files.get(now.path)
  const ledger: FileLedger = {
    get: (path) => (path === now.path ? { hash: now.hash, whole: seen?.whole ?? true } : files.get(path)),
    note: (path, version) => files.note(path, version),
    forget: (path) => files.forget(path),
  }
  try {
    return { path: now.path, prepared: await tool.prepare(input.value, { ...context, files: ledger }) }
  } catch {
    // What no longer applies is told by the failure that there is already.
    return null
  }
}

/** The outcome of an edit made on a version that the model has not seen. */
export function afterChange(outcome: ToolOutcome): ToolOutcome {
  if (!outcome.ok) return outcome
  const words =
    'Somebody else had changed the file since you read it, and the edit was made on their version after the person saw it again. Read the file before you change it further.'
  return { ...outcome, content: `${outcome.content}\n${words}` }
}

/** The version of the file that a stale edit found, as its tool tells it. */
function versionNow({ ok, metadata }: ToolOutcome): { path: string; hash: string } | null {
  const now = ok || metadata?.stale !== true ? null : metadata.now
  if (typeof now !== 'object' || now === null) return null
  const { path, hash } = now as { path?: unknown; hash?: unknown }
  return typeof path === 'string' && typeof hash === 'string' ? { path, hash } : null
}
