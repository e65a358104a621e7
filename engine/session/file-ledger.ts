/** Which version of which file the model has seen in this session. */
import type { FileLedger, SeenFile } from '../ports/index.ts'

/** `forgetAll`: the model knows of no file any more. */
export function createFileLedger(): FileLedger & { forgetAll(): void } {
  const seen = new Map<string, SeenFile>()
  return {
    get: (path) => seen.get(path),
    note(path, file) {
      const before = seen.get(path)
      seen.set(path, before?.hash === file.hash && before.whole ? before : file)
    },
    forget: (path) => void seen.delete(path),
    forgetAll: () => seen.clear(),
  }
}
