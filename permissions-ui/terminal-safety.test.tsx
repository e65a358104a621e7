import { fileDiff } from '@sluice/engine/change'
import type { Block, PermissionRequest } from '@sluice/engine/protocol'
import fc from 'fast-check'
import { Box } from 'ink'
import { expect, test } from 'vitest'
import { createEmulator } from '../fixtures/screen/emulator.ts'
import { renderAt } from '../fixtures/screen/render-at.tsx'
import { commandRequest, editRequest, judged } from '../fixtures/screen/requests.ts'
import { ApprovalDialog } from './ApprovalDialog.tsx'
import { blockRows } from './blocks/block-rows.ts'
import { RowsView } from './blocks/RowView.tsx'
import { DiffView } from './diff/DiffView.tsx'
import { cellWidth } from './text/cells.ts'
import { sanitizeForTerminal } from './text/sanitize.ts'
import { darkTheme } from './theme.ts'

/** Text as an attacker would write it: every kind of control sequence, whole and torn, between odd characters. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...[
          '\x1b]52;c;aGFjaw==\x07',
          '\x1b]0;owned\x07',
          '\x1b]2;owned\x1b\\',
          '\x1b[?1049l',
          '\x1b[?25l',
          '\x1b[6n',
          '\x1b[c',
        ],
        ...[
          '\x1b[2J',
          '\x1b[H',
          '\x1bc',
          '\x1b[?2004h',
          '\x1b[31m',
          '\x1b[8m',
          '\x1b]8;;http://evil\x1b\\',
          '\x1bP$q"p\x1b\\',
          '\x1b(0',
        ],
        ...[
          '\x9b2J',
          '\x9d0;owned\x9c',
          '\x90q\x9c',
          '\x07',
          '\x08',
          '\x0e',
          '\x7f',
          '\0',
          '\r',
          '\n',
          '\t',
          '\x1b',
          '\x1b[',
          '\x1b]',
        ],
        ...[
          '\u202e',
          '\u2066',
          '\u200b',
          '\ufeff',
          '\u{e0041}',
          '\u0301',
          '\u2028',
          '\ud800',
          '👨‍👩‍👧',
          '⛴️',
          '世',
          'e\u0301',
          '─',
        ],
      ),
      fc.string({ unit: 'binary-ascii', maxLength: 6 }),
      fc.string({ maxLength: 6 }),
    ),
    { maxLength: 24 },
  )
  .map((parts) => parts.join(''))

const columns = 40
const rows = 14

/** Renders once and demands that the terminal did nothing but draw, within its columns. */
async function drawsOnly(element: React.ReactNode, frame: { edge: boolean }) {
  const view = await renderAt(columns + 1, rows, element, { alternateScreen: true })
  const effects = view.effects()
  const edges = new Set(Array.from({ length: rows }, (_, y) => view.cellAt(columns, y).char))
  await view.unmount()
  expect(effects).toEqual({ titles: [], replies: [], bells: 0, alternate: true, cursorHidden: true })
  // What stands to the right of the text stays in its column.
  if (frame.edge) expect(edges).toEqual(new Set(['|']))
}

function Framed({ children }: { children: React.ReactNode }) {
  return (
    <Box width={columns + 1} height={rows}>
      <Box width={columns} height={rows} overflow="hidden" flexDirection="column">
        {children}
      </Box>
      <Box flexDirection="column" width={1}>
        <RowsView rows={Array.from({ length: rows }, () => ({ spans: [{ text: '|' }] }))} />
      </Box>
    </Box>
  )
}

test('sanitised text, written straight to a terminal, only draws, in the cells that were counted', async () => {
  await fc.assert(
    fc.asyncProperty(hostile, fc.constantFrom('output' as const, 'visible' as const), async (text, mode) => {
      const lines = sanitizeForTerminal(text, mode).split('\n')
      const emulator = createEmulator(500, lines.length + 1)
      await emulator.write(lines.join('\r\n'))
      const { cursorX, cursorY } = emulator.terminal.buffer.active
      expect(emulator.effects()).toEqual({ titles: [], replies: [], bells: 0, alternate: false })
      expect({ ...emulator.terminal.modes }).toEqual({ ...createEmulator(10, 2).terminal.modes })
      expect([cursorX, cursorY]).toEqual([cellWidth(lines.at(-1) ?? ''), lines.length - 1])
      // Text that follows is drawn as itself: no colour, no other character set.
      await emulator.write('\r\nabc')
      const cell = emulator.terminal.buffer.active.getLine(lines.length)?.getCell(0)
      expect([emulator.row(lines.length).trimEnd(), cell?.isAttributeDefault()]).toEqual(['abc', true])
      emulator.terminal.dispose()
    }),
    { numRuns: 500 },
  )
})

test('blocks of hostile text only draw, and nothing beside them moves', async () => {
  const kinds: ((text: string) => Block)[] = [
    (text) => ({ type: 'text', text }),
    (text) => ({ type: 'output', text, exitCode: 1 }),
    (text) => ({ type: 'code', text, path: 'a.ts', startLine: 1 }),
    (text) => ({ type: 'command', command: text, cwd: text }),
    (text) => ({ type: 'files', paths: [text, text] }),
    (text) => ({ type: 'todo', items: [{ id: '1', text, status: 'pending' }] }),
  ]
  await fc.assert(
    fc.asyncProperty(hostile, fc.constantFrom(...kinds), fc.boolean(), async (text, block, whole) => {
      const shown = blockRows(block(text), columns, darkTheme, { whole }).slice(0, rows)
      await drawsOnly(
        <Framed>
          <RowsView rows={shown} />
        </Framed>,
        { edge: true },
      )
    }),
    { numRuns: 120 },
  )
})

test('diffs of hostile text only draw, and nothing beside them moves', async () => {
  await fc.assert(
    fc.asyncProperty(hostile, hostile, fc.boolean(), fc.nat(12), async (oldText, newText, split, left) => {
      const diff = fileDiff({ path: newText, oldText, newText, oldHash: null, newHash: null })
      await drawsOnly(
        <Framed>
          <DiffView diff={diff} width={columns} height={rows} offset={0} split={split} left={left} files hunks reveal />
        </Framed>,
        { edge: true },
      )
    }),
    { numRuns: 80 },
  )
})

test('dialogs about hostile requests only draw, and fit', async () => {
  await fc.assert(
    fc.asyncProperty(hostile, hostile, fc.boolean(), async (one, two, edit) => {
      const request: PermissionRequest = edit
        ? {
            ...editRequest,
            title: one,
            tool: two,
            modelReason: two,
            reason: one,
            blocks: [
              { type: 'diff', diff: fileDiff({ path: one, oldText: one, newText: two, oldHash: null, newHash: null }) },
            ],
          }
        : commandRequest(one, {
            needs: [judged(two, { reason: one, rule: two, scope: 'user' })],
            cwd: two,
            reason: two,
          })
      await drawsOnly(
        <Framed>
          <ApprovalDialog
            request={request}
            width={columns}
            height={rows}
            focused
            draftPending={false}
            onDecide={() => {}}
          />
        </Framed>,
        { edge: true },
      )
    }),
    { numRuns: 80 },
  )
})
