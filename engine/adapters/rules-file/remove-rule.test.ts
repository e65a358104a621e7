import { parse } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import { removeRule } from './remove-rule.ts'

const file = `{
  // my rules
  "permissions": {
    "allow": [
      // tests are harmless
      "bash(npm test *)", // all of them
      /* often */ "bash(git status)",
      {
        "rule": "edit_file(src/**)",
        "expires": "2030-01-31"
      },
      "bash(ls *)" // last
    ],
    "deny": ["bash(git push)", "bash(rm *)", "bash(npm test *)"]
  },
  "theme": "dark"
}
`
const remove = (verdict: 'allow' | 'ask' | 'deny', text: string, line = 0, from = file) =>
  removeRule(from, { verdict, text, line })

describe('taking a rule out of a file', () => {
  it.each<['allow' | 'deny', string, string, string]>([
    ['allow', 'bash(npm test *)', '      "bash(npm test *)", // all of them\n', ''],
    [
      'allow',
      'edit_file(src/**)',
      '      {\n        "rule": "edit_file(src/**)",\n        "expires": "2030-01-31"\n      },\n',
      '',
    ],
    ['deny', 'bash(git push)', '"bash(git push)", "bash(rm *)"', '"bash(rm *)"'],
    ['deny', 'bash(rm *)', '"bash(rm *)", ', ''],
    ['deny', 'bash(npm test *)', ', "bash(npm test *)"]', ']'],
    ['allow', 'bash(git status)', '"bash(git status)",\n', '\n'],
  ])('%s %s: nothing else changes', (verdict, text, gone, instead) => {
    expect(remove(verdict, text)).toBe(file.replace(gone, instead))
  })

  it('the last item of a list takes the comma before it along, and its comment', () => {
    const out = remove('allow', 'bash(ls *)')
    expect(out).toBe(file.replace('      },\n      "bash(ls *)" // last\n', '      }\n'))
    expect(parse(out ?? '').permissions.allow).toHaveLength(3)
  })

  it('of the same rule twice the one at the given line goes', () => {
    const twice = '{ "permissions": { "ask": [\n"bash(a)",\n"bash(b)",\n"bash(a)"\n] } }'
    expect(remove('ask', 'bash(a)', 4, twice)).toBe('{ "permissions": { "ask": [\n"bash(a)",\n"bash(b)"\n] } }')
    expect(remove('ask', 'bash(a)', 2, twice)).toBe('{ "permissions": { "ask": [\n"bash(b)",\n"bash(a)"\n] } }')
  })

  it.each<[string, string, string | null]>([
    ['the only one', '{"permissions":{"allow":["bash(a)"]}}', '{"permissions":{"allow":[]}}'],
    ['a trailing comma', '{"permissions":{"allow":["bash(x)", "bash(a)",]}}', '{"permissions":{"allow":["bash(x)",]}}'],
    [
      'CRLF',
      '{"permissions":{"allow":[\r\n\t"bash(a)",\r\n\t"bash(b)"\r\n]}}',
      '{"permissions":{"allow":[\r\n\t"bash(b)"\r\n]}}',
    ],
    ['a byte order mark', '\ufeff{"permissions":{"allow":["bash(a)"]}}', '\ufeff{"permissions":{"allow":[]}}'],
    ['one that is not there', '{"permissions":{"allow":["bash(b)"]}}', null],
    ['another list', '{"permissions":{"deny":["bash(a)"]}}', null],
    ['what is no JSONC', '{"permissions":', null],
  ])('%s', (_, from, out) => {
    expect(remove('allow', 'bash(a)', 1, from)).toBe(out)
  })
})
