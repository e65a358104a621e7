/** A lock between processes: a file that names its owner and is taken over when that process is gone. */
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'

const pollMs = 150
/** A lock this old is broken whoever holds it: process ids are reused, and no install takes this long. */
const brokenAfterMs = 30 * 60_000
/** An owner that has not written its name after this long died in between. */
const namelessAfterMs = 5_000

/**
 * Resolves once this process owns `path`, with `release()`; `onWait(pid)` is called once when another one owns it.
 * Rejects with the file system's error when the file cannot be written.
 */
export async function takeLock(path, onWait) {
  mkdirSync(dirname(path), { recursive: true })
  const mine = `${process.pid} ${hostname()} ${Date.now()}\n`
  for (let told = false; ; ) {
    try {
      writeFileSync(path, mine, { flag: 'wx' })
      return { release: () => read(path) === mine && rmSync(path, { force: true }) }
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    const theirs = read(path)
    if (theirs === null) continue
    if (isBroken(path, theirs)) takeAway(path, theirs)
    else {
      if (!told) onWait(theirs.split(' ')[0] || 'unknown')
      told = true
      await new Promise((resolve) => setTimeout(resolve, pollMs))
    }
  }
}

function isBroken(path, content) {
  const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
  if (age > brokenAfterMs) return true
  const [pid, host] = content.trim().split(' ')
  if (!host) return age > namelessAfterMs
  return host === hostname() && !isAlive(Number(pid))
}

/** Renamed before it is removed: if it changed hands since it was judged, it is given back. */
function takeAway(path, judged) {
  const aside = `${path}.${process.pid}`
  try {
    renameSync(path, aside)
    const taken = read(aside)
    if (taken !== judged) writeFileSync(path, taken, { flag: 'wx' })
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error
  }
  rmSync(aside, { force: true })
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
