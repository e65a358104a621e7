import fc from 'fast-check'
import { parse, stripComments } from 'jsonc-parser'
import { describe, expect, test } from 'vitest'
import { addRule } from './add-rule.ts'

const lines = (...rows: string[]) => `${rows.join('\n')}\n`

describe('adding an allow rule to a config text', () => {
  test.each<[string, string, string]>([
    ['an empty file', '', lines('{', '  "permissions": {', '    "allow": [', '      "R"', '    ]', '  }', '}')],
    [
      'a file with a comment alone',
      '// mine\n',
      lines('// mine', '{', '  "permissions": {', '    "allow": [', '      "R"', '    ]', '  }', '}'),
    ],
    ['an empty object', '{}', '{\n  "permissions": {\n    "allow": [\n      "R"\n    ]\n  }\n}'],
    [
      'another key with a comment behind it',
      lines('{', '  "model": "x" // the fast one', '}'),
      lines(
        '{',
        '  "model": "x", // the fast one',
        '  "permissions": {',
        '    "allow": [',
        '      "R"',
        '    ]',
        '  }',
        '}',
      ),
    ],
    [
      'permissions with a comment alone',
      lines('{', '  "permissions": {', '    // none yet', '  }', '}'),
      lines('{', '  "permissions": {', '    // none yet', '    "allow": [', '      "R"', '    ]', '  }', '}'),
    ],
    [
      'another list with a trailing comma',
      lines('{', '  "permissions": {', '    "deny": ["a"], // never', '  },', '}'),
      lines(
        '{',
        '  "permissions": {',
        '    "deny": ["a"], // never',
        '    "allow": [',
        '      "R"',
        '    ],',
        '  },',
        '}',
      ),
    ],
    ['a list on one line', '{"permissions":{"allow":["a"]}}', '{"permissions":{"allow":["a", "R"]}}'],
    [
      'a list on one line with a trailing comma',
      '{"permissions":{"allow":["a",]}}',
      '{"permissions":{"allow":["a", "R"]}}',
    ],
    [
      'an empty list',
      lines('{', '  "permissions": {', '    "allow": []', '  }', '}'),
      lines('{', '  "permissions": {', '    "allow": [', '      "R"', '    ]', '  }', '}'),
    ],
    [
      'comments that belong to single rules',
      lines(
        '{',
        '  "permissions": { "allow": [',
        '    "a", // first',
        '    "b" // second',
        '    // the end',
        '  ] }',
        '}',
      ),
      lines(
        '{',
        '  "permissions": { "allow": [',
        '    "a", // first',
        '    "b", // second',
        '    "R"',
        '    // the end',
        '  ] }',
        '}',
      ),
    ],
    [
      'a trailing comma with a comment',
      lines('{', '  "permissions": {', '    "allow": [', '      "a", /* why */', '    ],', '  },', '}'),
      lines('{', '  "permissions": {', '    "allow": [', '      "a", /* why */', '      "R",', '    ],', '  },', '}'),
    ],
    [
      'a block comment over two lines',
      lines('{', '"permissions": {', '"allow": [', '"a" /* one', 'two */', ']', '}', '}'),
      lines('{', '"permissions": {', '"allow": [', '"a", /* one', 'two */', '"R"', ']', '}', '}'),
    ],
    [
      'a comma on a line of its own',
      lines('{', '  "permissions": { "allow": [', '    "a"', '    ,', '  ] }', '}'),
      lines('{', '  "permissions": { "allow": [', '    "a"', '    ,', '    "R",', '  ] }', '}'),
    ],
    [
      'tabs and CRLF',
      '{\r\n\t"permissions": {\r\n\t\t"allow": [\r\n\t\t\t"a"\r\n\t\t]\r\n\t}\r\n}\r\n',
      '{\r\n\t"permissions": {\r\n\t\t"allow": [\r\n\t\t\t"a",\r\n\t\t\t"R"\r\n\t\t]\r\n\t}\r\n}\r\n',
    ],
    ['a byte order mark', '\ufeff{"permissions":{"allow":["a"]}}', '\ufeff{"permissions":{"allow":["a", "R"]}}'],
  ])('keeps %s as it is', (_, before, after) => {
    expect(addRule(before, 'R')).toBe(after)
  })

  test.each([
    '{',
    '[]',
    '3',
    '{"permissions": []}',
    '{"permissions": {"allow": {}}}',
    '{"permissions": {"allow": "a"}}',
    '{"a": 1 "b": 2}',
  ])('refuses %s rather than overwrite it', (text) => {
    expect(addRule(text, 'R')).toBeNull()
  })

  test('only ever adds: every comment and every other value survives, whatever the layout', () => {
    const trivia = fc.constantFrom('', ' ', '\n', '\n  ', ' // c\n', ' /* b */ ', '\n\n', ' /* x\n y */ ', '\t')
    const list = fc.tuple(
      fc.array(fc.tuple(fc.constantFrom('"a"', '"b c"', '{"rule": "d"}'), trivia, trivia), { maxLength: 4 }),
      fc.boolean(),
    )
    fc.assert(
      fc.property(list, trivia, trivia, trivia, fc.boolean(), ([items, trailing], t1, t2, t3, more) => {
        const inner = items.map(([value, before, after]) => `${before}${value}${after}`).join(',')
        const comma = trailing && items.length > 0 ? ',' : ''
        const text = `{${t1}"permissions": {${t2}"allow": [${inner}${comma}${t3}]${t1}}${more ? ', "z": 1' : ''}${t2}}`
        const added = addRule(text, 'R')
        expect(added).not.toBeNull()
        const errors: never[] = []
        const value = parse(added ?? '', errors, { allowTrailingComma: true })
        expect(errors).toEqual([])
        const before = parse(text, [], { allowTrailingComma: true })
        before.permissions.allow.push('R')
        expect(value).toEqual(before)
        const comments = (source: string) => source.match(/\/\/ c|\/\* b \*\/|\/\* x\n y \*\//g) ?? []
        expect(comments(added ?? '')).toEqual(comments(text))
        expect(stripComments(added ?? '')).not.toContain('/*')
      }),
      { numRuns: 400 },
    )
  })
})
