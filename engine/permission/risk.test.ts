import { describe, expect, test } from 'vitest'
import type { PermissionNeed, Risk } from '../protocol/index.ts'
import { commandArity } from './arity.ts'
import { heavierRisk, riskOf } from './risk.ts'

const place = { cwd: '/home/ada/project', home: '/home/ada' }

function riskOfLine(line: string, extra: Partial<Extract<PermissionNeed, { type: 'command' }>> = {}): Risk {
  const argv = line.split(' ')
  const need: PermissionNeed = { type: 'command', argv, plain: true, hazards: [], writes: [], text: line, ...extra }
  return riskOf([need], 'execute', place)
}

describe('the risk of a command', () => {
  test.each<[string, Risk['level']]>([
    ['ls -l', 'read'],
    ['git status', 'read'],
    ['git log -3', 'read'],
    ['cat /etc/hosts', 'read'],
    ['echo x', 'read'],
    ['sleep 5', 'read'],
    ['seq 1 10', 'read'],
    ['printf x', 'read'],
    ['git -C x status', 'read'],
    ['git send-pack origin main', 'publish'],
    ['npm test', 'write-inside'],
    ['git commit -m x', 'write-inside'],
    ['cp a b', 'write-inside'],
    ['cp a ../b', 'write-outside'],
    ['mv a /tmp/b', 'write-outside'],
    ['rm -rf x', 'delete'],
    ['git reset --hard', 'delete'],
    ['git -C x clean -fd', 'delete'],
    ['git stash drop', 'delete'],
    ['docker system prune', 'delete'],
    ['kill 1', 'delete'],
    ['curl https://a.org', 'network'],
    ['/usr/bin/curl x', 'network'],
    ['npm install x', 'network'],
    ['git fetch', 'network'],
    ['pip install x', 'network'],
    ['gh pr view 1', 'network'],
    ['git push', 'publish'],
    ['git -c a=b push', 'publish'],
    ['npm publish', 'publish'],
    ['npm --prefix x publish', 'publish'],
    ['gh pr create', 'publish'],
    ['kubectl apply -f x', 'publish'],
    ['cargo publish', 'publish'],
    ['sudo ls', 'privilege'],
    ['systemctl start x', 'privilege'],
    ['chmod u+s x', 'privilege'],
    ['chmod 4755 x', 'privilege'],
    ['chmod 755 x', 'write-inside'],
    ['apt-get install x', 'privilege'],
    ['timeout 5 curl x', 'network'],
    ['env A=1 npm publish', 'publish'],
  ])('%s', (line, level) => {
    expect(riskOfLine(line)).toEqual({ level, reason: expect.stringMatching(/\S/) })
  })

  test('what only prints or waits reads, whatever its words; what a link leads to counts as what it is', () => {
    expect(riskOfLine('echo $x', { argv: null })).toEqual({ level: 'read', reason: 'echo changes no files' })
    expect(riskOfLine('touch etc/x', { leads: [{ word: 'etc/x', path: '/tmp/x' }] })).toEqual({
      level: 'write-outside',
      reason: 'etc/x leads to /tmp/x, outside the workspace',
    })
    expect(riskOfLine('cat etc/x', { leads: [{ word: 'etc/x', path: '/tmp/x' }] }).level).toBe('read')
    expect(riskOfLine('sort -o x', { hazards: ['`sort -o` writes a file'] }).level).toBe('write-inside')
  })

  test('counts what it writes by redirection, and what its hazards say', () => {
    expect(riskOfLine('ls', { writes: ['out.txt'] })).toEqual({ level: 'write-inside', reason: 'writes out.txt' })
    expect(riskOfLine('ls', { writes: ['/tmp/x'] }).level).toBe('write-outside')
    expect(riskOfLine('ls', { writes: ['~ada/x'] }).level).toBe('write-outside')
    expect(riskOfLine('ls', { writes: ['/dev/null'] }).level).toBe('read')
    expect(riskOfLine('find . -delete', { hazards: ['`find -delete` deletes files'] })).toEqual({
      level: 'delete',
      reason: '`find -delete` deletes files',
    })
  })

  test('is judged by what can be read of a line that is not literal', () => {
    expect(riskOfLine('curl $x', { argv: null, plain: false }).level).toBe('network')
    expect(riskOfLine('$x y', { argv: null, plain: false }).level).toBe('write-inside')
    expect(riskOfLine('cat $x', { argv: null, plain: false }).level).toBe('write-inside')
    expect(riskOfLine('', { argv: null, plain: false }).level).toBe('write-inside')
  })
})

test('the heaviest need decides', () => {
  const read: PermissionNeed = { type: 'path', access: 'read', path: '/x', shown: '/x', inside: false }
  const net: PermissionNeed = { type: 'network', host: 'a.org', url: 'https://a.org' }
  expect(riskOf([read, net, read], 'network', place)).toEqual({ level: 'network', reason: 'connects to a.org' })
  expect(riskOf([{ type: 'mcp', server: 'db', tool: 'x' }], 'read', place).level).toBe('read')
  expect(riskOf([{ type: 'mcp', server: 'db', tool: 'x' }], 'execute', place).level).toBe('network')
  expect((['read', 'edit', 'execute', 'network', 'ask'] as const).map((kind) => riskOf([], kind, place).level)).toEqual(
    ['read', 'write-inside', 'write-inside', 'network', 'read'],
  )
  expect(heavierRisk({ level: 'publish', reason: 'a' }, { level: 'network', reason: 'b' }).reason).toBe('a')
})

test.each<[string, number]>([
  ['ls -l', 1],
  ['git status -s', 2],
  ['git stash pop', 3],
  ['git stash', 0],
  ['git', 0],
  ['git -C x status', 0],
  ['npm test', 2],
  ['npm run build x', 3],
  ['npm run', 0],
  ['/usr/bin/git status', 2],
  ['docker ps', 2],
  ['docker compose up -d', 3],
  ['cargo test --workspace', 2],
  ['make', 0],
  ['make test', 2],
  ['./gradlew test', 2],
  ['pytest -q', 1],
  ['aws s3 ls', 3],
  ['', 1],
])('the deed of "%s" takes %i words', (line, words) => {
  expect(commandArity(line.split(' '))).toBe(words)
})
