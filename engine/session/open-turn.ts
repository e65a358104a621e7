/** Goes on with a turn whose process died while calls waited: as its model's reply, or as the command that the person typed. */
import { runTurn, type TurnEnd, type TurnInput, type TurnPorts } from '../loop/query-engine.ts'
import { runTypedCommand } from '../loop/typed-command.ts'
import type { FileLedger } from '../ports/index.ts'
import type { RecordedFile } from './recorded-files.ts'
import { canWait, type OpenTurn } from './resume.ts'
import { typedInput } from './typed-command.ts'

/** What ran has the result that is known of it; what waited is prepared and asked anew. */
export function goOnWith(former: OpenTurn, turn: TurnInput, ports: TurnPorts): Promise<TurnEnd> {
  const { input, reply, replies, callCount, contextTold } = former
  const calls = former.calls.map(({ call }) => call)
  if (reply === null) return runTypedCommand(turn, input.slice(typedInput('').length), ports, calls[0])
  const earlier = new Map(former.calls.filter(canWait).map(({ call }) => [call.id, {}] as const))
  for (const { call, ...settled } of former.cutOff) earlier.set(call.id, { settled })
  return runTurn(turn, ports, { calls, earlier, words: reply.content, replies, callCount, contextTold })
}

/** The files that the model had seen, as far as the records tell. */
export function noteRecorded(files: FileLedger, cwd: string, recorded: readonly RecordedFile[]): void {
  for (const { name, seen } of recorded) files.note(pathIn(cwd, name), seen)
}

/** A change that was shown may be made on the very version that it was shown for. */
export function noteShown(files: FileLedger, cwd: string, { calls }: OpenTurn): void {
  for (const { call, proposal } of calls) {
    for (const { path, oldHash } of proposal?.files ?? []) {
      const at = pathIn(cwd, path)
      if (oldHash !== null && !files.get(at)) files.note(at, { hash: oldHash, whole: call.name === 'write_file' })
    }
  }
}

/** The ledger's name for a file that a record names. */
function pathIn(cwd: string, name: string): string {
  return name.startsWith('/') || /^[A-Za-z]:[\\/]/.test(name) ? name : `${cwd}/${name}`
}
