/** The built-in tools, in the order in which the model is told of them: a new tool is one line here. */
import type { Tool } from '@sluice/engine/ports'
import { askUserTool } from './ask-user/tool.ts'
import { bashTool } from './bash/tool.ts'
import { editFileTool } from './edit-file/tool.ts'
import { globTool } from './glob/tool.ts'
import { grepTool } from './grep/tool.ts'
import { listDirTool } from './list-dir/tool.ts'
import { readFileTool } from './read-file/tool.ts'
import { todoTool } from './todo/tool.ts'
import { writeFileTool } from './write-file/tool.ts'

export const builtinTools: readonly Tool[] = [
  readFileTool,
  listDirTool,
  globTool,
  grepTool,
  editFileTool,
  writeFileTool,
  bashTool,
  todoTool,
  askUserTool,
]

export { killAllNow, stopAllCommands } from './bash/processes.ts'
export { listFiles } from './glob/list-files.ts'
export { oldText } from './shared/old-text.ts'
export { pathNeed, resolvePath } from './shared/paths.ts'
export { reviewedFiles } from './shared/reviewed-files.ts'
