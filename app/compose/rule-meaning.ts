/** What a permission rule covers, in words. */
import type { ParsedRule } from '@sluice/engine'

export function ruleMeaning({ tool, text, matcher }: ParsedRule): string {
  switch (matcher.type) {
    case 'any':
      return `every call of ${tool}${kin(tool)}`
    case 'command': {
      const { pattern } = matcher
      if (pattern.type === 'any') return 'every plain command, but no wrapper, shell or interpreter'
      const words = pattern.words.map(quoted).join(' ')
      return pattern.type === 'exact' ? `exactly the command ${words}` : `${words}, alone and with more arguments`
    }
    case 'path':
      return `${verbs[tool] ?? tool} ${text.slice(text.indexOf('(') + 1, -1).trim()}${kin(tool)}`
    case 'domain':
      return tool === 'bash' ? `what commands in the sandbox reach on ${matcher.host}` : `fetching from ${matcher.host}`
    case 'mcp': {
      if (matcher.server === null) return 'every tool of every MCP server'
      return matcher.tool === null
        ? `every tool of the MCP server ${matcher.server}`
        : `the tool ${matcher.tool} of the MCP server ${matcher.server}`
    }
  }
}

const verbs: Record<string, string> = {
  read_file: 'reading',
  list_dir: 'listing',
  glob: 'finding files in',
  grep: 'searching in',
  edit_file: 'changing',
  write_file: 'writing anew',
}

function kin(tool: string): string {
  if (tool === 'read_file') return ', by every tool that reads'
  return tool === 'edit_file' ? ', by edit_file and write_file' : ''
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)
}
