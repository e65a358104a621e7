import type { DiskReport } from '@sluice/engine/adapters/transcript-jsonl'
import { expect, it } from 'vitest'
import { tellingDiskOnce } from './disk-problems.ts'

function heard() {
  const said: string[] = []
  const tell = tellingDiskOnce('/state', (text) => said.push(text))
  const report = (what: string | null, state: DiskReport['state'], lost = 0) => {
    tell(`${what} ${state}`, { what, state, lost })
    return said.splice(0)
  }
  return { tell, said, report }
}

const full =
  'The disk is full: the session goes on, but is not being saved, and what changes now cannot be undone by a rewind. Free some space where /state is; what waits is written then.'

it('a full disk that transcript, decisions and snapshots meet is told in one sentence, and so is its end', () => {
  const { report } = heard()
  expect(report('The transcript is', 'full')).toEqual([full])
  expect(report('The decisions are', 'full')).toEqual([])
  expect(report(null, 'full')).toEqual([])
  expect(report('The decisions are', 'again', 2)).toEqual([])
  expect(report('The transcript is', 'again')).toEqual(['The session is being saved again; 2 records are missing.'])
  expect(report('Costs are', 'full')).toEqual([full])
  expect(report('Costs are', 'again')).toEqual(['The session is being saved again; nothing is missing.'])
})

it('a disk that is read-only is told in the same way', () => {
  const { report } = heard()
  expect(report('The transcript is', 'read-only')).toEqual([
    'The disk is read-only: the session goes on, but is not being saved, and what changes now cannot be undone by a rewind. Make /state writable; what waits is written then.',
  ])
  expect(report('The decisions are', 'read-only')).toEqual([])
})

it('records that cannot be saved are never kept quiet about because a snapshot could not be taken before', () => {
  const { report } = heard()
  expect(report(null, 'full')).toEqual(['null full'])
  expect(report('The transcript is', 'full')).toEqual([full])
})

it('other problems are told as they are, and so is their end', () => {
  const { report, tell, said } = heard()
  tell('The transcript is not being saved: EACCES.')
  expect(said.splice(0)).toEqual(['The transcript is not being saved: EACCES.'])
  expect(report('The transcript is', 'again')).toEqual(['The transcript is again'])
})
