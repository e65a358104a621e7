/**
 * The edits of one reply that must be asked about, decided together and written as one: all of their files or none. Each
 * call keeps its own proposal, its own entry in the ledger and its own result.
 */
import type { GateAnswer } from '../permission/gate.ts'
import type { Judgement } from '../permission/judge-port.ts'
import type { CallShare, ChangeWriter, PlannedFile, Prepared } from '../ports/index.ts'
import type { Amendment, ChangeSetCall, PermissionRequest, Risk, RiskLevel, RuleSuggestion } from '../protocol/index.ts'
import { prepareContext } from './attempt.ts'
import { digestOf, type Entry, type Ready, type Refusal } from './call-entry.ts'
import { saveRule } from './decide-step.ts'
import { askGate, judgeCall, recordDecision, withCoverage } from './deciding.ts'
import { denied, failure, fromThrown, interrupted } from './outcomes.ts'
import type { ExecutorPorts, ReplyContext } from './tool-executor.ts'

/** One file of a set, with the calls that change it, in their order. */
export type SetFile = {
  path: string
  /** How diffs name it. */
  name: string
  entries: Entry[]
  /** What its calls propose together. */
  proposed: Prepared<unknown>
  /** What may be written; undefined until somebody said so. */
  permitted?: Prepared<unknown>
  /** By entry, where several calls share the file and the person changed what they make of it. */
  shares?: CallShare[]
}

export type ChangeSet = {
  /** In call order. */
  entries: readonly Entry[]
  files: SetFile[]
  writer: ChangeWriter<unknown>
  group?: PermissionRequest['group']
  /** What will be written. */
  writes(): PlannedFile[]
  /** Whether anything became another than it was proposed. */
  changed(): boolean
}

/**
 * The set that begins with the first of `entries`: every later edit that must be asked about as well, unless an edit that
 * is not in the set changes its file in between. Null where there are not two of them, or nobody is there to decide.
 */
export async function changeSetAt(
  entries: readonly Entry[],
  planned: Map<string, PlannedFile>,
  refresh: (entry: Entry, planned: Map<string, PlannedFile>) => Promise<void>,
  ports: ExecutorPorts,
  reply: ReplyContext,
): Promise<ChangeSet | null> {
  const [first] = entries
  const writer = first?.tool?.changes
  if (ports.unattended || !first || !writer || !mustBeAsked(first, ports, reply)) return null
  const members: Entry[] = []
  const others = new Set<string>()
  for (const entry of entries) {
    if (entry.settled || entry.tool?.kind !== 'edit') continue
    if (entry !== first) await refresh(entry, planned)
    const writes = entry.ready?.prepared.writes ?? []
    for (const write of writes) planned.set(write.path, write)
    const fits = entry.tool.changes === writer && writes.length === 1 && !others.has(writes[0]?.path ?? '')
    if (fits && mustBeAsked(entry, ports, reply)) members.push(entry)
    else for (const write of writes) others.add(write.path)
  }
  return members.length < 2 ? null : setOf(members, writer)
}

/** Null where the calls of some file make nothing together: then each is decided by itself. */
export async function setOf(entries: readonly Entry[], writer: ChangeWriter<unknown>): Promise<ChangeSet | null> {
  const byPath = new Map<string, Entry[]>()
  for (const entry of entries) {
    const path = pathOf(entry)
    byPath.set(path, [...(byPath.get(path) ?? []), entry])
  }
  const files: SetFile[] = []
  for (const [path, members] of byPath) {
    const plans = members.map((entry) => preparedOf(entry).plan)
    const [only] = members
    try {
      const proposed = members.length === 1 && only ? preparedOf(only) : await writer.combine(plans)
      files.push({ path, name: diffPath(proposed), entries: members, proposed })
    } catch {
      return null
    }
  }
  return {
    entries,
    files,
    writer,
    writes: () => files.flatMap((file) => file.permitted?.writes ?? []),
    changed: () => files.some((file) => file.permitted !== file.proposed),
  }
}

/** Asks about the whole set and records what was decided for each call; with `again` it is asked whatever the rules say. */
export async function decideSet(
  set: ChangeSet,
  group: PermissionRequest['group'],
  ports: ExecutorPorts,
  reply: ReplyContext,
  again?: string,
): Promise<void> {
  set.group = group
  const startedAt = ports.clock.monotonic()
  const span = reply.span.child('permission.diff_preview', {
    tool: 'change set',
    callIds: set.entries.map((entry) => entry.call.id).join(' '),
  })
  const rulings = new Map<Entry, Judgement>()
  for (const entry of set.entries) {
    const judged = judgeCall(readyOfEntry(entry), ports, reply)
    rulings.set(entry, again === undefined || judged.verdict === 'deny' ? judged : { ...judged, reason: again })
  }
  const request = toRequest(set, rulings, ports, reply)
  reply.emit({ type: 'state', name: 'await_approval' })
  reply.emit({ type: 'approval_request', request })
  const answer = await askGate(request, ports, reply)
  const { decision, decidedBy } = answer
  reply.emit({ type: 'approval_decision', id: request.id, callId: request.callId, decision, decidedBy })
  if (decision.type === 'allow' && decision.rule) await saveRule(decision.rule, ports, reply)
  for (const file of set.files) await decideFile(file, set.writer, answer, ports, reply)

  for (const call of request.changeSet ?? []) {
    const entry = set.entries.find(({ call: { id } }) => id === call.callId) as Entry
    const file = set.files.find(({ entries }) => entries.includes(entry)) as SetFile
    const ready = readyOfEntry(entry)
    const judged = rulings.get(entry) as Judgement
    const permitted = file.permitted ?? file.proposed
    recordDecision(
      entry,
      {
        ready,
        judged,
        asks: true,
        requestId: request.id,
        answer,
        refused: entry.refused !== undefined,
        digestShown: call.digest,
        digestPermitted: digestOf(ready.tool, permitted.fingerprint, ports.digest),
        latencyMs: ports.clock.monotonic() - startedAt,
      },
      ports,
      reply,
    )
    entry.decidedByPerson = decidedBy === 'person'
  }
  span.end('ok', { outcome: decision.type, decidedBy })
}

/** What the answer means for one file: its calls are refused, or `permitted` is what they may write. */
async function decideFile(
  file: SetFile,
  writer: ChangeWriter<unknown>,
  { decision, decidedBy }: GateAnswer,
  ports: ExecutorPorts,
  reply: ReplyContext,
): Promise<void> {
  const refuseAll = (refusal: Refusal) => {
    for (const entry of file.entries) entry.refused = refusal
  }
  file.permitted = undefined
  file.shares = undefined
  if (decision.type === 'deny') {
    refuseAll(decidedBy === 'abandoned' ? interrupted() : denied(decision.message, decidedBy))
    return
  }
  const [first] = file.entries
  if (!first) return
  first.note = decision.note
  const said = decision.amendment?.comments?.filter(({ path }) => path === file.name) ?? []
  first.comments = [...(first.comments ?? []), ...said]
  const amendment = partFor(file, decision.amendment)
  if (amendment === null) {
    file.permitted = file.proposed
    return
  }
  const { tool } = readyOfEntry(first)
  try {
    if (!tool.amend) throw new Error(`${tool.name} cannot be changed before it runs`)
    const context = prepareContext(first.call, new Map(), ports, reply)
    const permitted = await tool.amend(file.proposed.plan, amendment, context)
    file.permitted = permitted
    if (file.entries.length === 1) return
    file.shares = writer.shares(
      file.entries.map((entry) => preparedOf(entry).plan),
      permitted.plan,
    )
    for (const [i, entry] of file.entries.entries()) if (file.shares[i]?.none) entry.refused = notApplied(file)
  } catch (error) {
    const refusal = fromThrown(error)
    refuseAll(refusal.error === 'TOOL_PERMISSION_DENIED' ? notApplied(file) : refusal)
  }
}

function toRequest(
  { entries, files, group }: ChangeSet,
  rulings: ReadonlyMap<Entry, Judgement>,
  ports: ExecutorPorts,
  reply: ReplyContext,
): PermissionRequest {
  const first = entries[0] as Entry
  const judged = entries.map((entry) => rulings.get(entry) as Judgement)
  const changeSet = entries.map((entry): ChangeSetCall => {
    const file = files.find((one) => one.entries.includes(entry)) as SetFile
    const { tool, prepared } = readyOfEntry(entry)
    const digest = digestOf(tool, file.proposed.fingerprint, ports.digest)
    return { callId: entry.call.id, tool: tool.name, title: prepared.title, path: file.name, digest }
  })
  const parts = judged.flatMap((one) => one.parts)
  const reasons = [...new Set(judged.map(({ reason }) => reason))]
  const request: PermissionRequest = {
    id: ports.clock.id('ask'),
    callId: first.call.id,
    tool: readyOfEntry(first).tool.name,
    kind: 'edit',
    title: files.length === 1 ? preparedOf(first).title : `${files.length} files`,
    cwd: ports.cwd,
    needs: parts.filter((part, i) => parts.findIndex((one) => sameNeed(one.need, part.need)) === i),
    risk: together(entries.map((entry, i) => preparedOf(entry).risk ?? (judged[i] as Judgement).risk)),
    reason: reasons.length > 1 ? `${reasons[0]}, and ${reasons.length - 1} more like it` : (reasons[0] ?? ''),
    blocks: files.flatMap((file) => file.proposed.blocks),
    digest: ports.digest.sha256(
      ['change set', ...changeSet.map(({ callId, digest }) => `${callId} ${digest}`)].join('\n'),
    ),
    suggestions: withCoverage(rulesForAll(entries, judged, ports, reply), entries.map(readyOfEntry), ports, reply),
    changeSet,
  }
  if (group) request.group = group
  if (reply.modelReason !== '') request.modelReason = reply.modelReason
  return request
}

const mostSuggestions = 4

/** Of the rules that would allow one of the calls, those that would allow all of them. */
function rulesForAll(
  entries: readonly Entry[],
  judged: readonly Judgement[],
  ports: ExecutorPorts,
  reply: ReplyContext,
): RuleSuggestion[] {
  const rules = ports.rules.rules()
  const seen = new Set<string>()
  const fits = ({ text }: RuleSuggestion): boolean => {
    if (seen.has(text)) return false
    seen.add(text)
    const more = [...rules, { text, verdict: 'allow', scope: 'session' } as const]
    return entries.every((entry) => {
      const { tool, prepared } = readyOfEntry(entry)
      const call = { tool: tool.name, kind: tool.kind, needs: prepared.needs, mode: reply.mode(), rules: more }
      return ports.judge(call).verdict === 'allow'
    })
  }
  return judged
    .flatMap((one) => one.suggestions)
    .filter(fits)
    .slice(0, mostSuggestions)
}

function mustBeAsked(entry: Entry, ports: ExecutorPorts, reply: ReplyContext): boolean {
  const { ready } = entry
  if (!ready || entry.refused || ready.prepared.question) return false
  return ready.prepared.writes?.length === 1 && judgeCall(ready, ports, reply).verdict === 'ask'
}

/** The part of an amendment that changes this file; null where none does. */
function partFor(file: SetFile, amendment: Amendment | undefined): Amendment | null {
  const selection = amendment?.selection?.[file.name]
  const texts = Object.entries(amendment?.editedText ?? {}).filter(
    ([key]) => key === file.name || key.startsWith(`${file.name}@@`),
  )
  if (selection === undefined && texts.length === 0) return null
  return {
    ...(selection === undefined ? {} : { selection: { [file.name]: selection } }),
    ...(texts.length === 0 ? {} : { editedText: Object.fromEntries(texts) }),
  }
}

function notApplied(file: SetFile): Refusal {
  return {
    ...failure(
      'TOOL_PERMISSION_DENIED',
      `Not applied by the person: they decided on the changes of this reply together and kept nothing of this one. It changed nothing in ${file.name}; do not assume it, and do not repeat it unasked.`,
    ),
    summary: 'not applied by the person',
  }
}

export function readyOfEntry(entry: Entry): Ready {
  return entry.ready as Ready
}

export function preparedOf(entry: Entry): Prepared<unknown> {
  return readyOfEntry(entry).prepared
}

export function pathOf(entry: Entry): string {
  return preparedOf(entry).writes?.[0]?.path ?? ''
}

function diffPath({ blocks, title }: Prepared<unknown>): string {
  const block = blocks.find((one) => one.type === 'diff')
  return block?.type === 'diff' ? block.diff.path : title
}

function sameNeed(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

const weights: readonly RiskLevel[] = [
  'read',
  'write-inside',
  'write-outside',
  'delete',
  'network',
  'publish',
  'privilege',
]

/** The heaviest; what it says of one file is no word about the others. */
function together(risks: readonly Risk[]): Risk {
  const [first = { level: 'write-inside', reason: '' } satisfies Risk, ...others] = risks
  const worst = others.reduce(
    (risk, next) => (weights.indexOf(next.level) > weights.indexOf(risk.level) ? next : risk),
    first,
  )
  return risks.every(({ level }) => level === worst.level) ? { level: worst.level, reason: '' } : worst
}
