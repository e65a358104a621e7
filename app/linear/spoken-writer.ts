/** How a session is written for ears: one labelled line after the other. */
import type { StopReason } from '@sluice/engine/protocol'
import type { Writer } from '../scrollback/writer.ts'
import type { CallItem, Item } from '../state/index.ts'
import { duration, plural, tokens, wordCount } from '../transcript/format.ts'
import { spokenBlock, spokenCounts, spokenLine, spokenLines, spokenMarkdown } from './speech.ts'

/** Lines of an output or a change that are told when nobody asked about them. */
const mostLines = 20

/** `typedHere` is true, once, for words that the person has just typed: they need no telling. */
export function spokenWriter(typedHere: (text: string) => boolean): Writer {
  return {
    banner: (view) => [`sluice in ${spokenLine(view.cwd)}, model ${spokenLine(view.model)}, mode ${view.mode}.`],
    headline: (view) => [`Session: ${spokenLine(view.title || view.id)}.`],
    earlier: (count, path) => [`${plural(count, 'earlier item')} are in ${spokenLine(path)}.`],
    item: (item) => (item.kind === 'user' && typedHere(item.text) ? [] : itemSpeech(item)),
    begin: (markdown, reasoning) => [...thoughts(reasoning), ...labelled('sluice', spokenMarkdown(markdown))],
    more: spokenMarkdown,
    rest: (item) => [...(item.text.trim() === '' ? [] : spokenMarkdown(item.text)), ...cutShort(item.partial)],
    anew: () => ['The answer broke off and begins anew.'],
  }
}

function itemSpeech(item: Item): string[] {
  switch (item.kind) {
    case 'user':
      return labelled('You', spokenLines(item.text))
    case 'assistant':
      return [
        ...thoughts(item.reasoning),
        ...(item.text.trim() === '' ? [] : labelled('sluice', spokenMarkdown(item.text))),
        ...cutShort(item.partial),
      ]
    case 'call':
      return callSpeech(item)
    case 'notice':
      return labelled(item.level === 'warn' ? 'Warning' : 'Note', spokenLines(item.text))
    case 'error': {
      const { message, hint, code } = item.error
      const said = spokenLine(message.trim() === '' ? code : `${message} (${code})`)
      return [`Error: ${said}`, ...(hint === undefined || hint === '' ? [] : [`What to do: ${spokenLine(hint)}`])]
    }
    case 'compaction':
      return [
        `Note: the earlier conversation was summarised, ${tokens(item.beforeTokens)} to ${tokens(item.afterTokens)} tokens.`,
      ]
    case 'cleared':
      return ['Note: cleared. The model starts afresh from here.']
    case 'session':
      return item.resumed ? ['Note: the session was resumed.'] : []
    case 'turn-end': {
      const figures = [duration(item.durationMs), ...(item.calls > 0 ? [plural(item.calls, 'call')] : [])]
      return [`${item.processEnded ? 'The process ended' : stops[item.reason]}: ${figures.join(', ')}.`]
    }
  }
}

const stops: Record<StopReason, string> = {
  final_answer: 'Done',
  max_turns: 'Stopped at the limit of replies for one turn',
  user_abort: 'Interrupted',
  tool_error: 'Stopped because a tool failed',
  model_error: 'Stopped because the model failed',
  time_limit: 'Stopped because the time is up',
  budget_exceeded: 'Stopped because the money is spent',
  context_too_large: 'Stopped because the conversation no longer fits the model',
}

/** `edit_file src/cart.js`. */
export function callName(call: { name: string; title: string }): string {
  return `${spokenLine(call.name)} ${spokenLine(call.title)}`.trim()
}

function callSpeech(call: CallItem): string[] {
  const head = `Tool ${callName(call)}`
  const time = call.durationMs !== null && call.durationMs >= 100 ? `, ${duration(call.durationMs)}` : ''
  const exit = call.exitCode === null ? '' : `, exit ${call.exitCode}`
  if (call.status === 'refused') {
    const by = call.decision?.by === 'person' ? ', denied by you' : call.decision ? `, denied by ${byWhom(call)}` : ''
    const why = spokenLine(call.decision?.message ?? '')
    return [`${head}: not run${by}${why === '' ? '' : `: ${why}`}.`]
  }
  const diffs = call.blocks.flatMap((block) => (block.type === 'diff' ? [block.diff] : []))
  // The head names the command already.
  const body = () =>
    call.blocks.flatMap((block) => (block.type === 'command' ? [] : spokenBlock(block, 'tell', mostLines)))
  if (call.status === 'failed') return [`${head}: failed${exit}${time}.`, ...body()]
  if (diffs.length > 0) {
    const sum = { additions: 0, deletions: 0 }
    for (const diff of diffs) {
      sum.additions += diff.additions
      sum.deletions += diff.deletions
    }
    // Whoever said yes has heard the change already.
    return [`${head}: ${spokenCounts(sum)}.`, ...(call.decision?.by === 'person' ? [] : body())]
  }
  if (call.toolKind === 'execute') return [`${head}: done${exit}${time}.`, ...body()]
  const summary = spokenLine(call.summary)
  return [`${head}: ${summary === '' ? 'done' : summary}.`]
}

function byWhom(call: CallItem): string {
  const by = call.decision?.by
  return by === 'rule' ? 'a rule' : by === 'mode' ? 'the mode' : by === 'hook' ? 'a hook' : 'nobody who could say yes'
}

/** The first line carries the label. */
export function labelled(label: string, lines: readonly string[]): string[] {
  return lines.map((line, i) => (i === 0 ? `${label}: ${line}` : line))
}

function thoughts(reasoning: string): string[] {
  return reasoning.trim() === '' ? [] : [`Thought, ${plural(wordCount(reasoning), 'word')}.`]
}

function cutShort(partial: boolean): string[] {
  return partial ? ['The answer was cut short here.'] : []
}
