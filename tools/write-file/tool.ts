/** write_file: creates a text file or replaces the whole content of one. */
import { defineTool } from '@sluice/engine/ports'
import { z } from 'zod/v3'
import { escapeWarning } from '../shared/escape-warning.ts'
import { zodInput } from '../shared/json-schema.ts'
import { resolvePath } from '../shared/paths.ts'
import {
  adaptEndings,
  amendChange,
  type CurrentText,
  currentText,
  prepareChange,
  runChange,
  type TextChange,
} from '../shared/text-change.ts'
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
    const at = await resolvePath(path, context.cwd)
    const old = await currentText(at, context, 'whole')
    const warning = escapeWarning(content, 'content')
    const { text, notes } = old === null ? { text: content, notes: [] } : inStyleOf(old, content)
    return prepareChange({
      at,
      old,
      newText: text,
      encoding: old?.encoding ?? utf8,
      notes: warning === undefined ? notes : [...notes, warning],
      wholeText: true,
    })
  },
  amend: (plan, amendment) => amendChange(plan, amendment),
  run: runChange,
})

/** Keeps what a model does not see of the old file: its byte order mark, its encoding and CRLF throughout. */
function inStyleOf(old: CurrentText, content: string): { text: string; notes: string[] } {
  const notes: string[] = []
  const note = encodingNote(old.encoding)
  if (note !== undefined) notes.push(`The file's encoding was kept: ${note}.`)
  // The mark is not part of the text; a second one would be.
  const unmarked = old.encoding.bom ? content.replace(/^\ufeff/, '') : content
  const text = adaptEndings(unmarked, old.text)
  if (text !== unmarked) notes.push("The file's CRLF line endings were kept.")
  return { text, notes }
}
