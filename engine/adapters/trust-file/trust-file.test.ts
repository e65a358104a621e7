import { mkdtempSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { createTrustFile } from './index.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-trust-')))
  file = join(folder, 'state', 'trust.json')
})

const since = '2026-01-01T00:00:00.000Z'
const contents = { 'AGENTS.md': 'a'.repeat(64) }

it('nothing is trusted before somebody says so, and then exactly that folder', async () => {
  const trust = createTrustFile(file)
  expect(trust.folder('/p')).toBeNull()
  await trust.trust('/p', { since, contents })
  expect(trust.folder('/p')).toEqual({ since, contents })
  for (const other of ['/p/sub', '/', '/P', '/p/', '__proto__', 'constructor', ''])
    expect(trust.folder(other)).toBeNull()
  expect(createTrustFile(file).folders()).toEqual({ '/p': { since, contents } })
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

it('trust is renewed and taken back', async () => {
  const trust = createTrustFile(file)
  await trust.trust('/p', { since, contents })
  await trust.trust('/p', { since: '2026-02-02T00:00:00.000Z', contents: {} })
  expect(trust.folder('/p')).toEqual({ since: '2026-02-02T00:00:00.000Z', contents: {} })
  expect([await trust.forget('/p'), await trust.forget('/p'), trust.folder('/p')]).toEqual([true, false, null])
})

it('approved rules are those of one folder and one content, trusted or not, and go with the trust', async () => {
  const trust = createTrustFile(file)
  await trust.approveRules('/p', 'b'.repeat(64))
  expect([trust.approvedRules('/p'), trust.approvedRules('/q'), trust.folder('/p')]).toEqual([
    'b'.repeat(64),
    null,
    null,
  ])
  await trust.trust('/p', { since, contents })
  await trust.approveRules('/p', 'c'.repeat(64))
  expect([trust.approvedRules('/p'), trust.folder('/p')]).toEqual(['c'.repeat(64), { since, contents }])
  await trust.forget('/p')
  expect(trust.approvedRules('/p')).toBeNull()
})

it.each(['{', 'null', '[]', '{"folders": 1}', '{"folders": {"/p": true, "/q": {"contents": {}}}}'])(
  'a file with %s trusts nothing',
  async (text) => {
    await createTrustFile(file).trust('/x', { since, contents })
    writeFileSync(file, text)
    const trust = createTrustFile(file)
    expect([trust.folder('/p'), trust.folder('/q')]).toEqual([null, null])
  },
)

it('a damaged file is put aside, not written over', async () => {
  await createTrustFile(file).trust('/x', { since, contents })
  writeFileSync(file, '{"folders": {"/x"')
  await createTrustFile(file, () => 42).trust('/y', { since, contents })
  expect(readFileSync(`${file}.corrupt-42`, 'utf8')).toBe('{"folders": {"/x"')
  expect(Object.keys(createTrustFile(file).folders())).toEqual(['/y'])
})

it('several writers at once lose nothing and leave nothing behind', async () => {
  const names = Array.from({ length: 12 }, (_, i) => `/p${i}`)
  await Promise.all(names.map((name) => createTrustFile(file).trust(name, { since, contents })))
  expect(Object.keys(createTrustFile(file).folders()).sort()).toEqual([...names].sort())
  expect(readdirSync(join(folder, 'state'))).toEqual(['trust.json'])
})
