/** A folder's own config file: what in it counts, what is ignored, and which programs it would have started. */
import { readFileSync, statSync } from 'node:fs'
import { type PermissionMode, permissionModes } from '@sluice/engine/protocol'
import { type Node, parseTree } from 'jsonc-parser'

/** A program that the folder wants to have run; `definition` is everything that decides what runs. */
export type ProjectProgram = { name: string; what: string; definition: unknown }

export type ProjectConfig = {
  /** The mode that the folder asks for; it counts where it is narrower than the person's. */
  permissionMode?: PermissionMode
  /** Keys that have no effect in a folder's config, in file order. */
  ignored: string[]
  programs: ProjectProgram[]
}

/**
 * Null when there is no such file. A folder can only narrow: beside `permissions`, which the rule store reads, and
 * `permissionMode`, nothing in its config counts, whatever it is called. Never throws: what cannot be read counts for
 * nothing, and the rule store reports it.
 */
export function readProjectConfig(file: string): ProjectConfig | null {
  const text = readPlainFile(file)?.toString('utf8')
  if (text === undefined) return null
  const config: ProjectConfig = { ignored: [], programs: [] }
  for (const { key, value } of fields(parseTree(text.replace(/^\uFEFF/, ' '), [], { allowTrailingComma: true }))) {
    if (key === 'permissions') continue
    if (key === 'permissionMode' && isMode(value?.value)) {
      // Of two, the narrower one.
      config.permissionMode = narrower(config.permissionMode ?? 'yolo', value.value)
      continue
    }
    config.ignored.push(key)
    if (key === 'mcpServers' || key === 'mcp') config.programs.push(...fields(value).map(asServer))
    if (key === 'hooks') config.programs.push({ name: 'hooks', what: 'hooks', definition: plain(value) })
  }
  return config
}

/** Null when there is no file, or something that nobody would configure with: a pipe, a device, many megabytes. */
export function readPlainFile(path: string): Buffer | null {
  try {
    const found = statSync(path)
    return found.isFile() && found.size <= mostBytes ? readFileSync(path) : null
  } catch {
    return null
  }
}

const mostBytes = 4_000_000

/** MCP servers of a `.mcp.json`; none when it is missing or cannot be read. */
export function readMcpServers(file: string): ProjectProgram[] {
  return readProjectConfig(file)?.programs ?? []
}

/** The mode that allows less. */
export function narrower(one: PermissionMode, other: PermissionMode): PermissionMode {
  return breadth.indexOf(one) <= breadth.indexOf(other) ? one : other
}

const breadth: readonly PermissionMode[] = ['plan', 'default', 'accept-edits', 'yolo']

function isMode(value: unknown): value is PermissionMode {
  return permissionModes.some((mode) => mode === value)
}

function asServer({ key, value }: Field): ProjectProgram {
  const definition = plain(value)
  const { command, args, url } = (definition ?? {}) as { command?: unknown; args?: unknown; url?: unknown }
  const words = [command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === 'string')
  const runs = words.length > 0 ? words.join(' ') : typeof url === 'string' ? url : 'nothing that can be told'
  return { name: `MCP server ${key}`, what: runs, definition }
}

type Field = { key: string; value: Node | undefined }

function fields(node: Node | undefined): Field[] {
  if (node?.type !== 'object') return []
  return (node.children ?? []).map((child) => ({ key: String(child.children?.[0]?.value), value: child.children?.[1] }))
}

function plain(node: Node | undefined): unknown {
  if (node === undefined) return undefined
  if (node.type === 'array') return (node.children ?? []).map(plain)
  if (node.type !== 'object') return node.value
  return Object.fromEntries(fields(node).map(({ key, value }) => [key, plain(value)]))
}
