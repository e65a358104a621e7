import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { takeNames } from './taken-names.ts'

let root: string
let name: string
let marks: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sluice-names-'))
  name = join(root, 'AGENTS.md')
  marks = join(root, 'state', 'marks')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const left = () => [existsSync(name), readdirSync(marks)]

/** The mark of this process, under the id of another one. */
function markAs(pid: number): void {
  const giveUp = takeNames([name], marks)
  const [mark = ''] = readdirSync(marks)
  giveUp()
  writeFileSync(join(marks, mark.replace(/\.\d+$/, `.${pid}`)), name)
}

describe('a name that is taken', () => {
  it('is free again when the last command that needs it has ended, each once', () => {
    const [first, second] = [takeNames([name], marks), takeNames([name], marks)]
    first()
    first()
    expect(existsSync(name)).toBe(true)
    second()
    expect(left()).toEqual([false, []])
  })

  it('stays when somebody has put something there meanwhile', () => {
    const giveUp = takeNames([name], marks)
    writeFileSync(join(name, 'x'), '')
    giveUp()
    expect(readdirSync(name)).toEqual(['x'])
  })

  it('stays while another sluice needs it, and goes with the next when that one was killed', async () => {
    const other = spawn('sleep', ['60'], { stdio: 'ignore' })
    markAs(other.pid ?? 0)
    mkdirSync(name)
    takeNames([name], marks)()
    expect(existsSync(name)).toBe(true)
    other.kill('SIGKILL')
    await new Promise((resolve) => other.on('exit', resolve))
    takeNames([name], marks)()
    expect(left()).toEqual([false, []])
  })

  it('is left alone where the person has an empty folder', () => {
    mkdirSync(name)
    takeNames([name], marks)()
    expect(left()).toEqual([true, []])
  })

  it('is left alone where a file is', () => {
    writeFileSync(name, 'rules')
    takeNames([name], marks)()
    expect([existsSync(name), readdirSync(marks)]).toEqual([true, []])
  })
})
