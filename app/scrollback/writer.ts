/** How a session is written for eyes: the rows of the screen, as lines of the terminal. */
import { type StyledSpan, sanitizeForTerminal } from '@sluice/permissions-ui'
import { oneLine } from '../dashboard/sections.ts'
import { row } from '../markdown/spans.ts'
import { shortPath } from '../screen/header.ts'
import type { Item, SessionView } from '../state/index.ts'
import { rowToText } from '../terminal/sgr.ts'
import { grouped } from '../transcript/format.ts'
import { needsSpace } from '../transcript/item-rows.ts'
import { answerLines, itemLines, type LineOptions, reasoningLines } from './lines.ts'

type Answer = Item & { kind: 'assistant' }

/** Lines for each thing that may have to be written; none holds a line feed. */
export interface Writer {
  /** Once, before everything else. */
  banner(view: SessionView): string[]
  /** Another session comes to the front. */
  headline(view: SessionView): string[]
  /** So many items are left out. */
  earlier(count: number, path: string): string[]
  item(item: Item, previous: Item | undefined): string[]
  /** The first finished part of an answer that is still being written, with the thoughts before it. */
  begin(markdown: string, reasoning: string, previous: Item | undefined): string[]
  /** A later part of it. */
  more(markdown: string): string[]
  /** What remains once it is whole; `item.text` is only that. */
  rest(item: Answer): string[]
  /** What was written of an answer is no part of it any more. */
  anew(): string[]
}

export function screenWriter(options: LineOptions, home: string): Writer {
  const { ink } = options
  const { glyphs, muted, accent, warn } = ink.theme
  const line = (...spans: StyledSpan[]) => [rowToText(row(...spans), ink)]
  return {
    banner(view) {
      const facts = `  ${shortPath(oneLine(view.cwd), home)} · ${oneLine(view.model)}`
      return [...line({ text: 'sluice', bold: true, color: accent }, { text: facts, color: muted }), '']
    },
    headline(view) {
      const rule = glyphs.horizontal.repeat(2)
      return line({ text: `${rule} session: ${oneLine(view.title || view.id)} ${rule}`, color: muted })
    },
    earlier(count, path) {
      const text = `${glyphs.ellipsis} ${grouped(count)} earlier items are in ${sanitizeForTerminal(path, 'output')}`
      return line({ text, color: muted })
    },
    item: (item, previous) => itemLines(item, previous, options),
    begin(markdown, reasoning, previous) {
      const thought = reasoningLines(reasoning, options)
      const spaced = needsSpace(previous, { ...anAnswer, reasoning })
      return [...(spaced ? [''] : []), ...thought, ...answerLines(markdown, thought.length === 0, options)]
    },
    more: (markdown) => answerLines(markdown, false, options),
    rest(item) {
      const lines = itemLines({ ...item, reasoning: '' }, undefined, options)
      return [...(item.text.trim() === '' ? [] : ['']), ...lines]
    },
    anew: () => line({ text: `  ${glyphs.ellipsis} broken off; the answer begins anew`, color: warn }),
  }
}

const anAnswer: Answer = { kind: 'assistant', id: '', at: 0, text: '', reasoning: '', partial: false }
