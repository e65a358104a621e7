/** Finding words in the transcript: which settled items have them, extended as the transcript grows. */
import type { Block } from '@sluice/engine/protocol'
import { at, type Item, type Log } from '../state/index.ts'

/** `hits` are indices of settled items in rising order; `checked` counts the items that were looked at. */
export type Search = { query: string; checked: number; hits: readonly number[] }

/** Looks at the items that `before` has not seen; case counts only when the query has a capital letter. */
export function searchItems(settled: Log<Item>, query: string, before?: Search): Search {
  const start: Search =
    before?.query === query && before.checked <= settled.length ? before : { query, checked: 0, hits: [] }
  if (start.checked === settled.length) return start
  if (query === '') return { query, checked: settled.length, hits: [] }
  const hits = [...start.hits]
  for (let index = start.checked; index < settled.length; index++) {
    const item = at(settled, index)
    if (item && itemText(item).some((text) => matches(text, query))) hits.push(index)
  }
  return { query, checked: settled.length, hits }
}

/** The places of `query` in one line of text: start and end offsets. */
export function placesOf(text: string, query: string): [number, number][] {
  if (query === '') return []
  const folded = hasCapital(query) ? text : text.toLowerCase()
  const places: [number, number][] = []
  for (let from = folded.indexOf(query); from !== -1; from = folded.indexOf(query, from + query.length)) {
    places.push([from, from + query.length])
  }
  return places
}

function matches(text: string, query: string): boolean {
  return hasCapital(query) ? text.includes(query) : text.toLowerCase().includes(query)
}

function hasCapital(query: string): boolean {
  return query !== query.toLowerCase()
}

/** The texts of an item that a reader may look for. */
export function itemText(item: Item): string[] {
  switch (item.kind) {
    case 'user':
    case 'notice':
      return [item.text]
    case 'assistant':
      return [item.text, item.reasoning]
    case 'call':
      return [item.name, item.title, item.summary, ...item.blocks.flatMap(blockText)]
    case 'error':
      return [item.error.message, item.error.hint ?? '']
    case 'compaction':
      return [item.summary]
    case 'session':
    case 'cleared':
    case 'turn-end':
      return []
  }
}

function blockText(block: Block): string[] {
  switch (block.type) {
    case 'text':
    case 'markdown':
    case 'code':
    case 'output':
    case 'error':
      return [block.text]
    case 'command':
      return [block.command]
    case 'diff':
      return [block.diff.path, ...block.diff.hunks.flatMap((hunk) => hunk.lines.map((line) => line.text))]
    case 'files':
      return block.paths
    case 'todo':
      return block.items.map((item) => item.text)
    case 'question':
      return [block.question, ...(block.options ?? []), block.answer ?? '']
  }
}
