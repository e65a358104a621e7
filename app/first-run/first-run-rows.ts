/** The first screen as rows: what was looked for, the choice, and the fields that a choice needs; pure. */
import {
  asciiGlyphs,
  fieldSpans,
  fitSpans,
  graphemes,
  type KeyTable,
  padCells,
  type StyledRow,
  type StyledSpan,
  styledRow,
  type Theme,
  truncateCells,
  wrapCells,
} from '@sluice/permissions-ui'
import { shownKeys } from '../overlays/key-rows.ts'
import { entries, type FirstRunState, filtered, type Step, stepOf } from './first-run-state.ts'
import type { Looked } from './looked.ts'
import { type FoundServer, localPorts } from './model-list.ts'

export type FirstRunView = {
  state: FirstRunState
  looked: readonly Looked[]
  /** The model that an OpenAI key would start with. */
  keyModel: string
  table: KeyTable
  theme: Theme
  width: number
  height: number
}

/** At most `height` rows of at most `width` cells. */
export function firstRunRows(view: FirstRunView): StyledRow[] {
  const { width, height, theme } = view
  const step = stepOf(view.state)
  const title = styledRow(
    { text: ' sluice', bold: true, color: theme.accent },
    { text: truncateCells(`   ${titleOf(step)}`, Math.max(0, width - 7)), color: theme.muted },
  )
  const rule = height < 16 ? [] : [styledRow({ text: theme.glyphs.horizontal.repeat(width), color: theme.muted })]
  const room = Math.max(0, height - 2 - rule.length)
  const body = bodyOf(view, step, room).slice(0, room)
  const gap = Array.from({ length: room - body.length }, () => styledRow())
  return [title, ...rule, ...body, ...gap, footRow(view, step)].slice(0, height)
}

function titleOf(step: Step): string {
  switch (step.at) {
    case 'menu':
      return 'no model yet'
    case 'servers':
      return 'local model servers'
    case 'key':
      return step.server === null ? 'a key of OpenAI' : `a key for ${hostOf(step.server)}`
    case 'url':
      return 'a base URL'
    case 'models':
    case 'name':
      return `a model of ${hostOf(step.server.baseUrl)}`
  }
}

function bodyOf(view: FirstRunView, step: Step, room: number): StyledRow[] {
  switch (step.at) {
    case 'menu':
      return menuRows(view, step, room)
    case 'servers':
      return listRows(view, {
        room,
        above: ['These answer on this machine.'],
        selected: step.selected,
        labels: (view.state.servers ?? []).map((server, i) => ({
          text: `${i + 1} ${padCells(hostOf(server.baseUrl), 18)}`,
          detail: modelCount(server),
        })),
      })
    case 'models':
      return modelRows(view, step, room)
    case 'key': {
      const keep =
        step.server === null
          ? 'export OPENAI_API_KEY=…'
          : `export OPENAI_API_KEY=… OPENAI_BASE_URL=${truncateCells(step.server, 60)}`
      return fieldRows(view, room, {
        label: 'key',
        line: { text: view.theme.glyphs === asciiGlyphs ? '*' : '•', masks: true, ...of(step.line) },
        placeholder: 'paste or type it',
        above: [
          'The key stays in this process: sluice never writes keys to disk.',
          `To keep it, put it into your shell profile: ${keep}`,
          ...(step.server === null ? [`The model will be ${view.keyModel}; /model changes it.`] : []),
        ],
      })
    }
    case 'url':
      return fieldRows(view, room, {
        label: 'base URL',
        line: of(step.line),
        placeholder: 'http://127.0.0.1:11434/v1',
        above: ['Any server that speaks Chat Completions, here or elsewhere. It is asked for its models first.'],
      })
    case 'name':
      return fieldRows(view, room, {
        label: 'model',
        line: of(step.line),
        placeholder: 'the name that the server knows',
        above: [step.note ?? 'The name goes to the server as it is written here.'],
      })
  }
}
