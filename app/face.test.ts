import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { awaitSize, type Face, type FaceWish, faceOf } from './face.ts'

const usual: FaceWish = { inline: false, screenReader: false }
const size = { columns: 80, rows: 24 }

test.each<[Face, Partial<FaceWish>, NodeJS.ProcessEnv, { columns?: number; rows?: number }]>([
  ['full', {}, { TERM: 'xterm' }, size],
  ['inline', { inline: true }, { TERM: 'xterm' }, size],
  ['linear', { screenReader: true }, { TERM: 'xterm' }, size],
  ['linear', { inline: true, screenReader: true }, { TERM: 'xterm' }, size],
  ['linear', {}, { TERM: 'xterm', INK_SCREEN_READER: 'true' }, size],
  ['full', {}, { TERM: 'xterm', INK_SCREEN_READER: 'false' }, size],
  ['linear', {}, { TERM: 'dumb' }, size],
  ['linear', { inline: true }, { TERM: 'dumb' }, size],
  ['linear', {}, { TERM: 'xterm' }, { columns: 0, rows: 0 }],
  ['full', {}, { TERM: 'xterm', COLUMNS: '100' }, {}],
])('%s for %j in %j at %j', (face, wish, env, at) => {
  expect(faceOf({ ...usual, ...wish }, env, at)).toBe(face)
})

test('a size that comes a moment later is waited for, and one that never comes is not waited for long', async () => {
  const stdout = (columns: number) => Object.assign(new EventEmitter(), { columns }) as unknown as NodeJS.WriteStream
  await awaitSize(stdout(80), 60_000)
  const late = stdout(0)
  const waited = awaitSize(late, 60_000)
  late.emit('resize')
  await waited
  await awaitSize(stdout(0), 1)
})
