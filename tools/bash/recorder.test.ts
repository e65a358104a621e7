import type { ArtifactStore } from '@sluice/engine/ports'
import { expect, test } from 'vitest'
import { recorder, spillLimit } from './recorder.ts'

/** Counts what would be stored. */
function counting() {
  let stored = 0
  const artifacts: ArtifactStore = {
    create: () => ({
      path: '/artifacts/output.log',
      failed: undefined,
      write(data) {
        stored += data.length
      },
      close: () => {},
    }),
  }
  return { artifacts, stored: () => stored }
}

test.each([
  ['that fills its file to the very byte is whole', 0, undefined],
  ['of one byte more is said to be cut', 1, 'only its first 268.4 MB were stored'],
  ['of a piece that does not fit is said to be cut', 3 * 1024 * 1024, 'only its first 268.4 MB were stored'],
])('output %s', (_what, more, problem) => {
  const { artifacts, stored } = counting()
  const recording = recorder(artifacts, () => {})
  const piece = new Uint8Array(4 * 1024 * 1024).fill(121)
  for (let written = 0; written < spillLimit; written += piece.length) recording.write('stdout', piece)
  if (more > 0) recording.write('stdout', piece.subarray(0, more))
  expect([recording.report().artifactProblem, stored()]).toEqual([problem, spillLimit])
  recording.close()
})
