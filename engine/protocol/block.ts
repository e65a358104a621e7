/** What a tool shows: blocks of data that the UI renders; a tool writes no React. */

/** `text` is the line without its ending; `noNewline` marks a last line that has none. Numbers count from 1. */
export type DiffLine = {
  kind: 'context' | 'add' | 'del'
  text: string
  oldLine?: number
  newLine?: number
  noNewline?: boolean
}

/** Starts count from 1; a start is 0 when its side has no lines. `section` is the nearest enclosing heading, if known. */
export type Hunk = {
  oldStart: number
  oldLines: number
  newStart: number
  newLines: number
  lines: DiffLine[]
  section?: string
}

/** The whole change of one file; `path` is relative to the workspace when inside it. Hashes are sha256 hex of the bytes. */
export type FileDiff = {
  path: string
  change: 'create' | 'edit' | 'delete'
  hunks: Hunk[]
  additions: number
  deletions: number
  oldHash: string | null
  newHash: string | null
  /** Present when the text is not the whole story: binary, mode or encoding changes. */
  note?: string
}

export type TodoItem = { id: string; text: string; status: 'pending' | 'in_progress' | 'done' | 'dropped' }

export type Block =
  | { type: 'text'; text: string }
  | { type: 'markdown'; text: string }
  | { type: 'code'; text: string; language?: string; path?: string; startLine?: number }
  | { type: 'diff'; diff: FileDiff }
  | { type: 'command'; command: string; cwd: string; timeoutMs?: number; background?: boolean }
  | {
      type: 'output'
      text: string
      exitCode?: number | null
      signal?: string
      omittedBytes?: number
      artifact?: string
    }
  | { type: 'files'; paths: string[]; omitted?: number }
  | { type: 'todo'; items: TodoItem[] }
  | { type: 'question'; question: string; options?: string[]; answer?: string }
  | { type: 'error'; text: string }
