import { describe, expect, test } from 'vitest'
import { interpretedProgram, programName, programNature, runnerLength, wrappedStart } from './programs.ts'
import { parseRule } from './rules.ts'
import { allowsCommand, namesCommand } from './shell-match.ts'
import { splitWords } from './shell-words.ts'

const argvOf = (line: string) => {
  const split = splitWords(line)
  if (!split.ok) throw new Error(split.problem)
  return split.words.map((word) => word.value)
}
const patternOf = (text: string) => {
  const parsed = parseRule(`bash(${text})`)
  if (!parsed.ok || parsed.rule.matcher.type !== 'command') throw new Error('no command rule')
  return parsed.rule.matcher.pattern
}
const allows = (pattern: string, line: string) => allowsCommand(patternOf(pattern), argvOf(line)).covered
const names = (pattern: string, line: string) => namesCommand(patternOf(pattern), { argv: argvOf(line), text: line })

describe('an allow rule', () => {
  test.each<[string, string[], string[]]>([
    [
      'git log *',
      ['git log', 'git log -3', "git 'log' x"],
      ['git logs', 'git', 'git -C . log', '/usr/bin/git log', 'GIT log'],
    ],
    ['git log', ['git log'], ['git log -3', 'git']],
    ['./run *', ['./run', './run x'], ['run', 'a/../run', '/x/run', './/run']],
    [
      '*',
      ['ls -l', 'npm test', './gradlew x'],
      [
        'bash',
        'node x',
        '/usr/bin/env x',
        'python3.12 x',
        'cd x',
        'npx x',
        'sudo x',
        'poetry run x',
        'ld.so x',
        '/lib64/ld-linux-x86-64.so.2 x',
      ],
    ],
    ['env *', [], ['env', 'env ls', 'env A=1 ls']],
    ['env A=1 *', [], ['env A=1 ls', 'env A=1']],
    ['env A=1 npm test *', ['env A=1 npm test', 'env A=1 npm test -x'], ['env A=2 npm test']],
    ['timeout 60 npm test *', ['timeout 60 npm test -x'], ['timeout 61 npm test']],
    ['timeout 60 *', [], ['timeout 60 npm test']],
    ['timeout -k 5 *', [], ['timeout -k 5 60 ls']],
    ['nice env sh *', [], ['nice env sh x.sh', 'nice env sh -c x']],
    ['xargs rm *', [], ['xargs rm', 'xargs rm -r']],
    ['sudo apt *', ['sudo apt update'], ['sudo -s apt', 'sudo']],
    ['bash *', [], ['bash', 'bash x.sh', 'bash -c ls']],
    ['bash -c *', [], ['bash -c ls', 'bash -c']],
    ['bash', [], ['bash']],
    ['bash x.sh *', ['bash x.sh', 'bash x.sh a -c b'], ['bash y.sh', 'bash -x x.sh']],
    ['bash -e x.sh *', ['bash -e x.sh a'], ['bash -e y.sh']],
    ['bash --rcfile x *', [], ['bash --rcfile x y.sh']],
    [
      'node --test *',
      ['node --test', 'node --test a.test.js', 'node --test --test-name-pattern=x a'],
      ['node --test -e x', 'node --test --import ./x', 'node -e x', 'node x.js'],
    ],
    ['node *', [], ['node', 'node x.js', 'node --test']],
    ['node x.js *', ['node x.js -e y'], ['node y.js', 'node -r ./z x.js']],
    ['python -m pytest *', ['python -m pytest -c x'], ['python -m http.server', 'python -c x']],
    ['python -m *', [], ['python -m pytest']],
    ['python -W ignore *', [], ['python -W ignore x.py']],
    ['python -', [], ['python -']],
    ['npx tsc *', ['npx tsc --noEmit'], ['npx x', 'npx']],
    ['npx -y tsc *', ['npx -y tsc x'], ['npx -y x']],
    ['poetry run *', [], ['poetry run rm']],
    ['poetry run pytest *', ['poetry run pytest -q'], ['poetry run python x']],
    ['docker run --rm *', [], ['docker run --rm x']],
    ['cd src *', [], ['cd src', 'cd src x']],
    ['cd src', ['cd src'], ['cd src x', 'cd']],
    ['printf *', [], ['printf x']],
    ["awk '{print $1}' *", ["awk '{print $1}' f"], ["awk 'BEGIN{}' f", 'awk -f x']],
  ])('bash(%s)', (pattern, yes, no) => {
    expect(yes.filter((line) => !allows(pattern, line))).toEqual([])
    expect(no.filter((line) => allows(pattern, line))).toEqual([])
  })

  test('says why it does not cover what looks like its own', () => {
    expect(allowsCommand(patternOf('bash *'), ['bash', 'x.sh'])).toEqual({
      covered: false,
      near: 'bash runs any code, and `bash` does not say which',
    })
    expect(allowsCommand(patternOf('git log *'), ['ls'])).toEqual({ covered: false, near: null })
    expect(allowsCommand(patternOf('git log *'), ['git', 'log', 'x'])).toEqual({ covered: true, extra: 2 })
  })
})

describe('a deny rule', () => {
  test.each<[string, string[], string[]]>([
    [
      'rm -rf *',
      [
        'rm -rf x',
        'rm -fr /x',
        'rm -r -f x',
        'rm --recursive --force x',
        'rm -Rf x',
        'rm x -rf',
        'rm --rec --forc x',
        'rm -rvf x',
        "'r'm -rf x",
        '/bin/rm -rf x',
        '/usr//bin/../bin/rm -rf x',
        'RM -rf x',
        'rm -r x -f y',
      ],
      ['rm x', 'rm -r x', 'rm -f x', 'rmdir -rf x', 'ls -rf', 'rm -i -r x'],
    ],
    [
      'rm *',
      [
        'rm',
        'rm x',
        './rm',
        'sudo rm x',
        'env A=1 rm x',
        'nohup timeout 5 rm x',
        'xargs rm',
        'busybox rm x',
        'flock l rm x',
      ],
      ['rmx', 'echo rm', 'ls rm'],
    ],
    ['rm', ['rm', '/bin/rm', 'sudo rm'], ['rm x']],
    [
      'git push *',
      [
        'git push',
        'git push origin',
        'git -C x push',
        'git -c a=b push',
        'git --no-pager push -f',
        '/usr/bin/git push',
        'git send-pack origin main',
        'git -C x send-pack o',
        'git http-push x',
        'git-send-pack o',
        '/usr/lib/git-core/git-push o',
      ],
      ['git commit -m push', 'git log push', 'git pull', 'git fetch-pack x', 'git log send-pack'],
    ],
    [
      'git push --force *',
      ['git push --force', 'git push -f', 'git push origin main -f', 'git -C . push x --force'],
      ['git push', 'git push --force-with-lease'],
    ],
    [
      'npm publish *',
      ['npm publish', 'npm --prefix x publish', 'npm publish --tag x'],
      ['npm run publish-docs', 'npm test publish'],
    ],
    ['curl -o *', ['curl -o x y', 'curl y -so x'], ['curl y']],
    ['/opt/x/run *', ['/opt/x/run a'], ['run a', '/opt/y/run']],
    ['*', ['ls', 'x'], []],
    ['sudo *', ['sudo ls', '/usr/bin/sudo -n ls', 'env sudo ls'], ['ls sudo']],
    ['docker system prune *', ['docker system prune -af', 'docker -H x system prune'], ['docker system df']],
  ])('bash(%s)', (pattern, yes, no) => {
    expect(yes.filter((line) => !names(pattern, line))).toEqual([])
    expect(no.filter((line) => names(pattern, line))).toEqual([])
  })

  test.each<[string, string, boolean]>([
    ['rm *', 'rm $x', true],
    ['rm *', 'A=$y rm $x', true],
    ['rm *', '$x rm', false],
    ['rm -rf *', 'rm -rf "$HOME"', true],
    ['rm -rf *', 'rm $flags x', false],
    ['git push *', 'git $x', false],
    ['rm x', 'rm $x', false],
  ])('bash(%s) and the partly literal %s', (pattern, text, named) => {
    expect(namesCommand(patternOf(pattern), { argv: null, text })).toBe(named)
  })

  test('looks behind thousands of wrappers and options without getting lost', () => {
    const lines = ['env '.repeat(5000), '-a x '.repeat(5000), 'watch rm '.repeat(3000), 'x '.repeat(20_000)]
    for (const line of lines) names('rm a b c -x', `watch ${line}`)
    expect(names('rm *', `${'env '.repeat(20)}rm`)).toBe(true)
  }, 60_000)
})

describe('programs', () => {
  test('are known without folder and version', () => {
    expect(
      ['/usr/bin/python3.12', 'node22', 'bash', 'npm', 'x.exe', 'python3', 'lua5.4', 'ld-linux.so.2', 'gcc-12'].map(
        programName,
      ),
    ).toEqual(['python', 'node', 'bash', 'npm', 'x', 'python', 'lua', 'ld.so', 'gcc-12'])
    expect(['env', 'zsh', 'ruby', 'cd', 'ls', 'toString', '__proto__'].map(programNature)).toEqual([
      'wrapper',
      'shell',
      'interpreter',
      'builtin',
      'ordinary',
      'ordinary',
      'ordinary',
    ])
  })

  test.each<[string, number | null]>([
    ['timeout 5 ls', 2],
    ['timeout -s KILL 5 ls', 4],
    ['env -i A=1 -u B ls -l', 5],
    ['env - ls', 2],
    ["env -S 'ls x'", null],
    ["env -iS 'ls'", null],
    ['sudo -u bob -- ls', 4],
    ['sudo -s', null],
    ['command -v ls', null],
    ['nice ls', 1],
    ['xargs ls', null],
    ['env A=1', null],
    ['ls x', null],
  ])('the command in %s', (line, start) => {
    expect(wrappedStart(argvOf(line))).toBe(start)
  })

  test.each<[string, unknown]>([
    ['node x.js', { fixed: 1 }],
    ['node --no-warnings x.js', { fixed: 2 }],
    ['node -r ./y x.js', { inline: true }],
    ['node --test a', { fixed: 1 }],
    ['node --test --import x', { inline: true }],
    ['python -u -m pytest', { fixed: 3 }],
    ['python -c x', { inline: true }],
    ['python', { inline: true }],
    ['sh -', { inline: true }],
    ['node --version', { fixed: 1 }],
    ['bash +x y.sh', { inline: true }],
  ])('what %s runs', (line, expected) => {
    expect(interpretedProgram(argvOf(line))).toEqual(expected)
  })

  test('runners are as long as their words', () => {
    expect(
      ['poetry run x', 'docker compose run x', 'git bisect run x', 'git bisect start', 'npm test'].map((line) =>
        runnerLength(argvOf(line)),
      ),
    ).toEqual([2, 3, 3, 0, 0])
  })
})
