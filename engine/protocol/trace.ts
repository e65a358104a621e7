/** One timed step of a turn; spans of a turn form a tree by `parentId`. */
export type TraceSpan = {
  id: string
  parentId?: string
  /** For example `turn.run`, `context.build`, `model.call`, `tool.edit_file`, `permission.ask`, `fs.atomic_write`. */
  name: string
  startedAt: string
  endedAt?: string
  durationMs?: number
  attributes: Record<string, unknown>
  status: 'ok' | 'error'
}
