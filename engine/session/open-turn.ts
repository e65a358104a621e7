/** The turn that a former process left open: closed by the records that it lacks, or gone on with where calls waited. */
import { runTurn, type TurnEnd, type TurnInput, type TurnPorts } from '../loop/query-engine.ts'
import { runTypedCommand } from '../loop/typed-command.ts'
import type { FileLedger } from '../ports/index.ts'
import type { EventBody } from '../protocol/index.ts'
import { canWait } from './open-call.ts'
import type { RecordedFile } from './recorded-files.ts'
import { abandoned } from './resume.ts'
import type { OpenTurn, ResumedSession } from './resumed.ts'
import { typedInput } from './typed-command.ts'

export type FormerTurn = {
  /** It can be gone on with, and nobody has said yet whether it is. */
  readonly waits: boolean
  /** It ends as it must when nobody goes on with it; nothing happens once that is settled. */
  settle(): void
  /** Hands it over to be gone on with; what its process had asked has an end then. */
  take(): OpenTurn | undefined
}

export function createFormerTurn(
  resumed: Pick<ResumedSession, 'open' | 'repairs'> | undefined,
  { cwd, files, emit }: { cwd: string; files: FileLedger; emit(body: EventBody, turnId: string | null): void },
): FormerTurn {
  let settled = false
  return {
    get waits() {
      return !settled && resumed?.open !== undefined
    },
    settle() {
      if (settled) return
      settled = true
      for (const { body, turnId } of resumed?.repairs ?? []) emit(body, turnId)
    },
    take() {
      const former = settled ? undefined : resumed?.open
      if (former === undefined) return undefined
      settled = true
      noteShown(files, cwd, former)
      for (const question of former.questions) emit(abandoned(question), former.turnId)
      const text = 'This turn was cut off while calls waited; it goes on, and what had not run is asked again.'
      emit({ type: 'notice', level: 'info', code: 'turn_goes_on', text }, former.turnId)
      for (const notice of former.notices) emit(notice, former.turnId)
      return former
    },
  }
}

/** As its model's reply, or as the command that the person typed. What ran has the result that is known of it; what waited is asked anew. */
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
function noteShown(files: FileLedger, cwd: string, { calls }: OpenTurn): void {
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
