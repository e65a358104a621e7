/** Records what a command prints: readable ends for the model, live pieces for the eye, all of it on disk when it is long. */
import type { Artifact, ArtifactStore } from '@sluice/engine/ports'
import { headTail } from './head-tail.ts'
import { liveOutput } from './live-output.ts'
import { plainText } from './plain-text.ts'

export type Source = 'stdout' | 'stderr'

/** What was printed so far, readable; `artifact` is the file that holds every byte of it, or as much as fitted. */
export type Recorded = {
  text: string
  omittedBytes: number
  artifact: string | undefined
  /** Why the file is not the whole of it, or why there is none. */
  artifactProblem: string | undefined
}

export type Recorder = {
  write(source: Source, bytes: Uint8Array): void
  /** Starts the file now, for output that goes on after the call. */
  keepAll(): void
  /** Ends live output and gives what was printed until now; writing may go on, into the file alone. */
  report(): Recorded
  close(): void
}

/** How much of the output the model reads: 12 k characters of its beginning and 20 k of its end, where failures are. */
const headSize = 12_288
const tailSize = 20_480
/** Output up to here is kept in memory and needs no file. */
const memoryBytes = 32_768
/** A file ends here; the rest is read and dropped. */
export const spillLimit = 256 * 1024 * 1024

export function recorder(artifacts: ArtifactStore, show: (chunk: string) => void): Recorder {
  const ends = headTail(headSize, tailSize)
  const live = liveOutput(show)
  const file = spill(artifacts)
  const readers = { stdout: reader(), stderr: reader() }
  let reported = false

  return {
    write(source, bytes) {
      file.write(bytes)
      if (reported) return
      const text = readers[source].decode(bytes)
      live.push(text)
      ends.append(readers[source].plain.push(text))
    },
    keepAll: file.open,
    report() {
      if (!reported) {
        for (const { decodeEnd, plain } of Object.values(readers)) {
          ends.append(plain.push(decodeEnd()))
          ends.append(plain.end())
        }
        live.end()
      }
      reported = true
      const { head, tail, omittedBytes } = ends.result()
      if (omittedBytes > 0) file.open()
      const text = omittedBytes > 0 ? head + gap(omittedBytes) + tail : head
      return { text: readable(text), omittedBytes, artifact: file.path(), artifactProblem: file.problem() }
    },
    close: file.close,
  }
}

/** Bytes of one stream become text whole characters at a time, wherever the pieces were cut. */
function reader() {
  const decoder = new TextDecoder()
  return {
    decode: (bytes: Uint8Array) => decoder.decode(bytes, { stream: true }),
    decodeEnd: () => decoder.decode(),
    plain: plainText(),
  }
}

function gap(bytes: number): string {
  return `\n[… ${size(bytes)} left out here …]\n`
}

/** Bytes that are no text are of no use to anybody as text. */
function readable(text: string): string {
  const broken = text.split('\ufffd').length - 1
  return broken > 32 && broken > text.length / 10 ? '[binary output, not shown]' : text
}

/** `12.3 MB`, for people. */
export function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** Holds bytes in memory until there are too many, and from then on in a file of limited size. */
function spill(artifacts: ArtifactStore) {
  let held: Uint8Array[] = []
  let heldBytes = 0
  let written = 0
  let artifact: Artifact | undefined
  let problem: string | undefined
  let closed = false

  function store(bytes: Uint8Array): void {
    const room = spillLimit - written
    if (!artifact || bytes.length === 0) return
    // Pieces may fill it to the very byte: then it is the next one that says so.
    if (bytes.length > room) problem = `only its first ${size(spillLimit)} were stored`
    if (room <= 0) return
    artifact.write(bytes.length > room ? bytes.subarray(0, room) : bytes)
    written += Math.min(bytes.length, room)
  }

  function open(): void {
    if (artifact || problem !== undefined || closed) return
    try {
      artifact = artifacts.create('bash-output.log')
      for (const bytes of held) store(bytes)
    } catch (error) {
      problem = `it could not be stored: ${error instanceof Error ? error.message : String(error)}`
    }
    held = []
  }

  return {
    open,
    write(bytes: Uint8Array): void {
      if (closed) return
      heldBytes += bytes.length
      if (heldBytes > memoryBytes) open()
      if (artifact) store(bytes)
      else if (problem === undefined) held.push(bytes)
    },
    path: () => artifact?.path,
    problem: () => (artifact?.failed === undefined ? problem : `a part of it could not be stored: ${artifact.failed}`),
    close(): void {
      closed = true
      held = []
      artifact?.close()
    },
  }
}
