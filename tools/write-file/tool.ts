/** write_file: creates a text file or replaces the whole content of one. */
import { defineTool } from '@sluice/engine/ports'
import { z } from 'zod/v3'
import { escapeWarning } from '../shared/escape-warning.ts'
import { zodInput } from '../shared/json-schema.ts'
import { resolveFile } from '../shared/paths.ts'
import {
  amendChange,
  type CurrentText,
  currentText,
  inStyleOf,
  prepareChange,
  runChange,
  type TextChange,
} from '../shared/text-change.ts'
import { rebaseChange, textChanges } from '../shared/text-changes.ts'
import { encodingNote, utf8 } from '../shared/text-encoding.ts'

const input = z.object({
  path: z.string().describe('The file, relative to the workspace or absolute. Missing folders are made.'),
  content: z.string().describe('The whole content, written exactly as it is.'),
})

export const writeFileTool = defineTool<z.output<typeof input>, TextChange>({
  name: 'write_file',
  kind: 'edit',
  description:
    'Creates a text file, or replaces all of an existing one, which must have been read completely with read_file ' +
    'before. To change a part of a file use edit_file, which is shorter and safer.',
  input: zodInput(input),
  timeoutMs: 60_000,
  maxResultTokens: 12_000,
  async prepare({ path, content }, context) {
    const at = await resolveFile(path, context.cwd)
    const old = await currentText(at, context, 'whole')
    const warning = escapeWarning(content, 'content')
    const newText = inStyleOf(old, content)
    const notes = old === null ? [] : styleNotes(old, content, newText)
    return prepareChange({
      at,
      old,
      newText,
      encoding: old?.encoding ?? utf8,
      notes: warning === undefined ? notes : [...notes, warning],
      wholeText: true,
    })
  },
  amend: (plan, amendment) => amendChange(plan, amendment),
  rebase: rebaseChange,
  changes: textChanges,
  run: runChange,
})

function styleNotes(old: CurrentText, sent: string, written: string): string[] {
  const encoding = encodingNote(old.encoding)
  return [
    ...(encoding === undefined ? [] : [`The file's encoding was kept: ${encoding}.`]),
    ...(written.includes('\r') && !sent.includes('\r') ? ["The file's CRLF line endings were kept."] : []),
  ]
}
