/** All files of a folder that are not ignored, for a person's completion list. */
import { runRipgrep, searchArgs } from '../shared/ripgrep.ts'

/** Paths relative to `cwd`; at most 200,000. Rejects when ripgrep cannot be started. */
export async function listFiles(cwd: string, signal: AbortSignal): Promise<string[]> {
  const paths: string[] = []
  const decoder = new TextDecoder()
  await runRipgrep({
    args: [...searchArgs, '--files', '--null'],
    cwd,
    signal,
    separator: 0,
    onRecord(record) {
      paths.push(decoder.decode(record))
      return paths.length < 200_000
    },
  })
  return paths
}
