/** Puts the fragments of tool calls together, however a server labels them. */
import type { ModelEvent } from '../../ports/index.ts'
import type { ToolCall } from '../../protocol/index.ts'

export type CallAssembler = {
  /** One fragment; `position` and `batch` are its place in, and the length of, the chunk's list. */
  push(fragment: unknown, position: number, batch: number): ModelEvent[]
  readonly size: number
  /** Characters of all arguments, for estimates. */
  argumentText(): string
  /** The calls in the order in which they began. `cut`: the output limit ended the reply. */
  done(cut: boolean): ToolCall[]
}

type Fragment = { id?: string; slot?: number; name: string; args: string }
type OpenCall = { serverId?: string; publicId?: string; name: string; args: string; told: number }

/** `taken` are the ids that the conversation already uses; a call that repeats one gets another id. */
export function createCallAssembler(taken: ReadonlySet<string>): CallAssembler {
  const calls: OpenCall[] = []
  const byId = new Map<string, OpenCall>()
  const bySlot = new Map<number, OpenCall>()
  const used = new Set<string>()
  let current: OpenCall | undefined

  function open(fragment: Fragment): OpenCall {
    const call: OpenCall = { name: '', args: '', told: 0 }
    calls.push(call)
    if (fragment.id !== undefined) call.serverId = fragment.id
    return call
  }

  /** By id when there is one, else by index, else by position or the call at hand. */
  function find(fragment: Fragment): OpenCall {
    const { id, slot, name, args } = fragment
    const begins = args.trimStart().startsWith('{')
    const atSlot = slot === undefined ? undefined : bySlot.get(slot)
    if (id !== undefined) {
      const known = byId.get(id)
      // The same id for a second whole call: the server numbers nothing.
      if (known) return name !== '' && begins && isWhole(known.args) ? open(fragment) : known
      // An id that comes late, or that a server invents anew for every fragment, belongs to the unfinished call there.
      if (atSlot && !isWhole(atSlot.args) && (atSlot.serverId === undefined || name === '')) return atSlot
      return open(fragment)
    }
    if (slot !== undefined && atSlot === undefined) {
      if (name === '' && current && !isWhole(current.args)) return current
      return open(fragment)
    }
    const target = atSlot ?? current
    if (target === undefined) return open(fragment)
    if (name === '') return begins && isWhole(target.args) ? open(fragment) : target
    if (target.name === '') return target
    if (isWhole(target.args)) return begins || atSlot === undefined ? open(fragment) : target
    if (name === target.name) return target
    return target.args === '' && atSlot !== undefined ? target : open(fragment)
  }

  function publicId(call: OpenCall): string {
    if (call.publicId === undefined) {
      let id = call.serverId ?? newId()
      while (taken.has(id) || used.has(id)) id = newId()
      used.add(id)
      call.publicId = id
    }
    return call.publicId
  }

  return {
    get size() {
      return calls.length
    },
    argumentText: () => calls.map((call) => call.name + call.args).join(''),
    push(raw, position, batch) {
      const fragment = read(raw, position, batch)
      if (!fragment) return []
      const call = find(fragment)
      current = call
      if (fragment.id !== undefined) {
        call.serverId ??= fragment.id
        byId.set(fragment.id, call)
      }
      if (fragment.slot !== undefined) bySlot.set(fragment.slot, call)
      const named = call.name !== ''
      call.name = joinName(call, fragment.name)
      call.args += fragment.args
      // Without a name there is nothing to show yet: the arguments wait.
      if (call.name === '') return []
      const inputChunk = call.args.slice(call.told)
      call.told = call.args.length
      if (named && inputChunk === '') return []
      const event: ModelEvent = { type: 'tool_call_delta', id: publicId(call) }
      if (!named) event.name = call.name
      if (inputChunk !== '') event.inputChunk = inputChunk
      return [event]
    },
    done(cut) {
      return calls
        .filter((call) => call.name !== '' || call.args.trim() !== '')
        .map((call) => ({ id: publicId(call), name: call.name, ...readInput(call.args, cut) }))
    },
  }
}

function read(raw: unknown, position: number, batch: number): Fragment | undefined {
  if (typeof raw !== 'object' || raw === null) return undefined
  const { id, index, function: called } = raw as { id?: unknown; index?: unknown; function?: unknown }
  const inner = (typeof called === 'object' && called !== null ? called : {}) as { name?: unknown; arguments?: unknown }
  const fragment: Fragment = {
    name: typeof inner.name === 'string' ? inner.name : '',
    args: argumentsOf(inner.arguments),
  }
  if (typeof id === 'string' && id !== '') fragment.id = id
  const number = typeof index === 'string' && index !== '' ? Number(index) : index
  if (typeof number === 'number' && Number.isInteger(number)) fragment.slot = number
  else if (batch > 1) fragment.slot = position
  return fragment
}

/** Some servers send the arguments as an object instead of text. */
function argumentsOf(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : ''
}

/** Names come whole, repeated in every fragment, growing, or (before any argument) in pieces. */
function joinName(call: OpenCall, piece: string): string {
  if (piece === '' || piece === call.name) return call.name
  if (piece.startsWith(call.name)) return piece
  return call.args === '' ? call.name + piece : call.name
}

function isWhole(args: string): boolean {
  const text = args.trim()
  if (!text.startsWith('{') || !text.endsWith('}')) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function readInput(args: string, cut: boolean): Pick<ToolCall, 'input' | 'malformed'> {
  const text = args.trim()
  if (text === '') return cut ? { input: '', malformed: cutOff } : { input: {} }
  try {
    const value: unknown = JSON.parse(text)
    if (value === null) return { input: {} }
    // Arguments that were encoded twice: the text inside is what was meant.
    return { input: typeof value === 'string' && isWhole(value) ? JSON.parse(value) : value }
  } catch (error) {
    if (cut) return { input: args, malformed: cutOff }
    const why = error instanceof Error ? error.message : String(error)
    return { input: args, malformed: `not valid JSON: ${why.slice(0, 200)}` }
  }
}

const cutOff = 'cut off by the output limit'

/** Nine letters and digits: short enough for every provider, and the only form that some of them take. */
function newId(): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz0123456789'
  return `c${Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => letters[byte % letters.length]).join('')}`
}
