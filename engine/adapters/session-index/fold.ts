/** The fold from a session's records to what is known of it without reading them again; pure, and resumable after any record. */
import type { SessionSummary } from '../../ports/index.ts'
import type { AgentEvent, EventOf, Review, TodoItem } from '../../protocol/index.ts'
import { type Title, titleOf } from './title.ts'
import { marked, noMarks, type TurnMarks } from './turn-marks.ts'

/** Plain data: it is stored, and the next records are folded onto it. */
export type Folded = TurnMarks & {
  title: Title
  /** Said by the person with a `setting`, or handed to the session when it began. */
  named: string
  /** When it was said; '' when it was handed on. */
  namedAt: string
  cwd: string
  model: string
  startedAt: string
  updatedAt: string
  turns: number
  stopReason: string | null
  /** Nobody ended the last turn: its process died. */
  processEnded: boolean
  costUsd: number
  additions: number
  deletions: number
  questions: { id: string; callId: string; text: string }[]
  todo: TodoItem[]
  /** Changed ones, most recent first. */
  files: string[]
  lostRecords: number
  forkedFrom: string | null
}

export const nothingFolded: Folded = {
  ...noMarks,
  title: { text: '', weight: 0 },
  named: '',
  namedAt: '',
  cwd: '',
  model: '',
  startedAt: '',
  updatedAt: '',
  turns: 0,
  stopReason: null,
  processEnded: false,
  costUsd: 0,
  additions: 0,
  deletions: 0,
  questions: [],
  todo: [],
  files: [],
  lostRecords: 0,
  forkedFrom: null,
}

const mostFiles = 30
const mostSteps = 50

/** The state after one more record; of types that it does not know only the time counts. */
export function fold(before: Folded, event: AgentEvent): Folded {
  return foldAt(before, event, -1)
}

/** The same for a record whose line begins at `at`. */
export function foldAt(before: Folded, event: AgentEvent, at: number): Folded {
  const state = marked(timed(before, event.time), event, at)
  switch (event.type) {
    case 'session_start':
      return {
        ...state,
        cwd: event.cwd || state.cwd,
        model: event.model || state.model,
        named: event.title || state.named,
        // What a former process asked, nobody can answer any more; a resumed one asks again.
        questions: [],
        // A fork begins with a copy, which cost nothing again.
        ...(event.forkedFrom === undefined ? {} : { forkedFrom: event.forkedFrom, costUsd: 0 }),
      }
    case 'setting': {
      const model = event.model || state.model
      return event.title ? { ...state, model, named: event.title, namedAt: event.time } : { ...state, model }
    }
    case 'turn_start':
      return {
        ...state,
        title: heavier(state.title, event.input),
        turns: state.turns + 1,
        stopReason: null,
        questions: [],
      }
    case 'message':
      // Words that joined a running turn.
      return event.message.role === 'user' ? { ...state, title: heavier(state.title, event.message.content) } : state
    case 'usage':
      return { ...state, costUsd: state.costUsd + positive(event.usage.costUsd) }
    case 'approval_request': {
      const { id, callId, tool, title } = event.request
      const question = { id, callId, text: questionText(tool, title) }
      return { ...state, questions: [...state.questions.filter((one) => one.id !== id), question] }
    }
    case 'approval_decision':
      return withoutQuestions(state, (one) => one.id === event.id)
    case 'tool_result':
      return withResult(
        withoutQuestions(state, (one) => one.callId === event.call.id),
        event,
      )
    case 'reviewed':
      return withReview(state, event.review)
    case 'rewound': {
      const { conversation, undoes, turns } = event.rewound
      const change = !conversation || typeof turns !== 'number' ? 0 : undoes === undefined ? -turns : turns
      return { ...state, turns: Math.max(0, state.turns + change) }
    }
    case 'verification':
      if (event.result.unknown) return state
      return { ...state, checks: event.result.passed ? 'verified' : 'failing' }
    case 'todo':
      return { ...state, todo: event.items.slice(0, mostSteps).map(step) }
    case 'turn_end':
      return { ...state, stopReason: event.reason, processEnded: event.processEnded === true, questions: [] }
    case 'session_end':
      return { ...state, questions: [] }
    default:
      return state
  }
}

/** The state after a record that was only looked at. */
export function timed(state: Folded, time: string): Folded {
  if (!isTime(time)) return state
  return { ...state, startedAt: state.startedAt || time, updatedAt: time > state.updatedAt ? time : state.updatedAt }
}

/** A damaged record may say anything; what is no time is none. */
function isTime(time: string): boolean {
  return /^\d{4}-\d\d-\d\dT/.test(time) && !Number.isNaN(Date.parse(time))
}

/** What the person set beside the records. */
export type SetByPerson = { title?: string; titledAt?: string; pinned: boolean; tags: string[] }

/** Everything but whether it is live, which its lock says. */
export function summaryOf(id: string, state: Folded, set: SetByPerson, bytes: number): Omit<SessionSummary, 'live'> {
  return {
    id,
    title: titleOfAll(state, set),
    cwd: state.cwd,
    model: state.model,
    startedAt: state.startedAt,
    updatedAt: state.updatedAt,
    turns: state.turns,
    stopReason: state.stopReason,
    costUsd: Number(state.costUsd.toFixed(6)),
    additions: state.additions,
    deletions: state.deletions,
    pendingApprovals: state.questions.length,
    checks: state.checks,
    next: nextOf(state),
    pinned: set.pinned,
    tags: set.tags,
    lostRecords: state.lostRecords,
    bytes,
    forkedFrom: state.forkedFrom,
  }
}

/** What was said last counts: beside the records, or in them. */
function titleOfAll({ named, namedAt, title }: Folded, { title: set = '', titledAt = '' }: SetByPerson): string {
  const said = oneLine(named)
  return (titledAt < namedAt ? said || set : set || said) || title.text
}

function nextOf({ questions, todo }: Folded): string {
  const asked = questions[0]
  if (asked) return asked.text
  const open = todo.find(({ status }) => status === 'in_progress') ?? todo.find(({ status }) => status === 'pending')
  return open === undefined ? '' : oneLine(open.text)
}

function withResult(state: Folded, { result, blocks }: EventOf<'tool_result'>): Folded {
  // Edits report the hash of what they wrote; a command that prints a diff does not.
  if (!result.ok || !('newHash' in result.metadata)) return state
  const { path, diff } = result.metadata
  const diffs = blocks.flatMap((block) => (block.type === 'diff' ? [block.diff] : []))
  const counts = diffs.length > 0 ? diffs : [countLines(typeof diff === 'string' ? diff : '')]
  const paths = [...(typeof path === 'string' ? [path] : []), ...diffs.map((one) => one.path)]
  return {
    ...state,
    additions: state.additions + sum(counts.map(({ additions }) => additions)),
    deletions: state.deletions + sum(counts.map(({ deletions }) => deletions)),
    checks: 'unverified',
    files: [...new Set([...paths, ...state.files])].slice(0, mostFiles),
  }
}

/** What was taken back is not counted as changed any more; where that was undone, it is again. */
function withReview(state: Folded, { change, undoes }: Review): Folded {
  if (change === null) return state
  const [additions, deletions] =
    undoes === undefined ? [-change.deletions, -change.additions] : [change.additions, change.deletions]
  return {
    ...state,
    additions: Math.max(0, state.additions + additions),
    deletions: Math.max(0, state.deletions + deletions),
    checks: 'unverified',
  }
}

function countLines(unified: string): { additions: number; deletions: number } {
  let additions = 0
  let deletions = 0
  for (const line of unified.split('\n')) {
    if (line.startsWith('+') && !line.startsWith('+++')) additions++
    else if (line.startsWith('-') && !line.startsWith('---')) deletions++
  }
  return { additions, deletions }
}

function withoutQuestions(state: Folded, gone: (one: Folded['questions'][number]) => boolean): Folded {
  return state.questions.some(gone) ? { ...state, questions: state.questions.filter((one) => !gone(one)) } : state
}

function heavier(title: Title, input: string): Title {
  if (title.weight === 2) return title
  const other = titleOf(input)
  return other.weight > title.weight ? other : title
}

/** Titles of calls often begin with the tool's name. */
function questionText(tool: string, title: string): string {
  return oneLine(title.toLowerCase().startsWith(tool.toLowerCase()) ? title : `${tool} ${title}`)
}

function step({ id, text, status }: TodoItem): TodoItem {
  return { id, text: text.slice(0, 200), status }
}

function oneLine(words: string): string {
  return words.replace(/\s+/g, ' ').trim().slice(0, 200)
}

function positive(amount: number | undefined): number {
  return amount !== undefined && amount > 0 ? amount : 0
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + positive(one), 0)
}
