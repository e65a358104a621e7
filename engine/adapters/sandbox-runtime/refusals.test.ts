import { describe, expect, it } from 'vitest'
import type { Policy } from './policy.ts'
import { describeRefusals } from './refusals.ts'

const place = { cwd: '/home/ada/shop', home: '/home/ada' }
const policy: Policy = {
  writable: ['/home/ada/shop', '/tmp/sluice-x'],
  unwritable: ['/home/ada/shop/.git/config', '/home/ada/shop/AGENTS.md'],
  unreadable: ['/home/ada/.ssh', '/home/ada/shop/.env'],
  readable: [],
  shown: [],
}

const cases: [string, string[], number | null, string, string[], boolean][] = [
  [
    'a write outside the workspace that the program complains of',
    ['deny openat /etc/hosts'],
    1,
    'bash: /etc/hosts: Read-only file system',
    ['writing /etc/hosts (only the workspace and $TMPDIR can be written)'],
    true,
  ],
  [
    'the same under the home folder, twice',
    ['deny openat /home/ada/.cache/x', 'deny mkdir /home/ada/.cache/x'],
    1,
    'EROFS: read-only file system',
    ['writing ~/.cache/x (only the workspace and $TMPDIR can be written)'],
    true,
  ],
  [
    'a write that nobody complains of is told, but is not why the command failed',
    ['deny openat /home/ada/.cargo/.lock'],
    101,
    'test result: FAILED. 1 passed; 1 failed',
    ['writing ~/.cargo/.lock (only the workspace and $TMPDIR can be written)'],
    false,
  ],
  [
    'a write that the command copes without, in silence',
    ['deny openat /etc/hosts'],
    0,
    'fine',
    ['writing /etc/hosts (only the workspace and $TMPDIR can be written)'],
    false,
  ],
  [
    'a write that a later command of the line covers up',
    [],
    0,
    "touch: cannot touch '/srv/z': Read-only file system\na.txt",
    ['writing /srv/z (only the workspace and $TMPDIR can be written)'],
    false,
  ],
  [
    'a cache that was not written in silence, and folders that are there',
    ['deny openat /home/ada/.cache/x', 'deny mkdir /usr', 'deny openat /usr/lib/python3/__pycache__/re.pyc'],
    0,
    'fine',
    [],
    false,
  ],
  [
    'a name that is kept free by an empty folder',
    [],
    1,
    '/usr/bin/bash: line 1: AGENTS.md: Is a directory',
    ['writing AGENTS.md (programs obey it)'],
    true,
  ],
  [
    'git’s word for it',
    [],
    128,
    "fatal: cannot rmdir 'AGENTS.md': Device or resource busy",
    ['writing AGENTS.md (programs obey it)'],
    true,
  ],
  [
    'a file by the name that it has in the folder to which the command went',
    [],
    1,
    'bash: line 1: y: Read-only file system',
    ['writing y (only the workspace and $TMPDIR can be written)'],
    true,
  ],
  ['words of a program about such an error', [], 1, "src/a.ts:12: throw new Error('Read-only file system')", [], false],
  ['a folder taken for a file', [], 1, 'cat: src: Is a directory', [], false],
  [
    'a guarded file of the workspace',
    ['deny renameat2 /home/ada/shop/.git/config'],
    4,
    'error: could not lock config file .git/config: Permission denied',
    ['writing .git/config (programs obey it)'],
    true,
  ],
  [
    'writes where anybody may',
    ['deny openat /dev/null', 'deny openat /home/ada/shop/a', 'deny x /proc/1'],
    1,
    '',
    [],
    false,
  ],
  [
    'a host, also when the command copes without it',
    ['deny network-outbound a.example:443 (the person said no)'],
    0,
    '',
    ['reaching a.example:443 (the person said no)'],
    false,
  ],
  [
    'a host that the command needed',
    ['deny network-outbound a.example:443 (the person said no)'],
    56,
    '',
    ['reaching a.example:443 (the person said no)'],
    true,
  ],
  [
    'a hidden folder',
    [],
    1,
    'cat: /home/ada/.ssh/id: No such file or directory',
    ['reading ~/.ssh (it may hold secrets)'],
    true,
  ],
  ['a hidden folder by its short name', [], 1, "can't open ~/.ssh/id", ['reading ~/.ssh (it may hold secrets)'], true],
  [
    'a hidden file by its name alone',
    [],
    1,
    'cat: .env: Permission denied',
    ['reading .env (it may hold secrets)'],
    true,
  ],
  ['a file that only resembles one', [], 1, 'cat: .env.example: No such file or directory', [], false],
  ['words about a secret that are no complaint', [], 1, 'wrote the docs of .env', [], false],
  [
    'macOS: what its log says',
    ['bash(4242) deny(1) file-write-create /etc/x', 'cat(1) deny(1) file-read-data /home/ada/.ssh/id'],
    1,
    'Operation not permitted',
    ['writing /etc/x (only the workspace and $TMPDIR can be written)', 'reading ~/.ssh/id (it may hold secrets)'],
    true,
  ],
  [
    'walls that did not come up',
    [],
    1,
    'bwrap: No permissions to create a new namespace',
    ['starting the command (bwrap: No permissions to create a new namespace)'],
    true,
  ],
]

describe('what a sandbox refused', () => {
  it.each(cases)('%s', (_name, observed, exitCode, output, refused, blocked) => {
    expect(describeRefusals(observed, { exitCode, output }, policy, place)).toEqual({ refused, blocked })
  })

  it('is cut after a few', () => {
    const observed = Array.from({ length: 20 }, (_, i) => `deny openat /etc/x${i}`)
    const { refused } = describeRefusals(observed, { exitCode: 1, output: 'Permission denied' }, policy, place)
    expect(refused).toHaveLength(7)
    expect(refused.at(-1)).toBe('and 14 more')
  })
})
