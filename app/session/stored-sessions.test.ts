import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { foldPaste } from '../composer/paste.ts'
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
  const { text, chips } = foldPaste(new Map(), 'a\nb\n'.repeat(9))
  writeLeftView(folder, { draft: { text: `see ${text} first`, pastes: Object.fromEntries(chips) } })
  expect(unsent('s_1')).toBe('see [pasted] first')
  stored.close()
  vi.unstubAllEnvs()
})
