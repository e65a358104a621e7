/** The script format: what a scripted model says, asks for and expects; `parseScript` refuses what it does not know. */
import type { FinishReason } from '../../ports/index.ts'
import { AgentError, type AgentErrorShape } from '../../protocol/index.ts'

/** One thing within a reply. `times` counts how often it happens before later requests pass over it; 1 unless given. */
export type Part =
  | { say: string; copies?: number; delayMs?: number }
  | { think: string; delayMs?: number }
  /** `raw` is sent as the arguments' text, also when it is no JSON. */
  | { call: { name: string; input?: unknown; raw?: string } }
  | { fail: AgentErrorShape; times?: number }
  | { hang: true; times?: number }
  | { cut: true; times?: number }

/** Some result of the last reply must fit in every named respect; `capture` maps a name to a pattern with one group. */
export type ResultPattern = {
  call?: string
  ok?: boolean
  contains?: string
  matches?: string
  capture?: { [name: string]: string }
}

export type Condition = ResultPattern | { user: string; capture?: { [name: string]: string } }

export type ScriptUsage = {
  inputTokens: number
  outputTokens: number
  cachedInputTokens?: number
  reasoningTokens?: number
  costUsd?: number
}

export type ReplyStep = { reply: Part[]; usage?: ScriptUsage; finish?: FinishReason }

export type Step =
  | ReplyStep
  | { expect: ResultPattern }
  | { expectUser: string; capture?: { [name: string]: string } }
  /** The first branch whose `when` holds, or that has none; no branch is no error. */
  | { branch: { when?: Condition; steps: Step[] }[] }
  | { repeat: number; steps: Step[] }
  | { end: true }

/** A request outside the conversation (a summary, a title): answered without moving the script on. */
export type Aside = { when: { user?: string; tools?: boolean } } & ReplyStep

export type Script = {
  name: string
  description?: string
  /** The words that a person would begin with. */
  prompt?: string
  /** The folder of `fixtures/workspaces` that the script works on. */
  workspace?: string
  asides: Aside[]
  steps: Step[]
}

/** The script in `text` (JSON). Throws an AgentError that names the place of the first mistake. */
export function parseScript(text: string, name: string): Script {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw unusable(name, `it is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  const at = reader(name)
  const script = at.object(value, 'the script', ['name', 'description', 'prompt', 'workspace', 'asides', 'steps'])
  return {
    name,
    ...optional('description', at.text(script.description, 'description')),
    ...optional('prompt', at.text(script.prompt, 'prompt')),
    ...optional('workspace', at.text(script.workspace, 'workspace')),
    asides: at.list(script.asides ?? [], 'asides', readAside(at)),
    steps: at.list(script.steps, 'steps', readStep(at)),
  }
}

function readStep(at: Reader): (value: unknown, path: string) => Step {
  const read = (value: unknown, path: string): Step => {
    const step = at.object(value, path)
    switch (at.oneOf(step, path, ['reply', 'expect', 'expectUser', 'branch', 'repeat', 'end'])) {
      case 'reply':
        return readReply(at, at.object(value, path, ['reply', 'usage', 'finish']), path)
      case 'expect':
        at.object(value, path, ['expect'])
        return { expect: readPattern(at, step.expect, `${path}.expect`) }
      case 'expectUser':
        at.object(value, path, ['expectUser', 'capture'])
        return { expectUser: at.pattern(step.expectUser, `${path}.expectUser`), ...readCapture(at, step.capture, path) }
      case 'branch':
        at.object(value, path, ['branch'])
        return {
          branch: at.list(step.branch, `${path}.branch`, (item, itemPath) => {
            const branch = at.object(item, itemPath, ['when', 'steps'])
            const steps = at.list(branch.steps, `${itemPath}.steps`, read)
            return branch.when === undefined
              ? { steps }
              : { when: readCondition(at, branch.when, `${itemPath}.when`), steps }
          }),
        }
      case 'repeat':
        at.object(value, path, ['repeat', 'steps'])
        return {
          repeat: at.count(step.repeat, `${path}.repeat`) ?? 0,
          steps: at.list(step.steps, `${path}.steps`, read),
        }
      default:
        at.object(value, path, ['end'])
        return { end: true }
    }
  }
  return read
}

function readAside(at: Reader): (value: unknown, path: string) => Aside {
  return (value, path) => {
    const aside = at.object(value, path, ['when', 'reply', 'usage', 'finish'])
    const when = at.object(aside.when, `${path}.when`, ['user', 'tools'])
    const reply = readReply(at, aside, path)
    if (reply.reply.some((part) => 'call' in part)) throw at.wrong(`${path}.reply`, 'an aside cannot call tools')
    return {
      when: {
        ...(when.user === undefined ? {} : { user: at.pattern(when.user, `${path}.when.user`) }),
        ...optional('tools', at.flag(when.tools, `${path}.when.tools`)),
      },
      ...reply,
    }
  }
}

const finishes: readonly FinishReason[] = ['stop', 'tool_calls', 'length', 'content_filter']

function readReply(at: Reader, step: Fields, path: string): ReplyStep {
  const reply: ReplyStep = { reply: at.list(step.reply, `${path}.reply`, readPart(at)) }
  if (step.finish !== undefined) {
    const finish = finishes.find((one) => one === step.finish)
    if (!finish) throw at.wrong(`${path}.finish`, `must be one of ${finishes.join(', ')}`)
    reply.finish = finish
  }
  if (step.usage !== undefined) {
    const names = ['inputTokens', 'outputTokens', 'cachedInputTokens', 'reasoningTokens', 'costUsd'] as const
    const usage = at.object(step.usage, `${path}.usage`, names)
    reply.usage = { inputTokens: 0, outputTokens: 0 }
    for (const name of names) {
      const figure = at.number(usage[name], `${path}.usage.${name}`)
      if (figure !== undefined) reply.usage[name] = figure
    }
  }
  return reply
}

function readPart(at: Reader): (value: unknown, path: string) => Part {
  return (value, path) => {
    const part = at.object(value, path)
    const times = () => optional('times', at.count(part.times, `${path}.times`))
    const delay = () => optional('delayMs', at.count(part.delayMs, `${path}.delayMs`))
    switch (at.oneOf(part, path, ['say', 'think', 'call', 'fail', 'hang', 'cut'])) {
      case 'say':
        at.object(value, path, ['say', 'copies', 'delayMs'])
        return {
          say: at.required(at.text(part.say, `${path}.say`), `${path}.say`),
          ...optional('copies', at.count(part.copies, `${path}.copies`)),
          ...delay(),
        }
      case 'think':
        at.object(value, path, ['think', 'delayMs'])
        return { think: at.required(at.text(part.think, `${path}.think`), `${path}.think`), ...delay() }
      case 'call': {
        at.object(value, path, ['call'])
        const call = at.object(part.call, `${path}.call`, ['name', 'input', 'raw'])
        return {
          call: {
            name: at.required(at.text(call.name, `${path}.call.name`), `${path}.call.name`),
            ...(call.input === undefined ? {} : { input: call.input }),
            ...optional('raw', at.text(call.raw, `${path}.call.raw`)),
          },
        }
      }
      case 'fail': {
        at.object(value, path, ['fail', 'times'])
        const names = ['code', 'message', 'hint', 'retryable', 'retryAfterMs'] as const
        const shape = at.object(part.fail, `${path}.fail`, names)
        at.required(at.text(shape.code, `${path}.fail.code`), `${path}.fail.code`)
        at.required(at.text(shape.message, `${path}.fail.message`), `${path}.fail.message`)
        return { fail: shape as unknown as AgentErrorShape, ...times() }
      }
      case 'hang':
        at.object(value, path, ['hang', 'times'])
        return { hang: true, ...times() }
      default:
        at.object(value, path, ['cut', 'times'])
        return { cut: true, ...times() }
    }
  }
}

function readCondition(at: Reader, value: unknown, path: string): Condition {
  const condition = at.object(value, path)
  if (condition.user === undefined) return readPattern(at, value, path)
  at.object(value, path, ['user', 'capture'])
  return { user: at.pattern(condition.user, `${path}.user`), ...readCapture(at, condition.capture, path) }
}

function readPattern(at: Reader, value: unknown, path: string): ResultPattern {
  const pattern = at.object(value, path, ['call', 'ok', 'contains', 'matches', 'capture'])
  return {
    ...optional('call', at.text(pattern.call, `${path}.call`)),
    ...optional('ok', at.flag(pattern.ok, `${path}.ok`)),
    ...optional('contains', at.text(pattern.contains, `${path}.contains`)),
    ...(pattern.matches === undefined ? {} : { matches: at.pattern(pattern.matches, `${path}.matches`) }),
    ...readCapture(at, pattern.capture, path),
  }
}

function readCapture(at: Reader, value: unknown, path: string): { capture?: { [name: string]: string } } {
  if (value === undefined) return {}
  const capture = at.object(value, `${path}.capture`)
  return {
    capture: Object.fromEntries(
      Object.entries(capture).map(([name, pattern]) => [name, at.pattern(pattern, `${path}.capture.${name}`)]),
    ),
  }
}

type Fields = { [key: string]: unknown }
type Reader = ReturnType<typeof reader>

/** Reads values of known shape; every complaint names the script and the place. */
function reader(script: string) {
  const wrong = (path: string, problem: string) => unusable(script, `${path} ${problem}`)
  return {
    wrong,
    object(value: unknown, path: string, known?: readonly string[]): Fields {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(path, 'must be an object')
      const stranger = known && Object.keys(value).find((key) => !known.includes(key))
      if (stranger !== undefined)
        throw wrong(path, `has the unknown field "${stranger}"; known are ${known?.join(', ')}`)
      return value as Fields
    },
    oneOf(fields: Fields, path: string, names: readonly string[]): string {
      const [first, second] = names.filter((name) => name in fields)
      if (first === undefined || second !== undefined) throw wrong(path, `must have exactly one of ${names.join(', ')}`)
      return first
    },
    list<T>(value: unknown, path: string, read: (item: unknown, path: string) => T): T[] {
      if (!Array.isArray(value)) throw wrong(path, 'must be a list')
      return value.map((item, index) => read(item, `${path}[${index}]`))
    },
    text(value: unknown, path: string): string | undefined {
      if (value !== undefined && typeof value !== 'string') throw wrong(path, 'must be text')
      return value
    },
    flag(value: unknown, path: string): boolean | undefined {
      if (value !== undefined && typeof value !== 'boolean') throw wrong(path, 'must be true or false')
      return value
    },
    number(value: unknown, path: string): number | undefined {
      if (value !== undefined && (typeof value !== 'number' || value < 0)) throw wrong(path, 'must be a number from 0')
      return value as number | undefined
    },
    count(value: unknown, path: string): number | undefined {
      if (value !== undefined && !(Number.isInteger(value) && Number(value) >= 0))
        throw wrong(path, 'must be a whole number from 0')
      return value as number | undefined
    },
    pattern(value: unknown, path: string): string {
      if (typeof value !== 'string') throw wrong(path, 'must be a regular expression as text')
      try {
        new RegExp(value, 'm')
      } catch (error) {
        throw wrong(path, `is no regular expression: ${error instanceof Error ? error.message : String(error)}`)
      }
      return value
    },
    required<T>(value: T | undefined, path: string): T {
      if (value === undefined) throw wrong(path, 'is missing')
      return value
    },
  }
}

function optional<K extends string, T>(key: K, value: T | undefined): { [key in K]?: T } {
  return value === undefined ? {} : ({ [key]: value } as { [key in K]?: T })
}

function unusable(name: string, problem: string): AgentError {
  return new AgentError('MODEL_NOT_FOUND', `The script "${name}" cannot be played: ${problem}.`, {
    hint: 'Mend the script, or choose another model.',
  })
}
