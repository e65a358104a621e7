/** What was left of a session comes back from its folder, and nothing else does. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Left } from '../screen/index.ts'
import { readLeftView, writeLeftView } from './left-view.ts'

const folder = () => mkdtempSync(join(tmpdir(), 'sluice-left-'))

describe('what was left', () => {
  test.each<Left>([
    { place: { entry: 'e12', row: 3 } },
    { draft: { text: 'half a thought' } },
    { place: { entry: 't1/c1', row: 0 }, draft: { text: 'see \ue001', pastes: { 1: 'a\nb' } } },
  ])('is read as it was written: %j', (left) => {
    const at = folder()
    writeLeftView(at, left)
    expect(readLeftView(at)).toEqual(left)
    expect(statSync(join(at, 'view.json')).mode & 0o777).toBe(0o600)
    expect(readdirSync(at)).toEqual(['view.json'])
  })

  test('is nothing where a pipe is in its place, and keeps nobody waiting', () => {
    const at = folder()
    execFileSync('mkfifo', [join(at, 'view.json')])
    expect(readLeftView(at)).toEqual({})
  })

  test('is forgotten when nothing is left', () => {
    const at = folder()
    writeLeftView(at, { draft: { text: 'x' } })
    writeLeftView(at, {})
    expect(readdirSync(at)).toEqual([])
  })

  test('is lost, and nothing else, where the folder is gone', () => {
    const at = join(folder(), 'gone')
    writeLeftView(at, { draft: { text: 'x' } })
    expect(readLeftView(at)).toEqual({})
  })

  test.each([
    'not JSON',
    'null',
    '[]',
    '{"v":2,"draft":{"text":"x"}}',
    '{"v":1,"place":{"entry":"e1","row":-1},"draft":{"text":1}}',
    '{"v":1,"place":{"entry":"e1","row":1.5}}',
    '{"v":1,"draft":{"text":"x","pastes":[1]}}',
    '{"v":1,"draft":{"text":"x","pastes":"no"}}',
  ])('is nothing in a file that says %s', (text) => {
    const at = folder()
    writeFileSync(join(at, 'view.json'), text)
    expect(readLeftView(at)).toEqual({})
  })
})
