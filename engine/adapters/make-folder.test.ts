import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from './make-folder.ts'

test('what is missing is made, private, and what is there stays', () => {
  const root = mkdtempSync(join(tmpdir(), 'sluice-folder-'))
  try {
    makeFolder(join(root, 'a', 'b', 'c'))
    makeFolder(join(root, 'a', 'b', 'c'))
    expect(['a', 'a/b', 'a/b/c'].map((path) => statSync(join(root, path)).mode & 0o777)).toEqual([0o700, 0o700, 0o700])
    writeFileSync(join(root, 'file'), '')
    expect(() => makeFolder(join(root, 'file', 'x'))).toThrow('ENOTDIR')
    expect(() => makeFolder(join(root, 'file'))).toThrow('EEXIST')
  } finally {
    rmSync(root, { recursive: true })
  }
})

test.skipIf(!existsSync('/proc/self'))('it ends where no folder can be made (skipped without /proc)', () => {
  expect(() => makeFolder('/proc/nope/sessions/x')).toThrow('ENOENT')
})
