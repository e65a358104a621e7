/** edit_file: replaces passages of one text file. */
import { defineTool, type PrepareContext, type Prepared } from '@sluice/engine/ports'
import { z } from 'zod/v3'
import { staleFile } from '../shared/atomic-write.ts'
import { escapeWarning } from '../shared/escape-warning.ts'
import { zodInput } from '../shared/json-schema.ts'
import { missingPath } from '../shared/missing-path.ts'
import { resolveFile } from '../shared/paths.ts'
import { amendChange, currentText, prepareChange, runChange, type TextChange } from '../shared/text-change.ts'
import { textChanges } from '../shared/text-changes.ts'
import { utf8 } from '../shared/text-encoding.ts'
import { applyEdits, type Edit } from './apply-edits.ts'

const input = z.object({
  path: z.string().describe('The file, relative to the workspace or absolute.'),
  edits: z
    .array(
      z.object({
        old_text: z
          .string()
          .describe('The passage to replace, exactly as in the file. Empty only to create a file that does not exist.'),
        new_text: z.string().describe('What stands there afterwards. Empty deletes the passage.'),
        replace_all: z.boolean().optional().describe('Replace every occurrence instead of the only one.'),
      }),
    )
    .min(1)
    .describe('Applied in order, each to the result of the one before; all of them or none.'),
})

export const editFileTool = defineTool<z.output<typeof input>, TextChange>({
  name: 'edit_file',
  kind: 'edit',
  description:
    'Replaces passages of a text file. Read the file with read_file first; a file that changed since then is refused. ' +
    'Each old_text must occur exactly once (add surrounding lines until it does) unless replace_all is set. Copy it ' +
    'from the file without line numbers. Line endings, encoding and everything outside the passage stay as they are.',
  input: zodInput(input),
  timeoutMs: 60_000,
  maxResultTokens: 12_000,
  prepare: async ({ path, edits }, context) => prepareEdits(path, edits, context),
  amend: (plan, amendment) => amendChange(plan, amendment),
  changes: textChanges,
  run: runChange,
})

async function prepareEdits(path: string, edits: Edit[], context: PrepareContext): Promise<Prepared<TextChange>> {
  const at = await resolveFile(path, context.cwd)
  const warnings = edits.flatMap((edit, i) => escapeWarning(edit.new_text, `edits[${i}].new_text`) ?? [])
  const old = await currentText(at, context, 'any')
  if (old !== null) {
    const edited = applyEdits(old.text, edits, at.shown)
    const notes = [...edited.notes, ...warnings]
    return prepareChange({ at, old, newText: edited.text, encoding: old.encoding, notes, wholeText: false })
  }
  const [first, ...rest] = edits
  if (first?.old_text !== '') throw context.files.get(at.path) ? staleFile(at.shown, 'gone') : await missingPath(at)
  const created = applyEdits(first.new_text, rest, at.shown)
  const notes = [...created.notes, ...warnings]
  return prepareChange({ at, old, newText: created.text, encoding: utf8, notes, wholeText: false })
}
