import { expect, test } from 'vitest'
import { withoutBlankEnd } from './sgr-blanks.ts'

test.each([
  ['words   ', 'words'],
  ['   ', ''],
  ['', ''],
  ['\x1b[2mdim   \x1b[22m', '\x1b[2mdim\x1b[22m'],
  ['\x1b[38;5;49ma \x1b[39m  \x1b[1mb \x1b[22m ', '\x1b[38;5;49ma \x1b[39m  \x1b[1mb\x1b[22m'],
  ['\x1b[38;2;7;48;9ma  \x1b[39m', '\x1b[38;2;7;48;9ma\x1b[39m'],
  ['\x1b[48;5;22madded  \x1b[49m  ', '\x1b[48;5;22madded  \x1b[49m'],
  ['\x1b[41mbad  \x1b[0m  ', '\x1b[41mbad  \x1b[0m'],
  ['\x1b[7m  \x1b[27m ', '\x1b[7m  \x1b[27m'],
  ['\x1b[4m  \x1b[24m ', '\x1b[4m  \x1b[24m'],
  ['\x1b[9mold  \x1b[29m  ', '\x1b[9mold  \x1b[29m'],
  // What is not only styled is left as it is.
  ['\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\  ', '\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\  '],
])('%j becomes %j', (line, shorter) => {
  expect(withoutBlankEnd(line)).toBe(shorter)
})
