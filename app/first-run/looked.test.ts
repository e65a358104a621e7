import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lookedFor } from './looked.ts'

test('says what is missing, and never shows a value', () => {
  const home = mkdtempSync(join(tmpdir(), 'sluice-home-'))
  const file = join(home, 'config.jsonc')
  expect(lookedFor({}, file, home)).toEqual([
    { name: 'OPENAI_API_KEY', found: null },
    { name: 'OPENAI_BASE_URL', found: null },
    { name: 'SLUICE_MODEL', found: null },
    { name: 'config file', found: null, missing: 'no ~/config.jsonc' },
    { name: 'ANTHROPIC_API_KEY', found: null },
  ])
  writeFileSync(file, '{}')
  expect(lookedFor({ OPENAI_API_KEY: '', ANTHROPIC_API_KEY: 'sk-ant-secret' }, file, '/elsewhere')).toEqual([
    { name: 'OPENAI_API_KEY', found: null, missing: 'set, but empty' },
    { name: 'OPENAI_BASE_URL', found: null },
    { name: 'SLUICE_MODEL', found: null },
    { name: 'config file', found: `${file} names no model and no base URL` },
    { name: 'ANTHROPIC_API_KEY', found: 'set, but the anthropic adapter is not in this version' },
  ])
})
