/** What a dialog asks about, as rows that are made when they come into view. */
import type { Block, FileDiff, JudgedNeed, PermissionRequest } from '@sluice/engine/protocol'
import { blockRows } from '../blocks/block-rows.ts'
import { type StyledRow, type StyledSpan, styledRow } from '../blocks/styled-row.ts'
import { diffLines } from '../diff/diff-lines.ts'
import { wrapCells } from '../text/cells.ts'
import { revealBlanks } from '../text/reveal.ts'
import { hasHidden, sanitizeForTerminal } from '../text/sanitize.ts'
import type { Theme } from '../theme.ts'

export type Body = {
  readonly count: number
  at(index: number): StyledRow
  /** Where hunks and files begin, rising. */
  readonly hunks: readonly number[]
  readonly files: readonly number[]
}

export type BodyOptions = { width: number; theme: Theme; left: number; split: boolean }

/** Text of a request as it is shown to the person who decides. */
export function visibleText(text: string): string {
  return revealBlanks(sanitizeForTerminal(text, 'visible'))
}

/** The same on one line. */
export function visibleLine(text: string): string {
  return visibleText(text).replaceAll('\n', '⏎')
}

/** True when anything the person is asked about has characters that a terminal would act on or not draw. */
export function requestHasHidden(request: PermissionRequest): boolean {
  const known = hiddenOf.get(request)
  if (known !== undefined) return known
  const words = [request.title, request.cwd, ...request.needs.map(needText)]
  const hidden = words.some(hasHidden) || request.blocks.some(blockHasHidden)
  hiddenOf.set(request, hidden)
  return hidden
}

/** Bodies one below the other, without a gap. */
export function stackBodies(bodies: readonly Body[]): Body {
  const starts: number[] = []
  let count = 0
  for (const body of bodies) {
    starts.push(count)
    count += body.count
  }
  const shifted = (pick: (body: Body) => readonly number[]) =>
    bodies.flatMap((body, i) => pick(body).map((index) => index + (starts[i] ?? 0)))
  return {
    count,
    at(index) {
      let i = bodies.length - 1
      while (i > 0 && (starts[i] ?? 0) > index) i--
      return bodies[i]?.at(index - (starts[i] ?? 0)) ?? styledRow()
    },
    hunks: shifted((body) => body.hunks),
    files: shifted((body) => body.files),
  }
}

export function rowsBody(rows: readonly StyledRow[]): Body {
  return { count: rows.length, at: (index) => rows[index] ?? styledRow(), hunks: [], files: [] }
}

/** File changes with hunk heads, and file heads where there are several. */
export function diffBody(diffs: readonly FileDiff[], options: BodyOptions): Body {
  const lines = diffLines(diffs, { ...options, files: diffs.length > 1, hunks: true, reveal: true })
  const hunks = diffs.flatMap((diff, file) => diff.hunks.map((_, hunk) => lines.place(file, hunk, -1)))
  return { count: lines.count, at: (index) => lines.at(index), hunks, files: lines.files }
}

/** Blocks in their order, whole; neighbouring diffs become one change set. */
export function blocksBody(blocks: readonly Block[], options: BodyOptions): Body {
  const bodies: Body[] = []
  let diffs: FileDiff[] = []
  const flush = () => {
    if (diffs.length > 0) bodies.push(diffBody(diffs, options))
    diffs = []
  }
  for (const block of blocks) {
    if (block.type === 'diff') diffs.push(block.diff)
    else {
      flush()
      bodies.push(rowsBody(indent(blockRows(block, Math.max(1, options.width - 1), options.theme, { whole: true }))))
    }
  }
  flush()
  return stackBodies(bodies)
}

/** The parts that the rules judged, each with its verdict and the reason for it. */
export function needsBody(needs: readonly JudgedNeed[], options: BodyOptions): Body {
  const { width, theme } = options
  const rows: StyledRow[] = []
  for (const judged of needs) {
    const [glyph, color] = verdictMark(judged.verdict, theme)
    const text = wrapCells(visibleText(needText(judged)), Math.max(1, width - 3), { hard: true })
    rows.push(...text.map((line, i) => styledRow({ text: i === 0 ? ` ${glyph} ` : '   ', color }, { text: line })))
    rows.push(...factRows(needFacts(judged), 5, options))
  }
  return rowsBody(rows)
}

/** What there is to know about one part, without `known`, which is said elsewhere. */
export function factsBody(judged: JudgedNeed, options: BodyOptions, known: string): Body {
  const facts = needFacts(judged).filter((fact) => fact !== known)
  return rowsBody(factRows(facts, 3, options))
}

function factRows(facts: readonly string[], indent: number, { width, theme }: BodyOptions): StyledRow[] {
  return facts.flatMap((fact) =>
    wrapCells(visibleText(fact), Math.max(1, width - indent)).map((line) =>
      styledRow({ text: `${' '.repeat(indent)}${line}`, color: fact.startsWith('beware') ? theme.warn : theme.muted }),
    ),
  )
}

/** A heading inside a body, with a blank row above it. */
export function headingBody(text: string, theme: Theme): Body {
  return rowsBody([styledRow(), styledRow({ text: ` ${text}`, color: theme.muted })])
}

export function indent(rows: readonly StyledRow[]): StyledRow[] {
  return rows.map((row) => ({ spans: [{ text: ' ' } satisfies StyledSpan, ...row.spans] }))
}

const hiddenOf = new WeakMap<PermissionRequest, boolean>()

/** What one part of a request would do, as one text: the command, the access and path, the address, the tool of a server. */
export function needText({ need }: JudgedNeed): string {
  switch (need.type) {
    case 'command':
      return need.text
    case 'path':
      return `${need.access} ${need.shown}`
    case 'network':
      return need.url === '' ? need.host : need.url
    case 'mcp':
      return `${need.server}: ${need.tool}`
  }
}

function needFacts({ need, verdict, rule, scope, reason }: JudgedNeed): string[] {
  const word = verdict === 'allow' ? 'allowed' : verdict === 'deny' ? 'denied' : 'asks'
  const source = rule === null ? '' : ` (${rule}${scope === null ? '' : `, ${scope}`})`
  const facts = [
    reason === '' ? `${word}${source}` : `${word}: ${reason}${reason.includes(rule ?? '\0') ? '' : source}`,
  ]
  if (need.type === 'command' && need.hazards.length > 0) facts.push(`beware: ${need.hazards.join('; ')}`)
  if (need.type === 'command' && need.writes.length > 0) facts.push(`writes ${need.writes.join(', ')}`)
  if (need.type === 'path' && !need.inside) facts.push('outside the workspace')
  return facts
}

function verdictMark(verdict: JudgedNeed['verdict'], theme: Theme): [string, string | undefined] {
  if (verdict === 'allow') return [theme.glyphs.ok, theme.ok]
  return verdict === 'deny' ? [theme.glyphs.bad, theme.bad] : [theme.glyphs.warn, theme.warn]
}

function blockHasHidden(block: Block): boolean {
  switch (block.type) {
    case 'text':
    case 'markdown':
    case 'code':
    case 'output':
    case 'error':
      return hasHidden(block.text)
    case 'diff':
      return (
        hasHidden(block.diff.path) || block.diff.hunks.some((hunk) => hunk.lines.some((line) => hasHidden(line.text)))
      )
    case 'command':
      return hasHidden(block.command) || hasHidden(block.cwd)
    case 'files':
      return block.paths.some(hasHidden)
    case 'todo':
      return block.items.some((item) => hasHidden(item.text))
    case 'question':
      return hasHidden(block.question) || (block.options ?? []).some(hasHidden)
  }
}
