import { describe, expect, test } from 'vitest'
import { parseRule, unknownTool } from './rules.ts'

const matcherOf = (text: string) => {
  const parsed = parseRule(text)
  return parsed.ok ? parsed.rule.matcher : parsed.problem
}

describe('the grammar of rules', () => {
  test.each<[string, unknown]>([
    ['bash(npm test)', { type: 'command', pattern: { type: 'exact', words: ['npm', 'test'] } }],
    ['bash(npm test *)', { type: 'command', pattern: { type: 'prefix', words: ['npm', 'test'] } }],
    [
      "bash( git commit -m 'a (b)' )",
      { type: 'command', pattern: { type: 'exact', words: ['git', 'commit', '-m', 'a (b)'] } },
    ],
    ["bash(ls '*')", { type: 'command', pattern: { type: 'exact', words: ['ls', '*'] } }],
    ["bash(psql -c 'select 1' *)", { type: 'command', pattern: { type: 'prefix', words: ['psql', '-c', 'select 1'] } }],
    ['bash(*)', { type: 'command', pattern: { type: 'any' } }],
    ['bash(* *)', { type: 'command', pattern: { type: 'any' } }],
    ['bash', { type: 'command', pattern: { type: 'any' } }],
    ['  edit_file  ', { type: 'any' }],
    ['web_fetch(domain:Example.ORG.)', { type: 'domain', host: 'example.org' }],
    ['web_fetch(domain:[::1])', { type: 'domain', host: '[::1]' }],
    ['web_fetch', { type: 'any' }],
    ['mcp__db__*', { type: 'mcp', server: 'db', tool: null }],
    ['mcp__db__read-rows', { type: 'mcp', server: 'db', tool: 'read-rows' }],
    ['mcp__my__db__*', { type: 'mcp', server: 'my__db', tool: null }],
    ['mcp__*', { type: 'mcp', server: null, tool: null }],
    ['todo_write', { type: 'any' }],
  ])('%s', (text, matcher) => {
    expect(matcherOf(text)).toEqual(matcher)
  })

  test.each<[string, string, string | null]>([
    ['', 'it is empty', null],
    ['bash()', 'the brackets are empty', 'bash'],
    ['bash(ls', 'the bracket is not closed', 'bash'],
    ['bash(ls) x', 'nothing may follow the closing bracket, but "x" does', 'bash'],
    ['bash(git log:*)', 'bash(git log *) covers the command with any more words', 'bash'],
    ['bash(npm run test*)', '"*" may only stand alone at the end', 'bash'],
    ['bash(rm * x)', '"*" may only stand alone at the end', 'bash'],
    ['bash(ls; rm)', 'write one rule for each', 'bash'],
    ['bash(echo $HOME)', 'would be expanded by bash', 'bash'],
    ["bash('' x)", 'the name of the program is empty', 'bash'],
    ['Bash(ls)', 'the tool is called bash here', 'bash'],
    ['Read(a)', 'the tool is called read_file here', 'read_file'],
    ['BASH', 'tool names are lower case: bash', 'bash'],
    ['npm test', 'a command is written as bash(npm test)', null],
    ['(ls)', 'it begins with a bracket', null],
    ['edit_file()', 'the path pattern is empty', 'edit_file'],
    ['web_fetch(example.org)', 'write web_fetch(domain:example.org)', 'web_fetch'],
    ['web_fetch(domain:*.example.org)', 'a domain has no wildcards', 'web_fetch'],
    ['web_fetch(domain:https://a.org)', 'only the host is named', 'web_fetch'],
    ['web_fetch(domain:a.org/x)', 'only the host is named', 'web_fetch'],
    ['web_fetch(domain:exämple.org)', '"xn--" form', 'web_fetch'],
    ['web_fetch(domain:)', 'the domain is empty', 'web_fetch'],
    ['mcp__db', 'mcp__db__* covers all of the server', 'mcp__db'],
    ['mcp__db__re*', '"*" may only stand for all tools', 'mcp__db__re*'],
    ['mcp__db__read(x)', 'takes no pattern in brackets', 'mcp__db__read'],
    ['mcp__d b__x', 'MCP names have only', 'mcp__d b__x'],
    ['todo_write(x)', 'todo_write takes no pattern', 'todo_write'],
    [`bash(${'x'.repeat(5000)})`, 'longer than 4000 characters', 'bash'],
  ])('%s says what is wrong', (text, problem, tool) => {
    const parsed = parseRule(text)
    expect(parsed).toEqual({ ok: false, problem: expect.stringContaining(problem), tool })
    if (!parsed.ok) expect(parsed.problem).toMatch(/^The rule ".*" cannot be used: .*\.$/s)
  })

  test('a tool that nobody knows is told apart', () => {
    const named = (text: string, known?: string[]) => {
      const parsed = parseRule(text)
      return parsed.ok ? unknownTool(parsed.rule, known) : 'not a rule'
    }
    expect(['bash', 'skill', 'mcp__x__y'].map((text) => named(text))).toEqual([null, 'skill', null])
    expect(named('skill', ['skill'])).toBeNull()
  })
})
