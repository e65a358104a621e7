/** Bundles the app: `node app/build.ts` leaves `app/dist/main.js` with lazy chunks, ready to be started. */
import { resolve } from 'node:path'
import { bundle } from './build/bundle.ts'

const root = resolve(import.meta.dirname, '..')
const started = Date.now()
try {
  const { bytes, chunks } = await bundle({ root })
  const ms = Date.now() - started
  process.stderr.write(`sluice: built ${chunks} chunks, ${Math.round(bytes / 1024)} kB, in ${ms} ms\n`)
} catch (error) {
  process.stderr.write(`sluice: the build failed.\n${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
