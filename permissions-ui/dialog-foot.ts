/** What stands under the body of a dialog: where it acts, the answers that can be given, and their keys. */
import type { PermissionRequest, RiskLevel } from '@sluice/engine/protocol'
import { fitSpans, rowWidth, type StyledRow, type StyledSpan, styledRow } from './blocks/styled-row.ts'
import { fieldRow } from './choice/field-row.ts'
import { hintRows, hintSpans } from './dialog-hints.ts'
import type { DialogAction } from './dialog-keys.ts'
import { alwaysScopes, controlsOf, type DialogControl, type DialogState, optionsOf } from './dialog-steps.ts'
import { visibleLine } from './dialogs/body.ts'
import { type KeyTable, keyLabel } from './keys.ts'
import { commentLine } from './review/edit.ts'
import { type ReviewSummary, summaryOf } from './review/state.ts'
import { cellWidth, truncateCells, wrapCells } from './text/cells.ts'
import { asciiGlyphs, type Theme } from './theme.ts'

export type FrameInput = {
  request: PermissionRequest
  state: DialogState
  table: KeyTable
  theme: Theme
  width: number
  height: number
  /** Rows that the body has in all. */
  rows: number
  mustSeeEnd: boolean
  focused: boolean
  draftPending: boolean
  /** `index` counts from 0. */
  position: { index: number; count: number }
  fullScreen: boolean
  /** Not all rows of the body are in sight; known once the frame is measured. */
  overflows?: boolean
  hasEditor?: boolean
  /** Rows of the body below what is in sight, where no rule says so. */
  below?: number
  /** How the key that enters an unfocused dialog is written. */
  focusKey: string
  /** The head of the hunk that the body begins in the middle of. */
  within?: string
}

/** The rows under the body: what it may do, the answers, the keys. At most about `most` of them. */
export function footRows(input: FrameInput, most: number): StyledRow[] {
  const { request, state } = input
  if (state.mode === 'reason') return reasonRows(input)
  if (state.mode === 'always') return alwaysRows(input, most)
  if (state.mode === 'comment') return commentFieldRows(input)
  if (state.mode === 'edit') return areaRows(input)
  if (request.kind === 'ask') return answerRows(input, most)
  // Without the focus its keys do nothing: the row stays, so that nothing moves when the focus comes.
  const hints = hintRows(input)
  return [statusRow(input), controlsRow(input), ...(input.focused ? hints : hints.map(() => styledRow()))]
}

/** That there is more to read before a yes. */
export function moreBelow(rows: number, theme: Theme): string {
  const arrow = theme.glyphs === asciiGlyphs ? 'v' : '↓'
  return `${arrow} ${rows} more ${rows === 1 ? 'row' : 'rows'}`
}

function statusRow({ request, state, theme, width, mustSeeEnd, below = 0 }: FrameInput): StyledRow {
  if (state.hint !== null) return hintRow(state.hint, width, theme)
  // What was judged is what was proposed.
  const risk: StyledSpan =
    state.command === null
      ? { text: ` ${riskWords[request.risk.level]}`, color: riskColor(request.risk.level, theme) }
      : { text: ' edited by you', color: theme.accent2 }
  const muted = (text: string): StyledSpan => ({ text, color: theme.muted })
  const lines = commandLines(request)
  let left = width - cellWidth(risk.text)
  const fits = (span: StyledSpan | null): StyledSpan[] => {
    if (span === null || cellWidth(span.text) > left) return []
    left -= cellWidth(span.text)
    return [span]
  }
  // What fits goes by weight, and stands in an order that reads well.
  const more = fits(below > 0 && !mustSeeEnd ? { text: ` · ${moreBelow(below, theme)}`, color: theme.warn } : null)
  const unread = fits(
    mustSeeEnd && !state.endSeen ? { text: ' · read to its end to say yes', color: theme.warn } : null,
  )
  const confined = fits(sandboxSpan(request, theme))
  const count = fits(lines > 1 ? muted(` · ${lines} lines`) : null)
  const reason = fits(
    request.risk.reason === '' || state.command !== null ? null : muted(` (${visibleLine(request.risk.reason)})`),
  )
  const cwd = ` · ${visibleLine(request.cwd)}`
  const where = left >= 12 ? [muted(truncateCells(cwd, left, theme.glyphs.ellipsis))] : []
  return styledRow(risk, ...reason, ...confined, ...where, ...count, ...more, ...unread)
}

/** Whether a command would run in the sandbox. */
function sandboxSpan({ sandbox }: PermissionRequest, theme: Theme): StyledSpan | null {
  switch (sandbox) {
    case undefined:
      return null
    case 'on':
      return { text: ' · sandboxed', color: theme.ok }
    case 'off':
      return { text: ' · not sandboxed', color: theme.muted }
    case 'unavailable':
      return { text: ' · not sandboxed (there is none)', color: theme.warn }
  }
}

function hintRow(hint: string, width: number, theme: Theme): StyledRow {
  return styledRow(...fitSpans([{ text: ` ${hint}`, color: theme.warn, bold: true }], width, theme.glyphs.ellipsis))
}

function commandLines(request: PermissionRequest): number {
  return request.blocks.reduce(
    (sum, block) => sum + (block.type === 'command' ? block.command.split('\n').length : 0),
    0,
  )
}

/** What a yes would apply now. */
function applyLabel({ kept, all, partial }: ReviewSummary): string {
  if (kept === 0) return 'refuse all'
  return kept === all && !partial ? 'apply' : `apply ${kept} of ${all}${partial ? ', in part' : ''}`
}

const controlWords: Record<DialogControl, { action: DialogAction; text: string; short: string }> = {
  apply: { action: 'apply', text: 'apply', short: 'apply' },
  deny: { action: 'deny', text: 'no, because …', short: 'no' },
  always: { action: 'always', text: 'always …', short: 'always' },
}

function controlsRow(input: FrameInput): StyledRow {
  const { request, state, width, table, mustSeeEnd, focused } = input
  if (!focused) return unfocusedRow(input)
  const build = (word: 'text' | 'short'): StyledSpan[] => {
    const spans: StyledSpan[] = [{ text: ' ' }]
    for (const control of controlsOf(request)) {
      const { action, [word]: text } = controlWords[control]
      const label =
        control !== 'apply'
          ? text
          : state.review !== null
            ? applyLabel(summaryOf(state.review))
            : request.kind === 'execute'
              ? text.replace('apply', 'run')
              : text
      const key = keyLabel(table, 'dialog', action)
      const off = control !== 'deny' && mustSeeEnd && !state.endSeen
      const on = control === state.control
      if (spans.length > 1) spans.push({ text: '  ' })
      spans.push({
        text: on ? `[${key} ${label}]` : ` ${key} ${label} `,
        ...(on ? { inverse: true, bold: true } : {}),
        ...(off ? { dim: true } : {}),
      })
    }
    return spans
  }
  const full = build('text')
  return styledRow(...fitSpans(rowWidth({ spans: full }) <= width ? full : build('short'), width))
}

function unfocusedRow({ theme, width, draftPending, focusKey }: FrameInput): StyledRow {
  const key: StyledSpan[] = [
    { text: focusKey, bold: true },
    { text: ' answers this', color: theme.muted },
  ]
  const warn = { text: ` ${theme.glyphs.warn} `, color: theme.warn }
  const full = [warn, { text: 'your draft has the keys: ', color: theme.warn }, ...key]
  if (!draftPending) return styledRow(...fitSpans([{ text: ' ' }, ...key], width))
  return styledRow(...fitSpans(rowWidth({ spans: full }) <= width ? full : [warn, ...key], width))
}

function commentFieldRows({ state, theme, width, focused }: FrameInput): StyledRow[] {
  const line = state.review === null ? '' : ` ${commentLine(state.review)}`
  return [
    fieldRow({ text: ` comment on line${line}: `, color: theme.accent2, bold: true }, state.comment, width, theme, {
      active: focused,
      placeholder: ' (nothing: no comment)',
    }),
    hintSpans(
      [
        ['⏎', 'keep it'],
        ['esc', 'back'],
      ],
      { width, theme },
    ),
  ]
}

function areaRows(input: FrameInput): StyledRow[] {
  const { state, theme, width, table } = input
  const what = state.review === null ? 'the command' : 'the proposed text of this hunk'
  const title = { text: ` editing ${what}`, color: theme.accent2, bold: true }
  const hints: [string, string][] = [
    [keyLabel(table, 'dialog', 'keep'), 'keep it'],
    ['esc', state.dropping ? 'drop it' : 'back'],
  ]
  return [
    state.hint === null
      ? styledRow(...fitSpans([title], width, theme.glyphs.ellipsis))
      : hintRow(state.hint, width, theme),
    hintSpans(hints, { width, theme }),
  ]
}

function reasonRows({ state, theme, width, focused }: FrameInput): StyledRow[] {
  return [
    fieldRow({ text: ' no, because ', color: theme.warn, bold: true }, state.reason, width, theme, {
      active: focused,
      placeholder: ' (nothing: a silent no)',
    }),
    hintSpans(
      [
        ['⏎', 'deny'],
        ['esc', 'back'],
      ],
      { width, theme },
    ),
  ]
}

function alwaysRows(input: FrameInput, most: number): StyledRow[] {
  const { request, state, theme, width } = input
  const rules: StyledRow[] = []
  let chosenAt = 0
  for (const [i, suggestion] of request.suggestions.entries()) {
    const on = i === state.rule
    if (on) chosenAt = rules.length
    const mark: StyledSpan = on ? { text: ` ${theme.glyphs.prompt} `, color: theme.accent } : { text: '   ' }
    // The rule is what will be written, to the letter: it is wrapped, never cut.
    const lines = wrapCells(visibleLine(suggestion.text), Math.max(1, width - 3), { hard: true })
    rules.push(...lines.map((text, k) => styledRow(k === 0 ? mark : { text: '   ' }, { text, bold: on })))
    const said = [visibleLine(suggestion.label), coverage(suggestion.covers)].filter((words) => words !== '')
    if (on && said.length > 0) {
      const label = truncateCells(said.join(' · '), Math.max(1, width - 5))
      rules.push(styledRow({ text: `     ${label}`, color: theme.muted }))
    }
  }
  const scopes: StyledSpan[] = [{ text: ' for ' }]
  for (const [i, scope] of alwaysScopes.entries()) {
    if (i > 0) scopes.push({ text: ` ${theme.glyphs.closed} `, color: theme.muted })
    const words = { session: 'this session', project: 'this project', user: 'me, everywhere' }[scope]
    scopes.push(
      i === state.scope ? { text: `[${words}]`, inverse: true, bold: true } : { text: words, color: theme.muted },
    )
  }
  const hints: [string, string][] = [
    ['⏎', request.kind === 'execute' ? 'run, and write this rule' : 'apply, and write this rule'],
    ['←→', 'for whom'],
    ...(request.suggestions.length > 1 ? ([['↑↓', 'rule']] as [string, string][]) : []),
    ['esc', 'back'],
  ]
  const foot = [
    ...(state.hint === null ? [] : [hintRow(state.hint, width, theme)]),
    styledRow(...fitSpans(scopes, width)),
    hintSpans(hints, { width, theme }),
  ]
  const room = Math.max(2, most - foot.length)
  const from = rules.length <= room ? 0 : Math.min(chosenAt, rules.length - room)
  return [...rules.slice(from, from + room), ...foot]
}

/** What a rule would have spared so far, so that it is seen how wide it is. */
function coverage(covers: number | undefined): string {
  if (covers === undefined) return ''
  if (covers === 0) return 'covers no earlier question of this session'
  return covers === 1 ? 'would have covered 1 earlier question' : `would have covered ${covers} earlier questions`
}

function answerRows(input: FrameInput, most: number): StyledRow[] {
  const { request, state, theme, width, focused } = input
  const options = optionsOf(request)
  const item = (index: number, label: string, text: string): StyledRow[] => {
    const on = focused && state.stop === index
    const mark = `${on ? ` ${theme.glyphs.prompt} ` : '   '}${label}`
    const lines = wrapCells(text, Math.max(1, width - cellWidth(mark)))
    return lines.map((line, i) =>
      styledRow(
        { text: i === 0 ? mark : ' '.repeat(cellWidth(mark)), color: on ? theme.accent : theme.muted },
        { text: line, bold: on },
      ),
    )
  }
  const field = options.length
  const groups = options.map((option, i) => item(i, i < 9 ? `${i + 1} ` : '  ', visibleLine(option)))
  const onField = focused && state.stop === field
  const label: StyledSpan = {
    text: `${onField ? ` ${theme.glyphs.prompt} ` : '   '}${options.length > 0 ? 'something else: ' : 'answer: '}`,
    color: onField ? theme.accent : theme.muted,
  }
  groups.push([fieldRow(label, state.answer, width, theme, { active: onField })])
  groups.push(item(field + 1, '', 'no answer …'))
  const foot: StyledRow[] = []
  if (state.hint !== null) foot.push(hintRow(state.hint, width, theme))
  if (focused) {
    const hints: [string, string][] = [
      ['⏎', 'answer'],
      ['↑↓', 'choose'],
      ['esc', onField && options.length > 0 ? 'back' : 'later'],
      ...(options.length > 0 && !onField
        ? ([[`1${options.length > 1 ? `…${Math.min(9, options.length)}` : ''}`, 'choose']] as [string, string][])
        : []),
    ]
    foot.push(hintSpans(hints, { width, theme }))
  } else foot.push(unfocusedRow(input))
  return [...windowed(groups, Math.max(0, state.stop), Math.max(2, most - foot.length)), ...foot]
}

/** The groups around the chosen one that fit into `room` rows. */
function windowed(groups: readonly StyledRow[][], chosen: number, room: number): StyledRow[] {
  const all = groups.flat()
  if (all.length <= room) return all
  const start = groups.slice(0, chosen).flat().length
  const size = groups[chosen]?.length ?? 1
  const from = Math.max(0, Math.min(start + size - room, all.length - room, start))
  return all.slice(Math.max(from, Math.min(start, from)), from + room)
}

const riskWords: Record<RiskLevel, string> = {
  read: 'only reads',
  'write-inside': 'writes inside the workspace',
  'write-outside': 'writes outside the workspace',
  delete: 'deletes',
  network: 'uses the network',
  publish: 'publishes',
  privilege: 'asks for more rights',
}

function riskColor(level: RiskLevel, theme: Theme): string | undefined {
  if (level === 'read' || level === 'write-inside') return theme.ok
  return level === 'delete' || level === 'publish' || level === 'privilege' ? theme.bad : theme.warn
}
