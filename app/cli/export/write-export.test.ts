import { readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createStateFolder, type StateFolder, shortSession } from '../../../fixtures/session-files.ts'
import { openSessionIndex } from '../../compose/session-index.ts'
import { findPaths } from '../../paths.ts'
import { exportInto } from './write-export.ts'

let state: StateFolder
beforeEach(() => {
  state = createStateFolder()
})
afterEach(() => state.remove())

test.each([
  ['Fix: the "cart" / totals?', ['fix-the-cart-totals.md', 'fix-the-cart-totals-2.md']],
  ['../../etc/passwd', ['etc-passwd.md', 'etc-passwd-2.md']],
  ['合計を直す', ['合計を直す.md', '合計を直す-2.md']],
  ['!!!', ['s1.md', 's1-2.md']],
])('%j is exported into new private files called after it', async (title, names) => {
  state.write('s1', shortSession('s1', 'what is this?', 'an answer').events)
  const paths = findPaths({ SLUICE_HOME: state.stateFolder, HOME: state.stateFolder })
  const index = openSessionIndex(paths)
  await index.refresh()
  index.rename('s1', title)
  const session = index.get('s1')
  index.close()
  if (session === undefined) throw new Error('it is not listed')
  const written = [await exportInto(state.stateFolder, paths, {}, session, 'md')]
  written.push(await exportInto(state.stateFolder, paths, {}, session, 'md'))
  expect(written.map((path) => basename(path))).toEqual(names)
  for (const path of written) {
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readFileSync(path, 'utf8')).toContain('an answer')
  }
})
