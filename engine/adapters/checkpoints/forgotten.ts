/** Tells which repositories of snapshots may go: those that nobody uses any more, and one that has grown too large. */
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Folders that nobody has worked in for long are read anew when somebody does. Once a day: a start costs the same however many there are. */
export function removeForgotten(folder: string): void {
  const mark = join(folder, '.looked-through')
  if (Date.now() - (statSync(mark, { throwIfNoEntry: false })?.mtimeMs ?? 0) < day) return
  writeFileSync(mark, '', { mode: 0o600 })
  for (const name of readdirSync(folder)) {
    const { mtimeMs } = statSync(join(folder, name))
    if (Date.now() - mtimeMs > 30 * day) rmSync(join(folder, name), { recursive: true, force: true })
  }
}

const day = 24 * 3600 * 1000

/** Nothing in it is needed once no command runs; it goes when it is large and nobody else uses it. */
export function overgrown(gitDir: string): boolean {
  const sizes = (folder: string) =>
    existsSync(join(gitDir, 'objects', folder))
      ? readdirSync(join(gitDir, 'objects', folder)).map((name) => statSync(join(gitDir, 'objects', folder, name)).size)
      : []
  const packs = sizes('pack')
  const packed = packs.reduce((sum, size) => sum + size, 0)
  if (sizes('17').length <= 200 && packs.length <= 150 && packed <= 512 * 1024 * 1024) return false
  const inUse = readdirSync(gitDir).some((name) => {
    const own = /^index-[^.]+$/.test(name)
    return own && Date.now() - statSync(join(gitDir, name)).mtimeMs < day
  })
  return !inUse
}
