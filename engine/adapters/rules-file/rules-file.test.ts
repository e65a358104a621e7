import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createRulesFile, type RuleApprovals, type RulesFileOptions } from './index.ts'

let folder: string
let options: RulesFileOptions

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'sluice-rules-')))
  options = {
    userFile: join(folder, 'home', 'config.jsonc'),
    projectFile: join(folder, 'work', '.sluice', 'config.jsonc'),
    localFile: join(folder, 'work', '.sluice', 'config.local.jsonc'),
    trusted: true,
    cli: { allow: [], deny: [] },
  }
  await mkdir(dirname(options.userFile), { recursive: true })
  await mkdir(dirname(options.projectFile), { recursive: true })
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const everything: RuleApprovals = { approved: () => true, approve: async () => undefined }

/** Approvals as the trust file keeps them: the content that was approved last, for every process that looks. */
function keptApprovals(): RuleApprovals & { kept: string | null } {
  return {
    kept: null,
    approved(sha256) {
      return this.kept === sha256
    },
    async approve(sha256) {
      this.kept = sha256
    },
  }
}

const user = (text: string) => writeFile(options.userFile, text)
const permissions = (value: unknown) => JSON.stringify({ permissions: value })

describe('reading rules', () => {
  test('nothing anywhere is no rule and no problem', () => {
    const store = createRulesFile(options)
    expect([store.rules(), store.problems]).toEqual([[], []])
  })

  test('every scope says where its rules come from', async () => {
    await user(
      '{\n  // mine\n  "permissions": {\n    "allow": ["bash(npm test *)"],\n    "ask": ["web_fetch"],\n  },\n}\n',
    )
    await writeFile(options.projectFile, permissions({ deny: ['bash(rm *)'] }))
    await writeFile(options.localFile, permissions({ allow: ['edit_file(src/**)'] }))
    const store = createRulesFile({
      ...options,
      approvals: everything,
      cli: { allow: ['read_file(~/notes/**)'], deny: ['mcp__db__*'] },
    })
    expect(store.problems).toEqual([])
    expect(store.rules()).toEqual([
      { text: 'read_file(~/notes/**)', verdict: 'allow', scope: 'cli', source: '--allow' },
      { text: 'mcp__db__*', verdict: 'deny', scope: 'cli', source: '--deny' },
      { text: 'edit_file(src/**)', verdict: 'allow', scope: 'local', source: '.sluice/config.local.jsonc:1' },
      { text: 'bash(rm *)', verdict: 'deny', scope: 'project', source: '.sluice/config.jsonc:1' },
      { text: 'bash(npm test *)', verdict: 'allow', scope: 'user', source: `${options.userFile}:4` },
      { text: 'web_fetch', verdict: 'ask', scope: 'user', source: `${options.userFile}:5` },
    ])
  })

  test("a project's shared file can only narrow", async () => {
    await writeFile(
      options.projectFile,
      '{"permissions": {\n"allow": ["bash(*)"],\n"deny": ["bash(curl *)"], "ask": ["edit_file"]}}',
    )
    const store = createRulesFile(options)
    expect(store.rules().map((rule) => rule.text)).toEqual(['bash(curl *)', 'edit_file'])
    expect(store.problems).toEqual([
      {
        file: options.projectFile,
        line: 2,
        text: expect.stringContaining('can only narrow, so its allow rule "bash(*)" is ignored'),
      },
    ])
  })

  test('an untrusted folder has no say at all, in either of its files', async () => {
    await writeFile(options.projectFile, '{ not even JSON')
    await writeFile(options.localFile, permissions({ allow: ['bash(*)'] }))
    const store = createRulesFile({ ...options, trusted: false })
    expect([store.rules(), store.problems]).toEqual([[], []])
  })

  test.each<[string, string, number, string]>([
    [
      'a rule that is none',
      '{"permissions": {"allow": [\n"bash(ls",\n"bash(npm test)"]}}',
      2,
      'the bracket is not closed',
    ],
    ['another dialect', '{"permissions": {\n\n"allow": ["Bash(ls:*)"]}}', 3, 'the tool is called bash here'],
    ['a prefix in another dialect', '{"permissions": {"allow": ["bash(git log:*)"]}}', 1, 'bash(git log *)'],
    ['an unknown tool', '{"permissions": {"allow": ["bsh"]}}', 1, 'There is no tool named "bsh"'],
    ['a number', '{"permissions": {"allow": [\n1]}}', 2, 'A rule must be a text'],
    ['a misspelled list', '{"permissions": {\n"alow": []}}', 2, '"alow" is no list of rules'],
    ['a list that is none', '{"permissions": {"deny": "bash"}}', 1, '"deny" must be a list'],
    ['permissions that are none', '{"permissions": ["bash"]}', 1, '"permissions" must be an object'],
    ['an unknown key in a rule', '{"permissions": {"ask": [{"rule": "bash", "when": 1}]}}', 1, '"when" is not known'],
    [
      'an expiry that is none',
      '{"permissions": {"allow": [{"rule": "bash", "expires": "soon"}]}}',
      1,
      '"expires" must be',
    ],
    ['a key twice', '{"permissions": {"deny": ["bash"]},\n"permissions": {}}', 2, '"permissions" stands here twice'],
    ['broken JSONC', '{\n"permissions": {"allow": ["bash"]\n"deny": []}}', 3, 'not valid JSONC (comma expected)'],
    ['a file that is no object', '[1]', 1, 'must hold an object'],
  ])('reports %s with file and line', async (_, text, line, problem) => {
    await user(text)
    expect(createRulesFile(options).problems).toEqual([
      { file: options.userFile, line, text: expect.stringContaining(problem) },
    ])
  })

  test('a file that is not UTF-8 is reported, and only its refusals count', async () => {
    await writeFile(
      options.userFile,
      Buffer.from([...Buffer.from('{"permissions":{"allow":["bash"],"deny":["mcp__a__*"]},"x":"'), 0xff, 0x22, 0x7d]),
    )
    const store = createRulesFile(options)
    expect(store.problems).toEqual([
      { file: options.userFile, line: 1, text: expect.stringContaining('not valid UTF-8') },
    ])
    expect(store.rules().map((rule) => rule.text)).toEqual(['mcp__a__*'])
  })

  test('a broken file still refuses what it refused, and allows nothing', async () => {
    await user('{"permissions": {"allow": ["bash(ls)"], "deny": ["bash(rm *)"],,}')
    expect(
      createRulesFile(options)
        .rules()
        .map((rule) => rule.text),
    ).toEqual(['bash(rm *)'])
  })

  test('a deny rule that is not understood stays, for the judge to ask about', async () => {
    await user(permissions({ deny: ['bash(rm -rf:*)'], allow: ['bash(ls:*)'] }))
    const store = createRulesFile(options)
    expect(store.rules().map((rule) => [rule.verdict, rule.text])).toEqual([['deny', 'bash(rm -rf:*)']])
    expect(store.problems).toHaveLength(2)
  })

  test('wrong flags are reported by position; a wrong deny stays', () => {
    const store = createRulesFile({ ...options, cli: { allow: ['bash(ls)', 'nope('], deny: ['bash('] } })
    expect(store.rules().map((rule) => rule.text)).toEqual(['bash(ls)', 'bash('])
    expect(store.problems.map(({ file, line }) => [file, line])).toEqual([
      ['--allow', 2],
      ['--deny', 1],
    ])
  })

  test('a rule ends with its expiry, a day with its last hour in UTC', async () => {
    await user(
      permissions({
        allow: [
          { rule: 'bash(ls)', expires: '2030-01-31' },
          { rule: 'bash(pwd)', expires: '2030-01-31T10:00Z' },
        ],
      }),
    )
    const at = (time: string) =>
      createRulesFile({ ...options, now: () => Date.parse(time) })
        .rules()
        .map((rule) => rule.text)
    expect(at('2030-01-31T09:59:59Z')).toEqual(['bash(ls)', 'bash(pwd)'])
    expect(at('2030-01-31T10:00:00Z')).toEqual(['bash(ls)'])
    expect(at('2030-01-31T23:59:59Z')).toEqual(['bash(ls)'])
    expect(at('2030-02-01T00:00:00Z')).toEqual([])
  })

  test.each<[string, object, string[]]>([
    [
      'holds',
      { rule: 'bash(git log *)', match: ['git log -3', "git 'log'"], not_match: ['git logout', 'git -C x log'] },
      [],
    ],
    [
      'a missed match',
      { rule: 'bash(git log *)', match: ['git -C x log'] },
      ['does not cover its example "git -C x log"'],
    ],
    [
      'a match too many',
      { rule: 'bash(git *)', not_match: ['git push'] },
      ['covers its example "git push" under "not_match"'],
    ],
    [
      'a path',
      { rule: 'edit_file(src/**)', match: ['src/a/b.ts', './src/a'], not_match: ['lib/a.ts', 'src/../lib/a'] },
      [],
    ],
    [
      'a host',
      { rule: 'web_fetch(domain:a.org)', match: ['https://a.org/x'], not_match: ['https://a.org.evil.example/'] },
      [],
    ],
    ['an MCP tool', { rule: 'mcp__db__*', match: ['mcp__db__read'], not_match: ['mcp__dbx__read'] }, []],
    ['an example that is a line', { rule: 'bash(ls)', match: ['ls; id'] }, ['cannot be tried']],
    ['examples of a whole tool', { rule: 'edit_file', match: ['a'] }, ['covers every call of it']],
    ['examples that are none', { rule: 'bash(ls)', match: 'ls' }, ['must be a list of examples']],
  ])('tries the examples of a rule out: %s', async (_, rule, problems) => {
    await user(permissions({ allow: [rule] }))
    const store = createRulesFile(options)
    expect(store.problems.map((one) => one.text)).toEqual(problems.map((text) => expect.stringContaining(text)))
    expect(store.rules()).toHaveLength(problems.length === 0 ? 1 : 0)
  })

  test('a deny rule whose examples fail is reported and stays', async () => {
    await user(permissions({ deny: [{ rule: 'bash(rm -rf *)', match: ['rm -fr x', 'sudo rm -r -f x', 'rmdir x'] }] }))
    const store = createRulesFile(options)
    expect(store.problems.map((one) => one.text)).toEqual([expect.stringContaining('"rmdir x"')])
    expect(store.rules()).toHaveLength(1)
  })
})

describe('saving a rule', () => {
  test('a session rule is in force and leaves no trace on disk', async () => {
    const store = createRulesFile(options)
    await store.allow('bash(npm test *)', 'session')
    await store.allow('bash(npm test *)', 'session')
    expect(store.rules()).toEqual([{ text: 'bash(npm test *)', verdict: 'allow', scope: 'session' }])
    expect(await readdir(dirname(options.userFile))).toEqual([])
  })

  test('a user rule keeps the comments, the order and the mode of the file, and counts at once and later', async () => {
    await user(
      '{\n  // keep me\n  "permissions": {\n    "allow": [\n      "bash(ls)" // often\n    ]\n  },\n  "model": "x"\n}\n',
    )
    await chmod(options.userFile, 0o640)
    const store = createRulesFile(options)
    await store.allow("bash(git commit -m 'a b')", 'user')
    expect(await readFile(options.userFile, 'utf8')).toBe(
      '{\n  // keep me\n  "permissions": {\n    "allow": [\n      "bash(ls)", // often\n      "bash(git commit -m \'a b\')"\n    ]\n  },\n  "model": "x"\n}\n',
    )
    expect((await stat(options.userFile)).mode & 0o777).toBe(0o640)
    const texts = ['bash(ls)', "bash(git commit -m 'a b')"]
    expect(store.rules().map((rule) => rule.text)).toEqual(texts)
    expect(
      createRulesFile(options)
        .rules()
        .map((rule) => rule.text),
    ).toEqual(texts)
    expect(await readdir(dirname(options.userFile))).toEqual(['config.jsonc'])
  })

  test('a project rule goes to the local file, which is made with its folder for the owner alone', async () => {
    await rm(dirname(options.localFile), { recursive: true })
    const store = createRulesFile(options)
    await store.allow('edit_file(src/**)', 'project')
    expect(JSON.parse(await readFile(options.localFile, 'utf8'))).toEqual({
      permissions: { allow: ['edit_file(src/**)'] },
    })
    expect((await stat(options.localFile)).mode & 0o777).toBe(0o600)
    expect(store.rules()).toEqual([
      { text: 'edit_file(src/**)', verdict: 'allow', scope: 'local', source: '.sluice/config.local.jsonc:4' },
    ])
  })

  test('a rule that is there already is not written twice', async () => {
    await user(permissions({ allow: ['bash(ls)'] }))
    const store = createRulesFile(options)
    await store.allow('bash(ls)', 'user')
    expect(await readFile(options.userFile, 'utf8')).toBe(permissions({ allow: ['bash(ls)'] }))
  })

  test('what another session or an editor wrote meanwhile is kept', async () => {
    const store = createRulesFile(options)
    await user('{"model": "y", "permissions": {"deny": ["bash(rm *)"]}}')
    await store.allow('bash(ls)', 'user')
    expect(store.rules().map((rule) => rule.text)).toEqual(['bash(rm *)', 'bash(ls)'])
    expect(await readFile(options.userFile, 'utf8')).toBe(
      '{"model": "y", "permissions": {"deny": ["bash(rm *)"], "allow": ["bash(ls)"]}}',
    )
  })

  test('the file behind a link is written, and the link stays', async () => {
    const real = join(folder, 'dotfiles.jsonc')
    await writeFile(real, '{}')
    await symlink(real, options.userFile)
    await createRulesFile(options).allow('bash(ls)', 'user')
    expect(await realpath(options.userFile)).toBe(real)
    expect(JSON.parse(await readFile(real, 'utf8'))).toEqual({ permissions: { allow: ['bash(ls)'] } })
  })

  test.each<[string, string]>([
    ['broken JSONC', '{"permissions": '],
    ['a list that is none', '{"permissions": {"allow": "bash"}}'],
    ['permissions that are none', '{"permissions": 3}'],
  ])('refuses to touch %s', async (_, text) => {
    await user(text)
    const failure = await createRulesFile(options)
      .allow('bash(ls)', 'user')
      .catch((error) => error)
    expect(failure).toMatchObject({
      name: 'AgentError',
      code: 'TOOL_EXECUTION_FAILED',
      hint: expect.stringContaining('nothing in it was changed'),
    })
    expect(failure.message).toContain(options.userFile)
    expect(await readFile(options.userFile, 'utf8')).toBe(text)
  })

  test('refuses a rule that cannot be read', async () => {
    const store = createRulesFile(options)
    await expect(store.allow('bash(', 'session')).rejects.toMatchObject({ code: 'TOOL_INPUT_INVALID' })
    expect(store.rules()).toEqual([])
  })

  test('refuses a project rule while the folder is not trusted', async () => {
    const store = createRulesFile({ ...options, trusted: false })
    await expect(store.allow('bash(ls)', 'project')).rejects.toMatchObject({ code: 'TOOL_PERMISSION_DENIED' })
    expect(await readdir(dirname(options.localFile))).toEqual([])
  })

  test.each(['folder', 'file'])('does not write project rules through a %s that is a link', async (planted) => {
    const outside = join(folder, 'outside')
    await mkdir(outside)
    await writeFile(join(outside, 'config.local.jsonc'), '{}')
    if (planted === 'folder') await rm(dirname(options.localFile), { recursive: true })
    await (planted === 'folder'
      ? symlink(outside, dirname(options.localFile))
      : symlink(join(outside, 'config.local.jsonc'), options.localFile))
    await expect(createRulesFile(options).allow('bash(ls)', 'project')).rejects.toMatchObject({
      code: 'TOOL_PERMISSION_DENIED',
    })
    expect(await readFile(join(outside, 'config.local.jsonc'), 'utf8')).toBe('{}')
  })

  test.skipIf(process.getuid?.() === 0)(
    'says so when the folder cannot be written (not run as root, whom nothing stops)',
    async () => {
      await chmod(dirname(options.userFile), 0o500)
      const failure = await createRulesFile(options)
        .allow('bash(ls)', 'user')
        .catch((error) => error)
      await chmod(dirname(options.userFile), 0o700)
      expect(failure).toMatchObject({ code: 'TOOL_EXECUTION_FAILED', message: expect.stringContaining('EACCES') })
    },
  )

  test('a file in the place of the folder is an error that names it', async () => {
    await rm(dirname(options.userFile), { recursive: true })
    await writeFile(dirname(options.userFile), '')
    await expect(createRulesFile(options).allow('bash(ls)', 'user')).rejects.toMatchObject({
      code: 'TOOL_EXECUTION_FAILED',
      message: expect.stringContaining(options.userFile),
    })
  })
})

describe('several processes', () => {
  const writer = `
    import { createRulesFile } from ${JSON.stringify(fileURLToPath(new URL('./index.ts', import.meta.url)))}
    const [userFile, name, count] = process.argv.slice(2)
    const store = createRulesFile({ userFile, projectFile: userFile + '/../p/x', localFile: userFile + '/../p/y', trusted: false, cli: { allow: [], deny: [] } })
    for (let i = 0; i < Number(count); i++) await store.allow('bash(' + name + ' ' + i + ')', 'user')
  `

  const runWriter = (script: string, name: string, count: number) =>
    new Promise<number | null>((resolve, reject) => {
      const child = spawn(process.execPath, ['--no-warnings', script, options.userFile, name, String(count)], {
        stdio: 'inherit',
      })
      child.once('error', reject)
      child.once('exit', resolve)
    })

  test('lose none of the rules that they add at the same time', async () => {
    const script = join(folder, 'writer.mts')
    await writeFile(script, writer)
    await user('{\n  // the first line\n  "permissions": { "deny": ["bash(rm *)"] }\n}\n')
    const codes = await Promise.all(['one', 'two', 'three'].map((name) => runWriter(script, name, 20)))
    expect(codes).toEqual([0, 0, 0])
    const store = createRulesFile(options)
    expect(store.problems).toEqual([])
    const expected = ['one', 'two', 'three'].flatMap((name) =>
      Array.from({ length: 20 }, (_, i) => `bash(${name} ${i})`),
    )
    expect(
      store
        .rules()
        .map((rule) => rule.text)
        .sort(),
    ).toEqual(['bash(rm *)', ...expected].sort())
    expect(await readFile(options.userFile, 'utf8')).toContain('// the first line')
    expect(await readdir(dirname(options.userFile))).toEqual(['config.jsonc'])
  }, 60_000)

  test('the lock of a process that died is broken', async () => {
    const dead = spawn(process.execPath, ['-e', ''])
    await new Promise((resolve) => dead.once('exit', resolve))
    const { hostname } = await import('node:os')
    await writeFile(`${options.userFile}.lock`, JSON.stringify({ pid: dead.pid, host: hostname() }))
    await createRulesFile(options).allow('bash(ls)', 'user')
    expect(await readdir(dirname(options.userFile))).toEqual(['config.jsonc'])
  })
})

describe('a folder that is trusted later', () => {
  test('has its rules read from then on, and what is wrong in them is told', async () => {
    await writeFile(options.projectFile, permissions({ deny: ['bash(rm *)'], allow: ['bash(*)'] }))
    await writeFile(options.localFile, permissions({ allow: ['edit_file(src/**)'] }))
    const store = createRulesFile({ ...options, trusted: false, approvals: everything })
    expect([store.rules(), store.problems]).toEqual([[], []])
    await expect(store.allow('bash(ls)', 'project')).rejects.toThrow(/not trusted/)
    expect(store.trust().map(({ file, text }) => [file, text])).toEqual([
      [options.projectFile, expect.stringContaining('can only narrow')],
    ])
    expect(store.rules().map((rule) => rule.text)).toEqual(['edit_file(src/**)', 'bash(rm *)'])
    expect(store.trust()).toEqual([])
    await store.allow('bash(ls)', 'project')
    expect(store.rules().map((rule) => rule.text)).toEqual(['edit_file(src/**)', 'bash(ls)', 'bash(rm *)'])
  })

  test('the list names expired rules, which are not in force', async () => {
    await user(permissions({ allow: ['bash(a)', { rule: 'bash(b)', expires: '2020-01-01' }] }))
    const store = createRulesFile({ ...options, now: () => Date.parse('2025-01-01') })
    expect(store.list().map(({ text, expires, expired }) => [text, expires, expired])).toEqual([
      ['bash(a)', null, false],
      ['bash(b)', '2020-01-02T00:00:00.000Z', true],
    ])
    expect(store.rules().map((rule) => rule.text)).toEqual(['bash(a)'])
  })
})

describe('what the local file of a trusted folder allows', () => {
  const texts = (store: ReturnType<typeof createRulesFile>) =>
    store.rules().map((rule) => `${rule.verdict} ${rule.text}`)

  test('counts only for the content that the person approved; what it refuses always counts', async () => {
    const approvals = keptApprovals()
    const text = permissions({ allow: ['bash(*)', 'edit_file(**)'], ask: ['web_fetch'], deny: ['bash(rm *)'] })
    await writeFile(options.localFile, text)
    const store = createRulesFile({ ...options, approvals })
    expect(texts(store)).toEqual(['ask web_fetch', 'deny bash(rm *)'])
    expect(store.problems).toEqual([
      {
        file: options.localFile,
        line: 1,
        text: expect.stringMatching(/ignored \(bash\(\*\), edit_file\(\*\*\)\).*\/trust/),
      },
    ])
    expect(store.list().filter(({ ignored }) => ignored !== null)).toHaveLength(2)
    await approvals.approve(createHash('sha256').update(text).digest('hex'))
    expect(store.trust()).toEqual([])
    expect(store.problems).toEqual([])
    expect(texts(store)).toEqual(['allow bash(*)', 'allow edit_file(**)', 'ask web_fetch', 'deny bash(rm *)'])
    await writeFile(options.localFile, `${text}\n`)
    expect(texts(createRulesFile({ ...options, approvals }))).toEqual(['ask web_fetch', 'deny bash(rm *)'])
  })

  test('is not approved by a rule that is added or taken away', async () => {
    const approvals = keptApprovals()
    await writeFile(options.localFile, permissions({ allow: ['bash(*)'], deny: ['bash(a)', 'bash(b)'] }))
    const store = createRulesFile({ ...options, approvals })
    await expect(store.allow('bash(ls)', 'project')).rejects.toThrow(/not approved/)
    await store.add('bash(rm *)', 'deny', 'project')
    const b = store.list().find((rule) => rule.text === 'bash(b)')
    if (b) await store.remove(b)
    expect([texts(store), approvals.kept]).toEqual([['deny bash(a)', 'deny bash(rm *)'], null])
  })

  test('counts when sluice wrote it, also in other processes, until somebody else writes', async () => {
    const approvals = keptApprovals()
    const [one, other] = [createRulesFile({ ...options, approvals }), createRulesFile({ ...options, approvals })]
    await one.allow('bash(ls)', 'project')
    await other.allow('bash(pwd)', 'project')
    expect(texts(createRulesFile({ ...options, approvals }))).toEqual(['allow bash(ls)', 'allow bash(pwd)'])
    const text = await readFile(options.localFile, 'utf8')
    await writeFile(options.localFile, text.replace('bash(pwd)', 'bash(*)'))
    expect(texts(createRulesFile({ ...options, approvals }))).toEqual([])
    await expect(one.allow('bash(id)', 'project')).rejects.toThrow(/not approved/)
  })

  test('is not written when the approval cannot be kept', async () => {
    const approvals = { approved: () => false, approve: () => Promise.reject(new Error('disk full')) }
    const store = createRulesFile({ ...options, approvals })
    await expect(store.allow('bash(ls)', 'project')).rejects.toThrow(/disk full/)
    expect([texts(store), await readFile(options.localFile, 'utf8').catch(() => null)]).toEqual([[], null])
  })
})
