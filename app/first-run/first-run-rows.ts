/** The first screen as rows: its title, the step that is open, and the keys that do something now; pure. */
import {
  asciiGlyphs,
  fitSpans,
  type KeyTable,
  rowWidth,
  type StyledRow,
  type StyledSpan,
  styledRow,
  type Theme,
} from '@sluice/permissions-ui'
import { shownKeys } from '../overlays/key-rows.ts'
import { entries, type FirstRunState, type Step, stepOf } from './first-run-state.ts'
import type { Looked } from './looked.ts'
import { menuRows } from './menu-rows.ts'
import { fieldRows, hostOf, modelRows, serverRows } from './step-rows.ts'

export type FirstRunView = {
  state: FirstRunState
  looked: readonly Looked[]
  /** The model that an OpenAI key starts with. */
  keyModel: string
  table: KeyTable
  theme: Theme
  width: number
  height: number
}

/** Exactly `height` rows of at most `width` cells. */
export function firstRunRows(view: FirstRunView): StyledRow[] {
  const { width, height, theme } = view
  const step = stepOf(view.state)
  const title = fitSpans(
    [
      { text: ' sluice', bold: true, color: theme.accent },
      { text: `   ${titleOf(step)}`, color: theme.muted },
    ],
    width,
    theme.glyphs.ellipsis,
  )
  const rule = { text: theme.glyphs.horizontal.repeat(width), color: theme.muted }
  const head = height < 16 ? [{ spans: title }] : [{ spans: title }, styledRow(rule), styledRow()]
  const room = Math.max(0, height - head.length - 1)
  const body = bodyRows(view, step, room).slice(0, room)
  const gap = Array.from({ length: room - body.length }, () => styledRow())
  // On the lowest terminals the body matters more than the title, and the keys more than both.
  return [...head, ...body, ...gap, footRow(view, step)].slice(-height)
}

function titleOf(step: Step): string {
  switch (step.at) {
    case 'menu':
      return 'no model yet'
    case 'servers':
      return 'local model servers'
    case 'key':
      return step.server === null ? 'an OpenAI key' : `a key for ${hostOf(step.server)}`
    case 'url':
      return 'a base URL'
    case 'models':
    case 'name':
      return `a model of ${hostOf(step.server.baseUrl)}`
  }
}

function bodyRows(view: FirstRunView, step: Step, room: number): StyledRow[] {
  switch (step.at) {
    case 'menu':
      return menuRows(view, step, room)
    case 'servers':
      return serverRows(view, step, room)
    case 'models':
      return modelRows(view, step, room)
    case 'key':
      return fieldRows(view, room, {
        label: 'key',
        line: step.line,
        masked: true,
        placeholder: 'paste it, or type it',
        words: keyWords(step.server, view.keyModel),
      })
    case 'url':
      return fieldRows(view, room, {
        label: 'base URL',
        line: step.line,
        placeholder: 'http://127.0.0.1:11434/v1',
        words: [
          'A server that speaks Chat Completions, on this machine or elsewhere. It is asked for its models first.',
        ],
      })
    case 'name':
      return fieldRows(view, room, {
        label: 'model',
        line: step.line,
        placeholder: 'as the server calls it',
        words: [step.note ?? 'The name goes to the server as it stands here.'],
      })
  }
}

function keyWords(server: string | null, keyModel: string): string[] {
  const stays = 'The key stays in this process; sluice never writes keys to disk.'
  if (server !== null) return [stays, `To keep it: export OPENAI_API_KEY=… and OPENAI_BASE_URL=${server}`]
  return [
    stays,
    'To keep it, add this to your shell profile: export OPENAI_API_KEY=…',
    `It begins with ${keyModel}; /model changes that.`,
  ]
}

/** The last line: what was just said, else as many keys as fit. */
function footRow({ state, table, theme, width }: FirstRunView, step: Step): StyledRow {
  const ascii = theme.glyphs === asciiGlyphs
  const key = (action: string, context = 'overlay') =>
    shownKeys((table[context]?.[action]?.keys ?? []).slice(0, 1), ascii)
  const said = (text: string, color: string | undefined): StyledRow => ({
    spans: fitSpans([{ text: ` ${text}`, color }], width, theme.glyphs.ellipsis),
  })
  if (state.choice !== null) return said(state.choice.type === 'quit' ? 'bye' : 'starting …', theme.muted)
  if (state.leaveAt !== null) return said(`press ${key('cancel', 'global')} again to quit`, theme.warn)
  if ((step.at === 'menu' || step.at === 'servers') && state.problem !== null) return said(state.problem, theme.warn)

  const move: Hint = [joined(key('up'), key('down')), 'choose']
  const back: Hint = [key('close'), 'back']
  const quit: Hint = [doubled(key('cancel', 'global')), 'quit']
  if (state.asking !== null) return hintsRow([[key('close'), 'stop asking'], quit], width, theme)
  switch (step.at) {
    case 'menu':
      return hintsRow([move, [`${key('accept')} or ${ascii ? '1-' : '1…'}${entries.length}`, 'go'], quit], width, theme)
    case 'servers':
      return hintsRow([move, [key('accept'), 'go'], back, quit], width, theme)
    case 'models':
      return hintsRow([['type', 'to filter'], move, [key('accept'), 'begin'], back, quit], width, theme)
    case 'key':
      return hintsRow([[key('accept'), step.server === null ? 'begin' : 'ask again'], back, quit], width, theme)
    case 'url':
      return hintsRow([[key('accept'), 'ask it'], back, quit], width, theme)
    case 'name':
      return hintsRow([[key('accept'), 'begin'], back, quit], width, theme)
  }
}

type Hint = [key: string, words: string]

/** Whole hints as far as they fit; those of unbound keys are left out. */
function hintsRow(hints: readonly Hint[], width: number, theme: Theme): StyledRow {
  const spans: StyledSpan[] = []
  for (const [key, words] of hints) {
    if (key === '') continue
    const hint = [{ text: `${spans.length === 0 ? ' ' : '   '}${key}` }, { text: ` ${words}`, color: theme.muted }]
    if (rowWidth({ spans: [...spans, ...hint] }) > width) break
    spans.push(...hint)
  }
  return { spans }
}

function joined(up: string, down: string): string {
  return [...up, ...down].length === 2 ? up + down : [up, down].filter((key) => key !== '').join('/')
}

function doubled(key: string): string {
  return key === '' ? '' : `${key} twice`
}
