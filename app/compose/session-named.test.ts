import { rmSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../fixtures/run-sluice.ts'
import { writeStoredSession } from '../../fixtures/stored-session.ts'
import { findPaths } from '../paths.ts'
import { openSessionIndex } from './session-index.ts'
import { sessionNamed } from './session-named.ts'

const home = temporaryFolder('home')
afterAll(() => rmSync(home, { recursive: true }))

function world() {
  const paths = findPaths({ SLUICE_HOME: home, HOME: home })
  const at = Date.UTC(2026, 10, 30)
  const write = (id: string, input: string) =>
    writeStoredSession(home, { id, cwd: '/home/ada/shop', at, turns: [[input, 'Done.']] })
  write('s_aa11', 'add retry to the exporter')
  write('s_aa22', 'add colours to the chart')
  write('s_bb33', 'port the config to zod')
  write('s_cc44', 'fix the shop')
  write('s_cc55', 'fix the shop window')
  const index = openSessionIndex(paths)
  index.rename('s_bb33', 'Zod')
  index.close()
  return paths
}

test.each([
  ['s_aa11', 's_aa11'],
  ['s_b', 's_b'],
  ['zod', 's_bb33'],
  ['Zod', 's_bb33'],
  ['retry exporter', 's_aa11'],
  ['chart', 's_aa22'],
  ['nothing like it', 'nothing like it'],
  // The folder of all of them is called so.
  ['ada', 'ada'],
  // Two titles have these words; one is just these words.
  ['fix the SHOP', 's_cc44'],
])('%s means %s', async (words, id) => {
  expect(await sessionNamed(words, world())).toBe(id)
})

test('words that several titles have are refused, with the sessions they may mean', async () => {
  await expect(sessionNamed('add', world())).rejects.toMatchObject({
    message: expect.stringMatching(/^"add" fits 2 sessions: s_aa\d\d \(.*\), s_aa\d\d \(.*\)\.$/),
    fix: 'Give an id, or more of the title; sluice --resume alone shows the list.',
  })
})
