import { describe, expect, test } from 'vitest'
import { readInkWrite } from './ink-frames.ts'

const hide = '\x1b[?25l'
const show = '\x1b[?25h'

describe('a write of Ink', () => {
  test.each<[string, string, number, ReturnType<typeof readInkWrite>]>([
    ['a first frame', 'one\ntwo\n', 0, { type: 'frame', frame: { lines: ['one', 'two'], caret: null, bottom: 2 } }],
    [
      'a frame with a caret',
      `one\ntwo\n\x1b[2A\x1b[4G${show}`,
      0,
      { type: 'frame', frame: { lines: ['one', 'two'], caret: { row: 0, column: 3 }, bottom: 2 } },
    ],
    [
      'the next frame, over the old one',
      `${hide}\x1b[2B\x1b[1G\x1b[2K\x1b[1A\x1b[2K\x1b[1A\x1b[2K\x1b[G\x1b[1mone\x1b[22m\n\x1b[1A\x1b[1G${show}`,
      2,
      { type: 'frame', frame: { lines: ['\x1b[1mone\x1b[22m'], caret: { row: 0, column: 0 }, bottom: 1 } },
    ],
    [
      'a frame that fills the screen',
      `\x1b[?2026h\x1b[1;1H\x1b[Ja\nb\nc`,
      0,
      { type: 'frame', frame: { lines: ['a', 'b', 'c'], caret: null, bottom: 2 } },
    ],
    [
      'a frame that begins with an empty line',
      '\nx\n',
      0,
      { type: 'frame', frame: { lines: ['', 'x'], caret: null, bottom: 2 } },
    ],
    [
      'a caret that moved',
      `${hide}\x1b[1B\x1b[1G\x1b[3A\x1b[7G${show}`,
      4,
      { type: 'caret', caret: { row: 1, column: 6 } },
    ],
    ['a caret on the last row', `\x1b[3G${show}`, 2, { type: 'caret', caret: { row: 2, column: 2 } }],
    ['a caret that is gone', `${hide}\x1b[2B\x1b[1G`, 4, { type: 'caret', caret: null }],
    ['an erased frame', '\x1b[2K\x1b[1A\x1b[2K\x1b[G', 2, { type: 'erased' }],
    ['an erased frame with a caret', `${hide}\x1b[2A\x1b[1G\x1b[J`, 4, { type: 'erased' }],
    ['the cursor alone', hide, 3, { type: 'nothing' }],
    ['the cursor at the end', show, 3, { type: 'nothing' }],
    ['the begin of a synchronized update', '\x1b[?2026h', 3, { type: 'nothing' }],
    ['bracketed paste', '\x1b[?2004h', 3, { type: 'modes', sequence: '\x1b[?2004h' }],
    ['nothing', '', 3, { type: 'nothing' }],
  ])('%s', (_name, chunk, bottom, meaning) => {
    expect(readInkWrite(chunk, bottom)).toEqual(meaning)
  })
})
