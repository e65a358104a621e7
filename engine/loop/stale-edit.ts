/** Edits that a person permitted, and that found another version of their file than the one they saw. */
import type { FileLedger, PrepareContext, Prepared, ToolOutcome } from '../ports/index.ts'
import type { Entry } from './call-entry.ts'

/** The version of a file that a stale edit found, as its tool tells it. */
export type FoundVersion = { path: string; hash: string }

/**
 * The edit made anew on the version that is there now. Null where the outcome is no stale edit, or where the edit no longer
 * applies. The model has not read that version; the person sees what would be done to it, and decides.
 */
export async function prepareAnew(
  outcome: ToolOutcome,
  entry: Entry,
  context: PrepareContext,
): Promise<{ path: string; prepared: Prepared<unknown> } | null> {
  const found = versionFound(outcome)
  if (found === null || entry.tool?.kind !== 'edit') return null
  const prepared = await preparedOn([found], entry, context)
  return prepared === null ? null : { path: found.path, prepared }
}

/** The edit as if the model had read the versions that were found; null where it no longer applies. */
export async function preparedOn(
  found: readonly FoundVersion[],
  { call, tool, proposed }: Entry,
  context: PrepareContext,
): Promise<Prepared<unknown> | null> {
  const { files } = context
  const ledger: FileLedger = {
    get(path) {
      const seen = files.get(path)
      const now = found.find((version) => version.path === path)
      return now === undefined ? seen : { hash: now.hash, whole: seen?.whole ?? true }
    },
    note: (path, version) => files.note(path, version),
    forget: (path) => files.forget(path),
  }
  try {
    if (tool?.rebase && proposed) return await tool.rebase(proposed.plan, { ...context, files: ledger })
    const input = tool?.input.validate(call.input)
    return tool && input?.ok ? await tool.prepare(input.value, { ...context, files: ledger }) : null
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

export function versionFound({ ok, metadata }: ToolOutcome): FoundVersion | null {
  const now = ok || metadata?.stale !== true ? null : metadata.now
  if (typeof now !== 'object' || now === null) return null
  const { path, hash } = now as { path?: unknown; hash?: unknown }
  return typeof path === 'string' && typeof hash === 'string' ? { path, hash } : null
}
