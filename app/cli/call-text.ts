/** A call as a person writes it, `bash(git status)` or `edit_file(src/a.ts)`, as the call that a model would make. */
import type { CallSpec } from '../compose/permissions.ts'
import { UsageError } from './usage-error.ts'

/** What stands in the brackets, by tool; other tools take none. */
const inputs: Record<string, (text: string) => Record<string, unknown>> = {
  bash: (command) => ({ command }),
  read_file: (path) => ({ path }),
  list_dir: (path) => ({ path }),
  edit_file: (path) => ({ path }),
  write_file: (path) => ({ path, content: '' }),
  glob: (path) => ({ pattern: '*', path }),
  grep: (path) => ({ pattern: '.', path }),
  web_fetch: (url) => ({ url: url.startsWith('domain:') ? `https://${url.slice('domain:'.length)}/` : url }),
  ask_user: (question) => ({ question }),
}

export function parseCall(text: string): CallSpec {
  const [, tool = '', brackets, inside = ''] = /^\s*([A-Za-z_][\w.-]*)(\(([\s\S]*)\))?\s*$/.exec(text) ?? []
  if (tool === '') {
    throw new UsageError(
      `${JSON.stringify(text)} is not a call.`,
      "Write the tool with what it is called with in brackets: 'bash(npm test)', 'read_file(~/notes.md)'.",
    )
  }
  if (brackets === undefined) return { tool, input: {} }
  const input = inputs[tool]
  if (input === undefined && !tool.startsWith('mcp__')) {
    throw new UsageError(
      `What stands in the brackets of ${tool} cannot be told.`,
      `Tools that can be tested so are: ${Object.keys(inputs).join(', ')}.`,
    )
  }
  return { tool, input: input?.(inside) ?? {} }
}
