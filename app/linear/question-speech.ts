/** An open question as labelled lines: what would be done, why it is asked, and the keys that answer it. */
import type { PermissionRequest, RiskLevel } from '@sluice/engine/protocol'
import { type KeyTable, needText, requestHasHidden } from '@sluice/permissions-ui'
import type { TrustView } from '../state/index.ts'
import { spokenBlock, spokenCounts, spokenKey, spokenLine } from './speech.ts'

/** Everything that a person decides on is told; `heard` leaves out the model's words, which were told just before. */
export function questionSpeech(
  request: PermissionRequest,
  place: { index: number; count: number },
  table: KeyTable,
  heard = false,
): string[] {
  const say = (text: string) => spokenLine(text, 'decide')
  const diffs = request.blocks.flatMap((block) => (block.type === 'diff' ? [block.diff] : []))
  const sum = diffs.reduce(
    (all, diff) => ({ additions: all.additions + diff.additions, deletions: all.deletions + diff.deletions }),
    { additions: 0, deletions: 0 },
  )
  const number = place.count > 1 ? ` ${place.index + 1} of ${place.count}` : ''
  const what = `${say(request.tool)} ${say(request.title)}`.trim()
  const lines = [`Question${number}: ${what}${diffs.length > 0 ? `, ${spokenCounts(sum)}` : ''}.`]
  if (request.reason !== '') lines.push(`Asked because: ${say(request.reason)}.`)
  if (request.modelReason?.trim() && !heard) lines.push(`The model says: ${say(request.modelReason)}`)
  if (requestHasHidden(request))
    lines.push('Beware: it has hidden characters, told as \\x1b, or as their code such as <U+202E>.')
  if (request.question) return [...lines, ...askSpeech(request.question), pressSpeech(request, table)]
  lines.push(...request.blocks.flatMap((block) => spokenBlock(block, 'decide')))
  lines.push(...needSpeech(request))
  const why = request.risk.reason === '' ? '' : `, ${say(request.risk.reason)}`
  lines.push(`Risk: it ${risks[request.risk.level]}${why}. In ${say(request.cwd)}.`)
  return [...lines, pressSpeech(request, table)]
}

/** `Press y to apply, n to deny and say why, …`. */
export function pressSpeech(request: PermissionRequest, table: KeyTable): string {
  if (request.question) return answerKeys(request.question.options ?? [], table)
  const yes = request.kind === 'execute' ? 'run' : 'apply'
  return sentence([
    [keyOf(table, 'dialog', 'apply'), `to ${yes}`],
    [keyOf(table, 'dialog', 'deny'), 'to deny and say why'],
    ...(request.suggestions.length > 0 ? [[keyOf(table, 'dialog', 'always'), 'for always'] as const] : []),
    ['r', 'to hear it again'],
    [keyOf(table, 'dialog', 'leave'), 'for later'],
  ])
}

/** Whether this folder is trusted; it wants to configure something. */
export function trustSpeech(question: TrustView, table: KeyTable): string[] {
  const say = (text: string) => spokenLine(text, 'decide')
  const head =
    question.why === 'new'
      ? `Question: do you trust the folder ${say(question.folder)}? It wants to configure sluice:`
      : question.why === 'rules'
        ? `Question: the local config of the folder ${say(question.folder)} allows this. Do you approve exactly that?`
        : `Question: what the folder ${say(question.folder)} runs has changed. Do you trust it still?`
  const parts = question.parts.flatMap((part) => [
    `${say(part.name)}: ${say(part.what)}.`,
    ...part.details.map((detail) => `Detail: ${say(detail)}`),
  ])
  const press = sentence([
    [keyOf(table, 'trust', 'trust') || 'y', 'to trust it'],
    [keyOf(table, 'trust', 'later') || 'n', 'for not now'],
    [keyOf(table, 'dialog', 'leave'), 'to leave it open'],
  ])
  return [head, ...parts, press]
}

function askSpeech({ text, options = [] }: NonNullable<PermissionRequest['question']>): string[] {
  return [
    `The model asks: ${spokenLine(text, 'decide')}`,
    ...options.map((option, i) => `${i + 1}: ${spokenLine(option, 'decide')}`),
  ]
}

function answerKeys(options: readonly string[], table: KeyTable): string {
  const numbers =
    options.length === 0
      ? []
      : ([[`1${options.length > 1 ? ` to ${Math.min(9, options.length)}` : ''}`, 'to choose']] as const)
  return sentence([
    ...numbers,
    ['t', 'to type an answer'],
    ['n', 'to give none and say why'],
    [keyOf(table, 'dialog', 'leave'), 'for later'],
  ])
}

function sentence(keys: readonly (readonly [string, string])[]): string {
  const parts = keys.filter(([key]) => key !== '').map(([key, what]) => `${key} ${what}`)
  return `Press ${parts.slice(0, -1).join(', ')} or ${parts.at(-1)}.`
}

function keyOf(table: KeyTable, context: string, action: string): string {
  const key = table[context]?.[action]?.keys[0]
  return key === undefined ? '' : spokenKey(key)
}

function needSpeech({ needs, kind }: PermissionRequest): string[] {
  const beyond =
    kind === 'edit'
      ? needs.filter(({ need, verdict }) => need.type !== 'path' || !need.inside || verdict === 'deny')
      : needs
  return beyond.map((judged) => {
    const { need, verdict, rule, reason } = judged
    const word = verdict === 'allow' ? 'allowed' : verdict === 'deny' ? 'denied' : 'asks'
    const facts = [
      ...(reason === '' ? [] : [reason]),
      ...(rule === null || reason.includes(rule) ? [] : [`rule ${rule}`]),
      ...(need.type === 'command' && need.hazards.length > 0 ? [`beware: ${need.hazards.join('; ')}`] : []),
      ...(need.type === 'command' && need.writes.length > 0 ? [`writes ${need.writes.join(', ')}`] : []),
      ...(need.type === 'path' && !need.inside ? ['outside the workspace'] : []),
    ]
    return `Part: ${spokenLine(needText(judged), 'decide')}: ${word}${facts.map((fact) => `, ${spokenLine(fact, 'decide')}`).join('')}.`
  })
}

const risks: Record<RiskLevel, string> = {
  read: 'only reads',
  'write-inside': 'writes inside the workspace',
  'write-outside': 'writes outside the workspace',
  delete: 'deletes',
  network: 'uses the network',
  publish: 'publishes',
  privilege: 'asks for more rights',
}
