/** The person's config file: JSONC, checked, with errors that name file and line. */
import { readFileSync } from 'node:fs'
import type { PermissionMode } from '@sluice/engine/protocol'
import { UsageError } from './cli/usage-error.ts'

export type Config = {
  model?: string
  baseUrl?: string
  permissionMode?: PermissionMode
  maxTurns?: number
  maxCostUsd?: number
  timeoutSeconds?: number
  /** A name that `themeNamed` knows. */
  theme?: string
  /** Draw with ASCII only. */
  ascii?: boolean
  keys?: Record<string, Record<string, string | string[]>>
  reducedMotion?: boolean
  mouse?: boolean
  /** Known shapes of secrets in records: replaced (true, the default) or kept; a list adds expressions of one's own. */
  redact?: boolean | string[]
  notifications?: 'auto' | 'off' | 'bell' | 'osc9' | 'osc777'
  /** Where commands run; off is the default. */
  sandbox?: 'off' | 'on' | 'required'
  /** Hosts that commands in the sandbox reach without a question. */
  sandboxNetwork?: string[]
  /** What `sluice sessions gc` keeps. */
  sessions?: { maxAgeDays?: number; maxTotalMb?: number; keepPinned?: boolean; trashDays?: number }
  models?: Record<
    string,
    {
      contextWindow?: number
      maxOutputTokens?: number
      price?: { input: number; output: number; cachedInput?: number }
    }
  >
}

/** Config of `file`, or {} when there is none; warnings are for keys that are not known. Throws UsageError for the rest. */
export async function loadConfig(file: string): Promise<{ config: Config; warnings: string[] }> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { config: {}, warnings: [] }
    throw new UsageError(
      `The config file ${file} cannot be read: ${(error as Error).message}.`,
      'Make it readable, or move it away.',
    )
  }
  if (text.replace(/^\uFEFF/, '').trim() === '') return { config: {}, warnings: [] }
  // Loaded only when there is a file: most starts need neither.
  const [{ parseTree, getNodeValue, findNodeAtLocation, printParseErrorCode }, { configSchema }] = await Promise.all([
    import('jsonc-parser'),
    import('./config-schema.ts'),
  ])
  const errors: { error: number; offset: number; length: number }[] = []
  const tree = parseTree(text.replace(/^\uFEFF/, ' '), errors, { allowTrailingComma: true })
  const first = errors[0]
  if (first) {
    const problem = printParseErrorCode(first.error)
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
    throw new UsageError(
      `${file}:${lineOf(text, first.offset)} is not valid JSONC: ${problem}.`,
      'Correct that line, or move the file away.',
    )
  }
  if (!tree) return { config: {}, warnings: [] }
  const checked = configSchema.safeParse(getNodeValue(tree))
  if (!checked.success) {
    const issue = checked.error.issues[0]
    const path = issue?.path ?? []
    const node = findNodeAtLocation(tree, path)
    throw new UsageError(
      path.length === 0
        ? `${file}:${lineOf(text, node?.offset ?? 0)} holds no object: a config is written { "key": value }.`
        : `${file}:${lineOf(text, node?.offset ?? 0)} "${path.join('.')}" is not valid: ${issue?.message ?? 'wrong type'}.`,
      'Correct that value; docs/CONTRACT.md lists the keys.',
    )
  }
  const known = new Set(Object.keys(configSchema.shape))
  const warnings = (tree.children ?? []).flatMap((property) => {
    const key = String(property.children?.[0]?.value)
    return known.has(key)
      ? []
      : [`${file}:${lineOf(text, property.offset)} the key "${key}" is not known and is ignored.`]
  })
  return { config: checked.data as Config, warnings }
}

/** The line of `file` on which the value at `path`, or the nearest one above it, begins; null when there is none. */
export async function configLine(file: string, path: readonly string[]): Promise<number | null> {
  const { parseTree, findNodeAtLocation } = await import('jsonc-parser')
  try {
    const text = readFileSync(file, 'utf8')
    const tree = parseTree(text.replace(/^\uFEFF/, ' '), [], { allowTrailingComma: true })
    for (let length = path.length; tree && length > 0; length--) {
      const node = findNodeAtLocation(tree, path.slice(0, length))
      if (node) return lineOf(text, (node.parent ?? node).offset)
    }
  } catch {
    // It was read a moment ago; without a line the file alone is named.
  }
  return null
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}
