import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../fixtures/run-sluice.ts'
import { storeProblem } from './store-problem.ts'

test('an error of the system is said in words, without the names of its files', () => {
  const folder = temporaryFolder('state')
  try {
    writeFileSync(join(folder, 'gone', 'meta.json.1.tmp'), '')
  } catch (error) {
    expect(storeProblem('Not renamed', error)).toBe(
      'Not renamed: it is not there. Another program has moved or removed it.',
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
  expect.assertions(1)
})

test('who may not write hears where', (context) => {
  if (process.getuid?.() === 0) return context.skip('root may write anywhere')
  const folder = temporaryFolder('state')
  mkdirSync(join(folder, 'closed'), { mode: 0o500 })
  try {
    writeFileSync(join(folder, 'closed', 'meta.json'), '')
  } catch (error) {
    expect(storeProblem('Not renamed', error)).toBe(
      `Not renamed: permission denied. Change the permissions of ${join(folder, 'closed')}, or set SLUICE_HOME to another folder.`,
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
  expect.assertions(1)
})

test('a folder that cannot be made is not called gone', () => {
  const error = Object.assign(new Error('ENOENT'), { code: 'ENOENT', syscall: 'mkdir', path: '/state/trash' })
  expect(storeProblem('Not deleted', error)).toBe(
    'Not deleted: the disk is read-only. Make /state writable, or set SLUICE_HOME to another folder.',
  )
})

test('what is no error of the system speaks for itself', () => {
  expect(storeProblem('Not deleted', new Error('A process works on this session.'))).toBe(
    'Not deleted: A process works on this session.',
  )
})

test('what no advice is known for is said in words all the same, and where it is', () => {
  const error = Object.assign(new Error('ENOTEMPTY: directory not empty, rename'), {
    ...{ code: 'ENOTEMPTY', syscall: 'rename', path: '/state/trash/s_1' },
  })
  expect(storeProblem('Not deleted', error)).toBe(
    'Not deleted: the folder is not empty. Look at /state/trash/s_1, then try again.',
  )
})
