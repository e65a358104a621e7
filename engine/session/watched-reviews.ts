/** Has what a review writes kept like what a call writes, so that a rewind knows it for ours. */
import type { Checkpoints, ReviewedFiles } from '../ports/index.ts'

/** `turnId` is that of the last turn: a rewind to before it takes the review along. */
export function watchedReviews(
  files: ReviewedFiles,
  checkpoints: Checkpoints,
  turnId: () => string | undefined,
): ReviewedFiles {
  return {
    read: (name, cwd) => files.read(name, cwd),
    decode: (bytes) => files.decode(bytes),
    async write(name, cwd, text, expected) {
      const id = turnId()
      const path = (await files.read(name, cwd))?.path ?? (name.startsWith('/') ? name : `${cwd}/${name}`)
      if (id === undefined) return files.write(name, cwd, text, expected)
      const { signal } = new AbortController()
      const call = { turnId: id, callId: `review ${name}`, tool: 'review', writes: [path], signal }
      const watch = await checkpoints.begin(call)
      try {
        return await files.write(name, cwd, text, expected)
      } finally {
        watch.end()
      }
    },
  }
}
