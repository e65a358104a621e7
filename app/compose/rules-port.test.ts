import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRulesFile } from '@sluice/engine/adapters/rules-file'
import type { RuleChange } from '@sluice/engine/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { findPaths } from '../paths.ts'
import { createRulesPort } from './rules-port.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const userConfig = `{
  // mine
  "permissions": {
    "allow": ["bash(npm test *)", { "rule": "bash(make)", "expires": "2020-01-01" }],
    "deny": ["bash(git push *)"]
  }
}
`

function open(trusted = true) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-rules-')))
  folders.push(root)
  const cwd = join(root, 'work')
  mkdirSync(join(cwd, '.sluice'), { recursive: true })
  writeFileSync(join(root, 'config.jsonc'), userConfig)
  writeFileSync(
    join(cwd, '.sluice', 'config.jsonc'),
    '{"permissions": {"allow": ["bash(curl *)"], "ask": ["bash(ls)"]}}',
  )
  const paths = findPaths({ SLUICE_HOME: root, HOME: join(root, 'home') })
  const rules = createRulesFile({
    userFile: paths.configFile,
    projectFile: join(cwd, '.sluice', 'config.jsonc'),
    localFile: join(cwd, '.sluice', 'config.local.jsonc'),
    trusted,
    cli: { allow: ['bash(echo *)'], deny: [] },
  })
  const said: string[] = []
  const noted: RuleChange[] = []
  const session = {
    id: 's_now',
    cwd,
    mode: 'default' as const,
    notice: (_l: string, _c: string, text: string) => void said.push(text),
    noteRule: (change: RuleChange) => void noted.push(change),
  }
  const port = createRulesPort({ session, terms: { rules, trust: { trusted } } }, paths)
  return { port, paths, root, cwd, said, noted, rules }
}

const row = (port: ReturnType<typeof open>['port'], text: string) => {
  const found = port.list().find((one) => one.text === text)
  if (found === undefined) throw new Error(`a row of ${text}`)
  return found
}

describe('the rules of a session', () => {
  it('are listed with their place, what they mean, and why some count for nothing', () => {
    const { port, root } = open()
    expect(
      port
        .list()
        .map(({ effect, text, scope, source, state }) => [effect, text, scope, source.replace(root, ''), state]),
    ).toEqual([
      ['allow', 'bash(echo *)', 'cli', '', 'in force'],
      ['ask', 'bash(ls)', 'project', '.sluice/config.jsonc:1', 'in force'],
      ['allow', 'bash(npm test *)', 'user', '/config.jsonc:4', 'in force'],
      ['allow', 'bash(make)', 'user', '/config.jsonc:4', 'expired'],
      ['deny', 'bash(git push *)', 'user', '/config.jsonc:5', 'in force'],
      ['allow', 'bash(curl *)', 'project', '.sluice/config.jsonc:1', 'ignored'],
      ['allow', 'read_file(**)', 'builtin', '', 'in force'],
      ['ask', 'protected files', 'builtin', '', 'in force'],
      ['ask', '*', 'builtin', '', 'in force'],
    ])
    expect(row(port, 'bash(npm test *)').meaning).toBe('npm test, alone and with more arguments')
    expect(row(port, 'bash(curl *)').meaning).toContain('can only narrow')
    expect(port.problems()).toEqual([])
  })

  it('are tested against a call as by the command line', async () => {
    const { port } = open()
    expect((await port.test('bash(git push origin)')).slice(0, 2)).toEqual([
      'deny  bash git push origin',
      expect.stringContaining('bash(git push *)'),
    ])
    await expect(port.test('git push')).rejects.toThrow(/is not a call/)
  })

  it('are added to the file of their scope, which says so, and counts at once', async () => {
    const { port, paths, cwd, said, noted, rules } = open()
    await port.add(' bash(git status) ', 'allow', 'user')
    await port.add('bash(rm *)', 'deny', 'project')
    await port.add('edit_file(src/**)', 'ask', 'session')
    expect(readFileSync(paths.configFile, 'utf8')).toBe(
      userConfig.replace('"expires": "2020-01-01" }]', '"expires": "2020-01-01" }, "bash(git status)"]'),
    )
    expect(readFileSync(join(cwd, '.sluice', 'config.local.jsonc'), 'utf8')).toContain('"deny": [\n      "bash(rm *)"')
    expect(rules.rules().filter(({ scope }) => scope === 'session')).toEqual([
      { text: 'edit_file(src/**)', verdict: 'ask', scope: 'session' },
    ])
    expect(said).toEqual([
      'You added the rule: allow bash(git status) (for all folders).',
      'You added the rule: deny bash(rm *) (for this folder).',
      'You added the rule: ask edit_file(src/**) (for this session).',
    ])
    // What stands in a file is recorded there.
    expect(noted).toEqual([{ change: 'added', text: 'edit_file(src/**)', verdict: 'ask' }])
    await expect(port.add('Bash(ls)', 'allow', 'user')).rejects.toThrow(/lower case|called bash/)
  })

  it("are taken away where they are the person's own, with the rest of the file as it was", async () => {
    const { port, paths, noted, rules } = open()
    await port.add('edit_file(src/**)', 'allow', 'session')
    await port.revoke(row(port, 'edit_file(src/**)'))
    expect(noted.map(({ change, text }) => `${change} ${text}`)).toEqual([
      'added edit_file(src/**)',
      'removed edit_file(src/**)',
    ])
    await port.revoke(row(port, 'bash(npm test *)'))
    expect(readFileSync(paths.configFile, 'utf8')).toBe(userConfig.replace('"bash(npm test *)", ', ''))
    await port.revoke(row(port, 'bash(git push *)'))
    expect(rules.rules().map(({ text }) => text)).toEqual(['bash(echo *)', 'bash(ls)'])
    await expect(port.revoke(row(port, 'bash(ls)'))).rejects.toThrow(/shared file/)
    await expect(port.revoke(row(port, 'bash(echo *)'))).rejects.toThrow(/when sluice was started/)
    expect(
      port
        .list()
        .filter(({ revocable }) => revocable)
        .map(({ text }) => text),
    ).toEqual(['bash(make)'])
  })

  it('says of a text whether it is a rule, and what it would cover', () => {
    const { port } = open()
    expect(port.check('edit_file(src/**)')).toEqual({
      ok: true,
      text: 'edit_file(src/**)',
      meaning: 'changing src/**, by edit_file and write_file',
    })
    expect(port.check('bash(')).toMatchObject({ ok: false })
    expect(port.check('fly(me)')).toMatchObject({ ok: false })
  })

  it('counts what they decided in this session and lately, from the ledgers', async () => {
    const { port, root } = open()
    const decision = (extra: object) => ({
      type: 'decision',
      time: new Date(Date.now() - 3_600_000).toISOString(),
      tool: 'bash',
      kind: 'execute',
      title: 'git log',
      needs: [],
      rule: null,
      verdict: 'allow',
      ...extra,
    })
    const need = { type: 'command', argv: ['git', 'log'], plain: true, hazards: [], writes: [], text: 'git log' }
    const part = (rule: string | null) => ({ need, verdict: 'ask', rule, scope: null, reason: '' })
    const write = (id: string, records: object[]) => {
      mkdirSync(join(root, 'sessions', id), { recursive: true })
      const lines = records.map((record) => JSON.stringify(record)).join('\n')
      writeFileSync(join(root, 'sessions', id, 'audit.jsonl'), `${lines}\n{"type":"decision", torn`)
    }
    write('s_now', [decision({ rule: 'bash(npm test *)' }), decision({ verdict: 'ask', needs: [part(null)] })])
    write('s_before', [
      decision({ rule: 'bash(npm test *)', needs: [part('bash(npm test *)'), part('bash(echo *)')] }),
      decision({ verdict: 'ask', needs: [part(null)], wrote: { text: 'bash(make)', scope: 'user' } }),
    ])
    const history = await port.history()
    expect(history.hits('bash(npm test *)')).toMatchObject({ session: 1, lately: 2, added: null })
    expect(history.hits('bash(echo *)')).toMatchObject({ session: 0, lately: 1 })
    expect(history.hits('bash(make)')).toMatchObject({ lately: 0, added: expect.any(Number) })
    expect(history.covers('bash(git log *)')).toEqual({ count: 2, of: 2, examples: ['git log'] })
    expect(history.covers('bash(git push *)').count).toBe(0)
  })
})
