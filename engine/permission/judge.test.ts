import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { StoredRule } from '../ports/index.ts'
import type { PermissionMode, PermissionNeed, ToolKind, Verdict } from '../protocol/index.ts'
import { suggestRules } from './always.ts'
import { createJudge } from './index.ts'
import { type Call, judge, judgeRead, type World } from './judge.ts'
import { nextMode } from './modes.ts'
import { isInside, relativePath, resolvePath } from './paths.ts'

const world: World = { cwd: '/home/ada/project', home: '/home/ada', trusted: true }

const kinds: Record<string, ToolKind> = {
  read_file: 'read',
  list_dir: 'read',
  glob: 'read',
  grep: 'read',
  todo_write: 'read',
  edit_file: 'edit',
  write_file: 'edit',
  bash: 'execute',
  verify: 'execute',
  web_fetch: 'network',
  ask_user: 'ask',
}

function pathNeed(path: string, access: 'read' | 'write' | 'delete'): PermissionNeed {
  const absolute = path.startsWith('~/') ? resolvePath(world.home, path.slice(2)) : resolvePath(world.cwd, path)
  const inside = isInside(world.cwd, absolute)
  return {
    type: 'path',
    access,
    path: absolute,
    shown: inside ? relativePath(world.cwd, absolute) || '.' : path,
    inside,
  }
}

function commandNeed(
  argv: string[],
  extra: Partial<Extract<PermissionNeed, { type: 'command' }>> = {},
): PermissionNeed {
  return { type: 'command', argv, plain: true, hazards: [], writes: [], text: argv.join(' '), ...extra }
}

/** `tool thing`: a path, a command of words without quotes, a URL, or nothing. */
function call(line: string, rules: string[] = [], mode: PermissionMode = 'default'): Call {
  const [tool = '', ...rest] = line.split(' ')
  const thing = rest.join(' ')
  const kind = kinds[tool] ?? 'execute'
  const needs: PermissionNeed[] = []
  if (tool === 'web_fetch') needs.push({ type: 'network', host: new URL(thing).hostname, url: thing })
  else if (tool.startsWith('mcp__')) {
    const [, server = '', name = ''] = tool.split('__')
    needs.push({ type: 'mcp', server, tool: name })
  } else if (tool === 'bash' || tool === 'verify') needs.push(commandNeed(rest))
  else if (thing !== '') needs.push(pathNeed(thing, kind === 'edit' ? 'write' : 'read'))
  return { tool, kind, needs, mode, rules: rules.map(stored) }
}

/** `allow bash(ls)`, `deny@project edit_file`. */
function stored(line: string): StoredRule {
  const [, verdict, scope, text] = /^(allow|ask|deny)(?:@(\w+))? (.*)$/s.exec(line) ?? []
  return { verdict: verdict as Verdict, scope: (scope ?? 'user') as StoredRule['scope'], text: text as string }
}

const verdictOf = (line: string, rules: string[] = [], mode: PermissionMode = 'default', where: World = world) =>
  judge(call(line, rules, mode), where).verdict

describe('without rules', () => {
  test.each<[string, Verdict, Verdict, Verdict, Verdict]>([
    // call, default, accept-edits, plan, yolo
    ['read_file src/a.ts', 'allow', 'allow', 'allow', 'allow'],
    ['grep .', 'allow', 'allow', 'allow', 'allow'],
    ['todo_write', 'allow', 'allow', 'allow', 'allow'],
    ['read_file .git/config', 'allow', 'allow', 'allow', 'allow'],
    ['read_file .env', 'ask', 'ask', 'ask', 'ask'],
    ['read_file ~/.ssh/id_rsa', 'ask', 'ask', 'ask', 'ask'],
    ['read_file /etc/hosts', 'ask', 'ask', 'ask', 'allow'],
    ['read_file ../project_evil/x', 'ask', 'ask', 'ask', 'allow'],
    ['edit_file src/a.ts', 'ask', 'allow', 'deny', 'allow'],
    ['write_file src/a.ts', 'ask', 'allow', 'deny', 'allow'],
    ['edit_file /tmp/a.ts', 'ask', 'ask', 'deny', 'allow'],
    ['edit_file .git/config', 'ask', 'ask', 'deny', 'ask'],
    ['edit_file AGENTS.md', 'ask', 'ask', 'deny', 'ask'],
    ['write_file ~/.bashrc', 'ask', 'ask', 'deny', 'ask'],
    ['bash ls', 'ask', 'ask', 'deny', 'allow'],
    ['verify npm test', 'ask', 'ask', 'deny', 'allow'],
    ['web_fetch https://example.org/x', 'ask', 'ask', 'ask', 'allow'],
    ['mcp__db__read', 'ask', 'ask', 'deny', 'allow'],
    ['ask_user', 'ask', 'ask', 'ask', 'ask'],
  ])('%s', (line, byDefault, acceptEdits, plan, yolo) => {
    expect((['default', 'accept-edits', 'plan', 'yolo'] as const).map((mode) => verdictOf(line, [], mode))).toEqual([
      byDefault,
      acceptEdits,
      plan,
      yolo,
    ])
  })

  test('a deletion is more than an edit', () => {
    const deletion: Call = {
      tool: 'edit_file',
      kind: 'edit',
      needs: [pathNeed('a', 'delete')],
      mode: 'accept-edits',
      rules: [],
    }
    expect(judge(deletion, world)).toMatchObject({ verdict: 'ask', risk: { level: 'delete' } })
    expect(judge({ ...deletion, rules: [stored('allow edit_file(a)')] }, world).verdict).toBe('allow')
  })

  test('a command call without a command asks in every mode but plan', () => {
    const empty = (mode: PermissionMode): Call => ({
      tool: 'bash',
      kind: 'execute',
      needs: [],
      mode,
      rules: [stored('allow bash(*)')],
    })
    expect((['default', 'yolo', 'plan'] as const).map((mode) => judge(empty(mode), world).verdict)).toEqual([
      'ask',
      'ask',
      'deny',
    ])
  })

  test('plan mode tells the model what to do instead', () => {
    expect(judge(call('edit_file a', ['allow edit_file'], 'plan'), world)).toMatchObject({
      verdict: 'deny',
      decidedBy: 'mode',
      reason: expect.stringContaining('plan mode is on'),
    })
  })
})

describe('rules', () => {
  test.each<[string, string[], Verdict]>([
    ['edit_file src/a.ts', ['allow edit_file(src/**)'], 'allow'],
    ['write_file src/a.ts', ['allow edit_file(src/**)'], 'allow'],
    ['edit_file src/a.ts', ['allow write_file(src/**)'], 'ask'],
    ['write_file src/a.ts', ['allow write_file(src/**)'], 'allow'],
    ['edit_file lib/a.ts', ['allow edit_file(src/**)'], 'ask'],
    ['edit_file SRC/a.ts', ['allow edit_file(src/**)'], 'ask'],
    ['edit_file /tmp/x', ['allow edit_file'], 'allow'],
    ['edit_file /tmp/x', ['allow edit_file(**)'], 'ask'],
    ['edit_file a', ['allow read_file'], 'ask'],
    ['read_file ~/notes/a', ['allow read_file(~/notes/**)'], 'allow'],
    ['grep ~/notes', ['allow read_file(~/notes/**)'], 'allow'],
    ['read_file ~/notes/a', ['allow grep(~/notes/**)'], 'ask'],
    ['grep ~/notes', ['allow grep(~/notes/**)'], 'allow'],
    ['read_file ~/notes/a', ['allow edit_file(~/notes/**)'], 'ask'],
    ['read_file .env', ['allow read_file(**)'], 'ask'],
    ['read_file .env', ['allow read_file'], 'ask'],
    ['read_file .env', ['allow read_file(.env)'], 'allow'],
    ['read_file a/.env', ['allow read_file(**/.env)'], 'allow'],
    ['read_file ~/.ssh/config', ['allow read_file(~/.ssh/config)'], 'allow'],
    ['read_file ~/.ssh/config', ['allow read_file(~/**)'], 'ask'],
    // deny before ask before allow, whatever the order and the scope
    ['edit_file src/a.ts', ['allow edit_file', 'deny edit_file(src/**)'], 'deny'],
    ['edit_file src/a.ts', ['deny edit_file(src/**)', 'allow@cli edit_file(src/a.ts)'], 'deny'],
    ['edit_file src/a.ts', ['allow edit_file', 'ask edit_file(src/*)'], 'ask'],
    ['edit_file src/a.ts', ['ask edit_file', 'deny edit_file'], 'deny'],
    ['read_file src/a.ts', ['ask read_file(src/**)'], 'ask'],
    ['read_file secret/a', ['deny read_file(secret/**)'], 'deny'],
    ['read_file SECRET/a', ['deny read_file(secret/**)'], 'deny'],
    ['grep secret', ['deny read_file(secret/**)'], 'deny'],
    ['list_dir secret', ['deny read_file(secret/**)'], 'deny'],
    ['write_file secret/a', ['deny read_file(secret/**)'], 'ask'],
    ['write_file secret/a', ['deny edit_file(secret/**)'], 'deny'],
    ['edit_file secret/a', ['deny write_file(secret/**)'], 'ask'],
    ['todo_write', ['deny todo_write'], 'deny'],
    ['todo_write', ['ask todo_write'], 'ask'],
    ['ask_user', ['allow ask_user'], 'ask'],
    ['ask_user', ['deny ask_user'], 'deny'],
    ['web_fetch https://example.org/a', ['allow web_fetch(domain:example.org)'], 'allow'],
    ['web_fetch https://EXAMPLE.org./a', ['allow web_fetch(domain:example.org)'], 'allow'],
    ['web_fetch https://a.example.org/', ['allow web_fetch(domain:example.org)'], 'ask'],
    ['web_fetch https://example.org.evil.example/', ['allow web_fetch(domain:example.org)'], 'ask'],
    ['web_fetch https://evilexample.org/', ['allow web_fetch(domain:example.org)'], 'ask'],
    ['web_fetch https://x.org/', ['allow web_fetch', 'deny web_fetch(domain:x.org)'], 'deny'],
    ['web_fetch https://y.org/', ['allow web_fetch', 'deny web_fetch(domain:x.org)'], 'allow'],
    ['mcp__db__read', ['allow mcp__db__read'], 'allow'],
    ['mcp__db__write', ['allow mcp__db__read'], 'ask'],
    ['mcp__db__write', ['allow mcp__db__*', 'deny mcp__db__write'], 'deny'],
    ['mcp__dbx__read', ['allow mcp__db__*'], 'ask'],
    ['mcp__db__read', ['deny mcp__*'], 'deny'],
    ['bash ls -l', ['allow bash'], 'allow'],
    ['bash ls -l', ['allow bash(ls)'], 'ask'],
    ['bash ls -l', ['ask bash(ls *)', 'allow bash'], 'ask'],
    ['bash /bin/ls', ['deny bash(ls *)'], 'deny'],
    ['verify npm test', ['allow bash(npm test *)'], 'allow'],
    ['verify npm test', ['allow verify'], 'allow'],
    ['verify npm test', ['allow verify', 'deny bash(npm *)'], 'deny'],
    ['verify bash -c x', ['allow bash'], 'ask'],
    [
      'edit_file .git/config',
      ['allow edit_file', 'allow@session edit_file(.git/config)', 'allow@cli edit_file(**)'],
      'ask',
    ],
    ['edit_file .git/config', ['deny edit_file(.git/**)'], 'deny'],
  ])('%s under %j', (line, rules, verdict) => {
    expect(verdictOf(line, rules)).toBe(verdict)
  })

  test('an ask rule holds in yolo, and a deny rule does', () => {
    expect([
      verdictOf('bash git push', ['ask bash(git push *)'], 'yolo'),
      verdictOf('edit_file a', ['deny edit_file(a)'], 'yolo'),
    ]).toEqual(['ask', 'deny'])
  })

  test('what a project brings along can only narrow', () => {
    const untrusted = { ...world, trusted: false }
    expect(verdictOf('bash ls', ['allow@project bash'])).toBe('ask')
    expect(verdictOf('bash ls', ['allow@local bash'])).toBe('allow')
    expect(verdictOf('bash ls', ['allow@local bash'], 'default', untrusted)).toBe('ask')
    expect(verdictOf('bash ls', ['allow@project bash', 'allow@user bash'], 'default', untrusted)).toBe('allow')
    expect(verdictOf('bash ls', ['deny@project bash', 'allow bash'], 'default', untrusted)).toBe('deny')
  })

  test('an untrusted folder keeps nobody from working', () => {
    const untrusted = { ...world, trusted: false }
    expect(
      ['default', 'accept-edits', 'yolo'].map((mode) =>
        verdictOf('edit_file a', [], mode as PermissionMode, untrusted),
      ),
    ).toEqual(['ask', 'allow', 'allow'])
  })

  test('a refusing rule that cannot be read asks about what it may mean; an allowing one allows nothing', () => {
    expect(verdictOf('bash ls', ['allow bash', 'deny bash(rm -rf:*)'])).toBe('ask')
    expect(verdictOf('bash ls', ['deny bash(rm'], 'yolo')).toBe('ask')
    expect(verdictOf('edit_file a', ['deny bash(rm', 'allow edit_file'])).toBe('allow')
    expect(verdictOf('edit_file a', ['deny ((', 'allow edit_file'])).toBe('ask')
    expect(verdictOf('read_file a', ['deny (('])).toBe('allow')
    expect(verdictOf('write_file a', ['deny Edit(a)', 'allow edit_file'])).toBe('ask')
    expect(verdictOf('bash ls', ['allow bash('])).toBe('ask')
  })

  test('the path as it was written counts against a call as well as where it leads', () => {
    const through: PermissionNeed = {
      type: 'path',
      access: 'read',
      path: '/home/ada/project/b',
      shown: 'secret/b',
      inside: true,
    }
    const rules = [stored('deny read_file(secret/**)')]
    expect(judge({ tool: 'read_file', kind: 'read', needs: [through], mode: 'default', rules }, world).verdict).toBe(
      'deny',
    )
  })

  test('the strictest part decides, and every part says why', () => {
    const needs = [commandNeed(['ls']), commandNeed(['rm', 'x']), commandNeed(['pwd'])]
    const rules = ['allow bash(ls *)', 'deny bash(rm *)'].map(stored)
    expect(judge({ tool: 'bash', kind: 'execute', needs, mode: 'default', rules }, world)).toEqual({
      verdict: 'deny',
      rule: 'bash(rm *)',
      scope: 'user',
      reason: 'the rule bash(rm *) forbids it',
      risk: { level: 'delete', reason: 'rm deletes files' },
      decidedBy: 'rule',
      parts: [
        {
          need: needs[0],
          verdict: 'allow',
          rule: 'bash(ls *)',
          scope: 'user',
          reason: 'the rule bash(ls *) allows it',
        },
        {
          need: needs[1],
          verdict: 'deny',
          rule: 'bash(rm *)',
          scope: 'user',
          reason: 'the rule bash(rm *) forbids it',
        },
        { need: needs[2], verdict: 'ask', rule: null, scope: null, reason: 'no rule covers bash(pwd)' },
      ],
    })
  })

  test('a reason names the rule with its file', () => {
    const rules: StoredRule[] = [
      { text: 'edit_file(a)', verdict: 'deny', scope: 'project', source: '.sluice/config.jsonc:3' },
    ]
    expect(judge({ ...call('edit_file a'), rules }, world).reason).toBe(
      'the rule edit_file(a) (.sluice/config.jsonc:3) forbids it',
    )
  })
})

describe('commands', () => {
  const ruled = (need: PermissionNeed, rules: string[], mode: PermissionMode = 'default') =>
    judge({ tool: 'bash', kind: 'execute', needs: [need], mode, rules: rules.map(stored) }, world)

  test.each<[string, PermissionNeed]>([
    ['hazards', commandNeed(['ls'], { hazards: ['it does something'] })],
    ['redirected output', commandNeed(['ls'], { writes: ['out'] })],
    ['a line that is not plain', commandNeed(['ls'], { plain: false })],
    ['words only the shell knows', commandNeed([], { argv: null, plain: false, text: 'ls $x' })],
    ['an empty name', commandNeed([''])],
    ['no words', commandNeed([])],
    ['a job', commandNeed(['%1'])],
  ])('no rule, not even one for exactly this, covers %s', (_, need) => {
    expect(ruled(need, ['allow bash', 'allow bash(ls)', 'allow@session bash(ls *)']).verdict).toBe('ask')
    expect(ruled(need, [], 'yolo').verdict).toBe('allow')
    expect(ruled(need, ['deny bash(rm *)'], 'yolo').verdict).toBe('ask')
  })

  test.each<[string[], string[], Verdict]>([
    [['cat', 'a'], ['allow bash(cat *)'], 'allow'],
    [['cat', '/etc/passwd'], ['allow bash(cat *)'], 'ask'],
    [['cat', '/etc/hosts'], ['allow bash(cat /etc/hosts)'], 'allow'],
    [['cat', '/etc/hosts'], ['allow bash(cat /etc/hosts *)'], 'allow'],
    [['cat', '/home/ada/project/a'], ['allow bash(cat *)'], 'allow'],
    [['cat', '/home/ada/project_evil/a'], ['allow bash(cat *)'], 'ask'],
    [['ls', './../'], ['allow bash(ls *)'], 'ask'],
    [['ls', 'a/../b'], ['allow bash(ls *)'], 'allow'],
    [['find', '-L', '.'], ['allow bash(find *)'], 'ask'],
    [['tool', '--config=/etc/x'], ['allow bash(tool *)'], 'ask'],
    [['tool', '-I/usr/include'], ['allow bash(tool *)'], 'ask'],
    [['tool', '@/etc/x'], ['allow bash(tool *)'], 'ask'],
    [['tool', 'file:///etc/x'], ['allow bash(tool *)'], 'ask'],
    [['tool', 'https://a.org/../x'], ['allow bash(tool *)'], 'allow'],
    [['grep', '/api', 'src'], ['allow bash(grep *)'], 'allow'],
    [['grep', '-e', '/api', '/etc/x'], ['allow bash(grep *)'], 'ask'],
    [['cat', '.env'], ['allow bash(cat *)'], 'ask'],
    [['cat', '.env'], ['allow bash(cat .env)'], 'allow'],
    [['echo', '.env'], ['allow bash(echo *)'], 'allow'],
    [['cat', 'AGENTS.md'], ['allow bash(cat *)'], 'allow'],
    [['git', 'add', '.github/workflows/ci.yml'], ['allow bash(git add *)'], 'allow'],
    [['prettier', '--write', 'AGENTS.md'], ['allow bash(prettier *)'], 'ask'],
    [['cp', 'a', '.git/hooks/pre-commit'], ['allow bash(cp a .git/hooks/pre-commit)', 'allow bash'], 'ask'],
    [['cat', 'secret/a'], ['allow bash(cat *)', 'deny read_file(secret/**)'], 'ask'],
    [['touch', 'gen/a'], ['allow bash(touch *)', 'deny edit_file(gen/**)'], 'ask'],
    [['cat', 'gen/a'], ['allow bash(cat *)', 'deny edit_file(gen/**)'], 'allow'],
  ])('%j under %j', (argv, rules, verdict) => {
    const ruling = ruled(commandNeed(argv), rules)
    expect(ruling.verdict, ruling.reason).toBe(verdict)
  })

  test('yolo asks before it touches what a rule about files refuses', () => {
    expect(ruled(commandNeed(['cat', 'secret/a']), ['deny read_file(secret/**)'], 'yolo').verdict).toBe('ask')
  })
})

describe('what always may write', () => {
  const proposed = (line: string, rules: string[] = []) => suggestRules(call(line, rules), world).map((one) => one.text)

  test.each<[string, string[]]>([
    ['bash npm run build -- --watch', ['bash(npm run build -- --watch)', 'bash(npm run build *)']],
    ['bash git status', ['bash(git status)', 'bash(git status *)']],
    ['bash pytest', ['bash(pytest)', 'bash(pytest *)']],
    ['bash docker compose up -d', ['bash(docker compose up -d)', 'bash(docker compose up *)']],
    ['bash node --test a.test.js', ['bash(node --test a.test.js)']],
    ['bash python -m pytest -q', ['bash(python -m pytest -q)']],
    ['bash git push origin main', ['bash(git push origin main)']],
    ['bash rm x', ['bash(rm x)']],
    ['bash npm install x', ['bash(npm install x)']],
    ['bash cat /etc/hosts', ['bash(cat /etc/hosts)']],
    ['bash sudo ls', []],
    ['bash env ls', []],
    ['bash bash x.sh', []],
    ['bash python x.py', []],
    ['bash node -e x', []],
    ['bash npx tsc', []],
    ['bash cd src', []],
    ['bash poetry run pytest', []],
    ['bash cp a .git/hooks/x', []],
    ['bash git', ['bash(git)']],
    ['bash git -C x status', ['bash(git -C x status)']],
    ['edit_file src/a/b.ts', ['edit_file(src/a/b.ts)', 'edit_file(src/a/**)']],
    ['write_file a.ts', ['edit_file(a.ts)', 'edit_file(**)']],
    ['edit_file src/a*{b}.ts', ['edit_file(src/a\\*\\{b\\}.ts)', 'edit_file(src/**)']],
    ['edit_file ~/notes/a.md', ['edit_file(~/notes/a.md)', 'edit_file(~/notes/**)']],
    ['edit_file ~/a.md', ['edit_file(~/a.md)']],
    ['edit_file /opt/app/a.md', ['edit_file(/opt/app/a.md)', 'edit_file(/opt/app/**)']],
    ['edit_file /a', ['edit_file(/a)']],
    ['edit_file AGENTS.md', []],
    ['read_file ~/notes/a', ['read_file(~/notes/a)', 'read_file(~/notes/**)']],
    ['read_file .env', ['read_file(.env)']],
    ['read_file src/a.ts', []],
    ['web_fetch https://Example.org/x', ['web_fetch(domain:example.org)']],
    ['mcp__db__read', ['mcp__db__read', 'mcp__db__*']],
    ['ask_user', []],
  ])('%s', (line, texts) => {
    expect(proposed(line)).toEqual(texts)
  })

  test('nothing is offered where an ask rule or plan mode stands in the way', () => {
    expect(proposed('bash git status', ['ask bash(git *)'])).toEqual([])
    expect(suggestRules(call('bash ls', [], 'plan'), world)).toEqual([])
  })

  test('a line is offered a rule only where one is enough', () => {
    const line = (...argvs: string[][]): Call => ({
      tool: 'bash',
      kind: 'execute',
      needs: argvs.map((argv) => commandNeed(argv)),
      mode: 'default',
      rules: [stored('allow bash(git status *)')],
    })
    const texts = (one: Call) => suggestRules(one, world).map((rule) => rule.text)
    expect(texts(line(['git', 'status'], ['npm', 'test']))).toEqual(['bash(npm test)', 'bash(npm test *)'])
    expect(texts(line(['ls', 'a'], ['ls', 'b']))).toEqual(['bash(ls *)'])
    expect(texts(line(['ls'], ['npm', 'test']))).toEqual([])
  })

  test('whatever is offered allows the very call that it was offered for, and the first not every other one', () => {
    const word = fc.oneof(
      fc.constantFrom(
        'git',
        'status',
        'npm',
        'run',
        'test',
        '-x',
        '--y=z',
        'src/a.ts',
        '.env',
        '/etc/x',
        '*',
        "it's",
        'a b',
        '$x',
        '',
        'env',
        'node',
        '--test',
        'rm',
        '~/x',
        '.git',
        'ü',
        '(',
        '\\',
        ':*',
      ),
      fc.string({ maxLength: 6 }),
    )
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), (argv) => {
        const asked: Call = { tool: 'bash', kind: 'execute', needs: [commandNeed(argv)], mode: 'default', rules: [] }
        for (const { text } of suggestRules(asked, world)) {
          const rules = [stored(`allow ${text}`)]
          expect([text, judge({ ...asked, rules }, world).verdict]).toEqual([text, 'allow'])
          expect(judge({ ...asked, needs: [commandNeed(['other', ...argv])], rules }, world).verdict).toBe('ask')
        }
      }),
      { numRuns: 1000 },
    )
    const name = fc
      .string({ unit: fc.constantFrom(...'ab.*?{},\\~[] -(é'), minLength: 1, maxLength: 6 })
      .filter((one) => !/^\.+$/.test(one))
    const base = fc.constantFrom(world.cwd, world.home, '/opt', '')
    fc.assert(
      fc.property(
        base,
        fc.array(name, { minLength: 1, maxLength: 3 }),
        fc.constantFrom('edit_file', 'read_file', 'write_file'),
        (from, names, tool) => {
          const need = pathNeed(`${from}/${names.join('/')}`, tool === 'read_file' ? 'read' : 'write')
          const asked: Call = { tool, kind: kinds[tool] as ToolKind, needs: [need], mode: 'default', rules: [] }
          const [first, ...others] = suggestRules(asked, world)
          for (const one of first ? [first, ...others] : []) {
            expect(judge({ ...asked, rules: [stored(`allow ${one.text}`)] }, world).verdict).toBe('allow')
          }
          const beside = pathNeed(`${from}/${names.join('/')}x`, tool === 'read_file' ? 'read' : 'write')
          if (first && tool !== 'read_file') {
            expect(judge({ ...asked, needs: [beside], rules: [stored(`allow ${first.text}`)] }, world).verdict).toBe(
              'ask',
            )
          }
        },
      ),
      { numRuns: 1000 },
    )
  })
})

describe('deny beats everything', () => {
  test('no rule, scope or mode turns a denial into something else', () => {
    const lines = [
      'bash rm x',
      'edit_file src/a.ts',
      'read_file secret/a',
      'web_fetch https://a.org/',
      'mcp__db__read',
      'todo_write',
    ]
    const denials = [
      'bash(rm *)',
      'edit_file(src/**)',
      'read_file(secret/**)',
      'web_fetch(domain:a.org)',
      'mcp__db__*',
      'todo_write',
    ]
    const others = fc.subarray([
      'allow bash',
      'allow@cli bash(rm x)',
      'allow edit_file',
      'allow@session edit_file(src/a.ts)',
      'allow read_file',
      'allow web_fetch',
      'allow mcp__*',
      'allow todo_write',
      'ask bash',
      'ask edit_file',
    ])
    fc.assert(
      fc.property(
        fc.nat(lines.length - 1),
        others,
        fc.constantFrom<PermissionMode>('default', 'accept-edits', 'plan', 'yolo'),
        fc.boolean(),
        (i, rules, mode, trusted) => {
          const all = [...rules, `deny ${denials[i]}`]
          expect(verdictOf(lines[i] as string, all, mode, { ...world, trusted })).toBe('deny')
          expect(verdictOf(lines[i] as string, all.reverse(), mode, { ...world, trusted })).toBe('deny')
        },
      ),
    )
  })
})

test('the modes go round', () => {
  expect((['default', 'accept-edits', 'plan', 'yolo'] as const).map(nextMode)).toEqual([
    'accept-edits',
    'plan',
    'yolo',
    'default',
  ])
})

test('a search leaves out what may not be read', () => {
  const rules = [stored('deny read_file(secret/**)')]
  expect(
    ['src/a', 'secret/a', '.env'].map((path) => judgeRead(resolvePath(world.cwd, path), true, rules, world)),
  ).toEqual(['allow', 'deny', 'ask'])
})

test('a judge offers rules where it asks, and only there', () => {
  const of = createJudge(world)
  expect(of(call('bash git status')).suggestions).toEqual([
    { text: 'bash(git status)', label: 'exactly this command' },
    { text: 'bash(git status *)', label: 'git status with any further words' },
  ])
  expect(of(call('read_file a')).suggestions).toEqual([])
})
