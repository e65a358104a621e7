/** What a record must hold so that history and screen can be built from it: damage and strange hands stop here. */
import type { AgentEvent, Block, EventType, Message, ToolCall } from '../protocol/index.ts'

/** The version of the records that this program writes. */
export const recordVersion = 1

/** `value` as a record of this version; undefined when it is none. Kinds of blocks that are not known are left out. */
export function toRecord(value: unknown): AgentEvent | undefined {
  if (!isRecord(value)) return undefined
  if (value.type !== 'tool_proposed' && value.type !== 'tool_result') return value
  return value.blocks.every(isKnown) ? value : { ...value, blocks: value.blocks.filter(isKnown) }
}

/** Types of records that are not known pass: what reads them skips them. */
function isRecord(value: unknown): value is AgentEvent {
  if (!isObject(value) || value.v !== recordVersion || !isNumber(value.seq) || !isText(value.type)) return false
  if (!isText(value.time) || !isText(value.sessionId) || !(value.turnId === null || isText(value.turnId))) return false
  const fits = Object.hasOwn(shapes, value.type) ? shapes[value.type as EventType] : undefined
  return fits === undefined || fits(value)
}

type Fields = Record<string, unknown>

const shapes: { [T in EventType]: (record: Fields) => boolean } = {
  session_start: ({ cwd, model, mode, title }) => isText(cwd) && isText(model) && isText(mode) && mayBeText(title),
  turn_start: ({ input }) => isText(input),
  state: ({ name }) => isText(name),
  context: ({ evidence, omitted, budget, instructions }) =>
    isListOf(evidence, isObject) && isListOf(omitted, isObject) && isObject(budget) && isListOf(instructions, isText),
  reasoning_delta: ({ text }) => isText(text),
  text_delta: ({ text }) => isText(text),
  message: ({ message }) => isMessage(message),
  partial: ({ text, reasoning }) => isText(text) && mayBeText(reasoning),
  tool_proposed: ({ call, kind, title, blocks }) =>
    isCall(call) && isText(kind) && isText(title) && isListOf(blocks, isBlock),
  approval_request: ({ request }) =>
    isObject(request) &&
    [request.id, request.callId, request.tool, request.kind, request.title, request.digest].every(isText) &&
    isListOf(request.blocks, isBlock) &&
    isListOf(request.needs, isObject) &&
    isListOf(request.suggestions, isObject) &&
    isObject(request.risk),
  approval_decision: ({ id, callId, decision, decidedBy }) =>
    isText(id) && isText(callId) && isText(decidedBy) && isDecision(decision),
  tool_start: ({ call }) => isCall(call),
  tool_process: ({ callId, leader }) =>
    isText(callId) &&
    isObject(leader) &&
    [leader.pid, leader.group].every(isNumber) &&
    [leader.started, leader.host, leader.space].every(isText),
  tool_output: ({ callId, chunk }) => isText(callId) && isText(chunk),
  tool_result: ({ call, result, blocks }) =>
    isCall(call) &&
    isObject(result) &&
    typeof result.ok === 'boolean' &&
    isText(result.summary) &&
    isText(result.content) &&
    isObject(result.metadata) &&
    isListOf(blocks, isBlock),
  usage: ({ usage }) => isObject(usage) && [usage.inputTokens, usage.outputTokens, usage.totalTokens].every(isNumber),
  reviewed: ({ review }) =>
    isObject(review) &&
    [review.id, review.callId, review.tool, review.path].every(isText) &&
    isListOf(review.kept, isNumber) &&
    isListOf(review.reverted, isNumber) &&
    (review.change === null || isDiff(review.change)) &&
    mayBeText(review.message) &&
    mayBeText(review.undoes),
  todo: ({ items }) => isListOf(items, (item) => isObject(item) && isText(item.text) && isText(item.status)),
  queue: ({ items }) => isListOf(items, (item) => isObject(item) && isText(item.id) && isText(item.text)),
  rewound: ({ rewound }) =>
    isObject(rewound) &&
    isText(rewound.id) &&
    typeof rewound.conversation === 'boolean' &&
    (rewound.cutOff === undefined || isNumber(rewound.cutOff)) &&
    (rewound.call === undefined || isRewoundCall(rewound.call)),
  cleared: () => true,
  compaction: ({ summary, beforeTokens, afterTokens }) =>
    isText(summary) && isNumber(beforeTokens) && isNumber(afterTokens),
  verification: ({ result }) => isObject(result) && isText(result.command) && typeof result.passed === 'boolean',
  notice: ({ level, code, text }) => isText(level) && isText(code) && isText(text),
  error: ({ error }) => isObject(error) && isText(error.code) && isText(error.message),
  setting: ({ mode, model, title, rule }) =>
    [mode, model, title].every(mayBeText) &&
    (rule === undefined || (isObject(rule) && [rule.change, rule.text, rule.verdict].every(isText))),
  turn_end: ({ reason, durationMs, replies, calls }) => isText(reason) && [durationMs, replies, calls].every(isNumber),
  session_end: () => true,
}

function isMessage(value: unknown): value is Message {
  if (!isObject(value) || !isText(value.content)) return false
  if (value.role === 'user') return true
  if (value.role !== 'assistant' || !mayBeText(value.reasoning)) return false
  return value.toolCalls === undefined || isListOf(value.toolCalls, isCall)
}

function isCall(value: unknown): value is ToolCall {
  return isObject(value) && isText(value.id) && isText(value.name) && mayBeText(value.malformed)
}

function isRewoundCall(value: unknown): boolean {
  return isObject(value) && [value.callId, value.tool, value.title].every(isText)
}

function isDecision(value: unknown): boolean {
  if (!isObject(value)) return false
  if (value.type === 'deny') return mayBeText(value.message)
  if (value.type !== 'allow' || !isText(value.digest)) return false
  return value.rule === undefined || (isObject(value.rule) && isText(value.rule.text) && isText(value.rule.scope))
}

const blockTypes: { [T in Block['type']]: true } = {
  text: true,
  markdown: true,
  code: true,
  diff: true,
  command: true,
  output: true,
  files: true,
  todo: true,
  question: true,
  error: true,
}

/** Another program's kind of block could not be drawn. */
function isKnown(block: Block): boolean {
  return Object.hasOwn(blockTypes, block.type)
}

function isBlock(value: unknown): value is Block {
  if (!isObject(value)) return false
  switch (value.type) {
    case 'text':
    case 'markdown':
    case 'code':
    case 'output':
    case 'error':
      return isText(value.text)
    case 'diff':
      return isDiff(value.diff)
    case 'command':
      return isText(value.command) && isText(value.cwd)
    case 'files':
      return isListOf(value.paths, isText)
    case 'todo':
      return isListOf(value.items, (item) => isObject(item) && isText(item.text) && isText(item.status))
    case 'question':
      return isText(value.question) && (value.options === undefined || isListOf(value.options, isText))
    default:
      return isText(value.type)
  }
}

function isDiff(value: unknown): boolean {
  return (
    isObject(value) &&
    isText(value.path) &&
    isNumber(value.additions) &&
    isNumber(value.deletions) &&
    isListOf(
      value.hunks,
      (hunk) =>
        isObject(hunk) &&
        [hunk.oldStart, hunk.oldLines, hunk.newStart, hunk.newLines].every(isNumber) &&
        isListOf(hunk.lines, (line) => isObject(line) && isText(line.kind) && isText(line.text)),
    )
  )
}

function isListOf(value: unknown, fits: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(fits)
}

function isObject(value: unknown): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function mayBeText(value: unknown): boolean {
  return value === undefined || typeof value === 'string'
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}
