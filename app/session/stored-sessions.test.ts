import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { findPaths } from '../paths.ts'
import { writeLeftView } from './left-view.ts'
import { createStoredSessions } from './stored-sessions.ts'

test('the words of a draft are those that were left in it; a paste is one word', async () => {
  const home = mkdtempSync(join(tmpdir(), 'sluice-unsent-'))
  vi.stubEnv('SLUICE_HOME', home)
  const stored = createStoredSessions(findPaths())
  const folder = join(home, 'sessions', 's_1')
  mkdirSync(folder, { recursive: true })
  const { unsent } = await stored.open()
  expect(unsent('s_1')).toBe('')
  writeLeftView(folder, { draft: { text: 'see \ue001 first', pastes: { 1: 'a\nb' } } })
  expect(unsent('s_1').split(/\s+/)).toEqual(['see', '[pasted]', 'first'])
  stored.close()
  vi.unstubAllEnvs()
})
