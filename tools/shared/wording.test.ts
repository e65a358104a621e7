import { expect, it } from 'vitest'
import { editFileTool } from '../edit-file/tool.ts'
import { globTool } from '../glob/tool.ts'
import { grepTool } from '../grep/tool.ts'
import { listDirTool } from '../list-dir/tool.ts'
import { readFileTool } from '../read-file/tool.ts'
import { writeFileTool } from '../write-file/tool.ts'
import { escapeWarning } from './escape-warning.ts'
import { shownSize } from './file-version.ts'
import { fsFailure } from './fs-failure.ts'
import { nearNames } from './missing-path.ts'
import { shownName } from './shown-name.ts'

it.each<[string, object, string[]]>([
  ['read_file', readFileTool, ['path', 'offset', 'limit']],
  ['list_dir', listDirTool, ['path']],
  ['glob', globTool, ['pattern', 'path']],
  ['grep', grepTool, ['pattern', 'path', 'glob']],
  ['edit_file', editFileTool, ['path', 'edits']],
  ['write_file', writeFileTool, ['path', 'content']],
])('%s takes the input that the contract names', (name, tool, keys) => {
  const { input, ...rest } = tool as typeof readFileTool
  expect(rest.name).toBe(name)
  expect(Object.keys(input.jsonSchema.properties as object)).toEqual(keys)
})

it.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 bytes'],
  [1000, '1.0 kB'],
  [12_345, '12 kB'],
  [3_400_000, '3.4 MB'],
  [5e12, '5.0 TB'],
])('%i bytes are shown as %s', (bytes, shown) => {
  expect(shownSize(bytes)).toBe(shown)
})

it.each<[string | Uint8Array, string]>([
  ['plain name.ts', 'plain name.ts'],
  ['größe.md', 'größe.md'],
  ['a\nb', '"a\\nb"'],
  ['a\u001b[2Jb', '"a\\u001b[2Jb"'],
  [Buffer.from([0x61, 0xff, 0x22]), '"a\\xFF\\x22"'],
  [Buffer.from('größe'), 'größe'],
])('the name %j is shown as %s', (name, shown) => {
  expect(shownName(name)).toBe(shown)
})

it.each<[string, string[], string[]]>([
  ['cart.js', ['cart.ts', 'card.ts', 'zoo.md'], ['cart.ts', 'card.ts']],
  ['Readme.md', ['README.md', 'READY'], ['README.md']],
  ['utils.ts', ['string-utils.ts', 'x.ts'], ['string-utils.ts']],
  ['a', ['b', 'c'], ['b', 'c']],
  ['config', ['a1', 'b2'], []],
  ['x1', ['x1a', 'x1b', 'x1c', 'x1d', 'x1e', 'x1f'], ['x1a', 'x1b', 'x1c', 'x1d', 'x1e']],
])('like %s among %j are %j', (name, names, near) => {
  expect(nearNames(name, names)).toEqual(near)
})

it.each<[string, boolean]>([
  ['a\\nb', true],
  ['{\\n  "a": 1\\n}', true],
  ['if (x) {\\n\\treturn "y\\n"\\n}', true],
  ['plain', false],
  ['real\nbreak and \\n', false],
  ['printf("a\\nb\\n")', false],
  ["split('\\n')", false],
  ['`a\\nb`', false],
  ['text.replace(/\\r\\n/g, x)', false],
])('%j warrants a warning about escapes: %s', (text, warns) => {
  expect(escapeWarning(text, 'content') !== undefined).toBe(warns)
})

it('passes on what is no error of the system, for it is a bug', () => {
  expect(() => fsFailure(new TypeError('x'), 'Cannot')).toThrow(TypeError)
  const unknown = Object.assign(new Error('EWEIRD: strange'), { code: 'EWEIRD', errno: -1 })
  expect(fsFailure(unknown, 'Cannot read f').message).toBe(
    'Cannot read f: the system reported EWEIRD (EWEIRD: strange).',
  )
})
