/**
 * The live area at the end of the normal screen: Ink's frames are painted there, finished lines go above it into the
 * terminal's own scrollback. Nothing above the live area is ever erased, also when a resize has reflowed it.
 */
import { Writable } from 'node:stream'
import { cellWidth, graphemes, wrapCells } from '@sluice/permissions-ui'
import type { Reflow } from './capabilities.ts'
import { type InkFrame, readInkWrite } from './ink-frames.ts'
import { withoutBlankEnd } from './sgr-blanks.ts'

export interface InlineOutput {
  /** For Ink's `render(tree, { stdout, incrementalRendering: false })`; one row lower than the terminal. */
  readonly stdout: NodeJS.WriteStream
  /**
   * Puts lines above the live area, in order, as soon as there is one. `make` is called when they are written, with the
   * width of that moment; a line may be longer than it and is then wrapped by the terminal, which wraps it anew when its width changes.
   */
  print(make: (columns: number) => readonly string[]): void
  /** Writes what is waiting, erases the live area and draws no more. */
  close(): void
}

export type InlineOptions = {
  /** How the terminal treats lines on a change of width, as far as known at that moment. */
  reflow(): Reflow
  /** Quiet time after a resize before anything is drawn: the terminal itself is still at it. Default 80 ms. */
  settleMs?: number
}

type Screen = Pick<NodeJS.WriteStream, 'write' | 'columns' | 'rows' | 'on' | 'off'>

export function createInlineOutput(screen: Screen, options: InlineOptions): InlineOutput {
  /** What Ink wants to be seen; null after it erased its frame. */
  let wanted: InkFrame | null = null
  let bottom = 0
  /** What is on the screen, with the cursor's place in it. */
  let painted: { lines: readonly string[]; row: number; column: number } | null = null
  let shown = true
  const waiting: ((columns: number) => readonly string[])[] = []
  let flushing: NodeJS.Immediate | null = null
  let resizing: NodeJS.Timeout | null = null
  let emitting = false
  let closing = false
  let closed = false

  const sink = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      take(String(chunk))
      done()
    },
  })
  const stdout = Object.assign(sink, {
    isTTY: true,
    columns: screen.columns,
    rows: frameRows(screen),
  }) as unknown as NodeJS.WriteStream

  function take(chunk: string): void {
    const write = readInkWrite(chunk, bottom)
    if (write.type === 'modes') {
      screen.write(write.sequence)
      return
    }
    if (write.type === 'frame') {
      wanted = write.frame
      bottom = write.frame.bottom
    } else if (write.type === 'caret' && wanted !== null) wanted = { ...wanted, caret: write.caret }
    else if (write.type === 'erased') wanted = null
    else return
    // Ink erases its frame at a resize, and when it hands the terminal to another program: that cannot wait.
    if (wanted !== null) flushing ??= setImmediate(flush)
    else if (!emitting) stepAside()
  }

  function flush(): void {
    if (flushing !== null) clearImmediate(flushing)
    flushing = null
    if (resizing !== null || closed) return
    // Without a frame the terminal may not be ours.
    const lines = wanted === null && !closing ? [] : waiting.splice(0).flatMap((make) => make(screen.columns))
    const bytes = lines.length > 0 ? aboveFrame(lines) : change()
    if (bytes !== '') screen.write(`\x1b[?2026h${bytes}\x1b[?2026l`)
  }

  function aboveFrame(lines: readonly string[]): string {
    return `${erase()}${lines.map((line) => `${line}\r\n`).join('')}${change()}`
  }

  /** To the top of what is painted, and all of it away. */
  function erase(): string {
    const { row } = painted ?? { row: 0 }
    painted = null
    return `${hideCursor()}\r${up(row)}${eraseBelow}`
  }

  /** From what is painted to what is wanted: only rows that differ are written. */
  function change(): string {
    if (wanted === null) return painted === null ? '' : erase()
    const { lines, caret } = fitted(wanted, screen)
    const before = painted?.lines ?? []
    let out = ''
    let row = painted?.row ?? 0
    const to = (target: number) => {
      out += target > row ? down(target - row) : up(row - target)
      row = target
    }
    lines.forEach((line, index) => {
      if (index < before.length) {
        if (line === before[index]) return
        to(index)
        out += `\r${alone(line)}`
      } else {
        if (index > 0) {
          to(index - 1)
          out += '\r\n'
        } else out += '\r'
        row = index
        out += alone(line)
      }
    })
    if (before.length > lines.length) {
      to(lines.length)
      out += `\r${eraseBelow}`
      // With its last row gone, the cursor stays on the one above.
      if (lines.length > 0) to(lines.length - 1)
    }
    const place = caret ?? { row: Math.max(0, lines.length - 1), column: 0 }
    const still = out === '' && painted?.row === place.row && painted.column === place.column
    const same = still && shown === (caret !== null)
    if (same) return ''
    to(place.row)
    out = `${out === '' ? '' : hideCursor()}${out}\x1b[${place.column + 1}G`
    painted = { lines, ...place }
    if (caret === null) return `${out}${hideCursor()}`
    const show = shown ? '' : '\x1b[?25h'
    shown = true
    return out + show
  }

  /** With nothing behind it. Behind a row that fills the screen the cursor still stands on its last cell, which must stay. */
  function alone(line: string): string {
    return cellWidth(plain(line)) < screen.columns ? `${line}\x1b[K` : line
  }

  function hideCursor(): string {
    if (!shown) return ''
    shown = false
    return '\x1b[?25l'
  }

  function resized(): void {
    if (closed) return
    if (resizing !== null) clearTimeout(resizing)
    resizing = setTimeout(settled, options.settleMs ?? 80)
    stdout.columns = screen.columns
    stdout.rows = frameRows(screen)
    emitting = true
    stdout.emit('resize')
    emitting = false
  }

  /** Erases what is painted at once. */
  function stepAside(): void {
    if (resizing !== null) {
      clearTimeout(resizing)
      settled()
    } else flush()
  }

  /** The terminal has reflowed what was painted: it is erased where it now begins, and painted afresh. */
  function settled(): void {
    resizing = null
    if (painted !== null) {
      const { row, column, lines } = painted
      painted = { lines: [], row: rowsAbove(lines, row, column, screen.columns, options.reflow()), column: 0 }
      screen.write(erase())
    }
    flush()
  }

  screen.on('resize', resized)

  return {
    stdout,
    print(make) {
      if (closed) return
      waiting.push(make)
      // A frame that belongs to it usually follows at once, and both are one write then.
      flushing ??= setImmediate(flush)
    },
    close() {
      if (closed) return
      screen.off('resize', resized)
      wanted = null
      closing = true
      stepAside()
      closed = true
      if (!shown) screen.write('\x1b[?25h')
      shown = true
    },
  }
}

/** Rows from the top of painted lines to the cursor after the width has become `columns`; rather too few than too many. */
export function rowsAbove(
  lines: readonly string[],
  row: number,
  column: number,
  columns: number,
  reflow: Reflow,
): number {
  if (reflow === 'none') return row
  const above = lines
    .slice(0, row)
    .reduce((sum, line) => sum + wrapCells(plain(line), columns, { hard: true }).length, 0)
  return above + (reflow === 'all' ? Math.floor(column / Math.max(1, columns)) : 0)
}

/** The frame in no more than all rows but one; should it be wider than the screen, its lines are cut. */
function fitted(frame: InkFrame, screen: Screen): Pick<InkFrame, 'lines' | 'caret'> {
  const { columns } = screen
  const cut = Math.max(0, frame.lines.length - frameRows(screen))
  const lines = frame.lines.slice(cut).map((line) => clip(line, columns))
  const caret =
    frame.caret === null
      ? null
      : {
          row: Math.min(lines.length - 1, Math.max(0, frame.caret.row - cut)),
          column: Math.min(columns - 1, frame.caret.column),
        }
  return { lines, caret }
}

/** A row of the scrollback always stays in sight. */
function frameRows(screen: Screen): number {
  return Math.max(1, screen.rows - 1)
}

/**
 * Erases from the start of a row. Never with the cursor in the first cell of the screen: tmux takes that for a clear of the
 * whole screen, and moves all of it into the scrollback.
 */
const eraseBelow = '\x1b[K\x1b[C\x1b[J\r'

function clip(line: string, columns: number): string {
  const text = withoutBlankEnd(line)
  if (cellWidth(plain(text)) <= columns) return text
  let out = ''
  let left = columns
  for (const [part] of text.matchAll(/\x1b\[[\d;:]*m|[^\x1b]+/g)) {
    if (part.startsWith('\x1b')) out += part
    else {
      for (const grapheme of graphemes(part)) {
        left -= cellWidth(grapheme)
        if (left < 0) break
        out += grapheme
      }
    }
  }
  return out
}

function plain(line: string): string {
  return line.replaceAll(/\x1b\[[\d;:]*m/g, '')
}

function up(rows: number): string {
  return rows > 0 ? `\x1b[${rows}A` : ''
}

function down(rows: number): string {
  return rows > 0 ? `\x1b[${rows}B` : ''
}
