import { execFileSync } from 'node:child_process'
import { mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { permissionModes } from '@sluice/engine/protocol'
import { beforeEach, describe, expect, it } from 'vitest'
import { narrower, readPlainFile, readProjectConfig } from './project-config.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-project-')))
  file = join(folder, 'config.jsonc')
})

describe("a folder's config", () => {
  it('counts for permissions and a mode; everything else is named as ignored', () => {
    writeFileSync(
      file,
      '{ // comment\n"permissions": {"deny": []}, "permissionMode": "plan", "baseUrl": "x", "hooks": {"a": 1}, "mcpServers": {"db": {"command": "node", "args": ["db.js", 1]}, "web": {"url": "https://x/"}, "odd": 3}, }',
    )
    expect(readProjectConfig(file)).toEqual({
      permissionMode: 'plan',
      ignored: ['baseUrl', 'hooks', 'mcpServers'],
      programs: [
        { name: 'hooks', what: 'hooks', definition: { a: 1 } },
        { name: 'MCP server db', what: 'node db.js', definition: { command: 'node', args: ['db.js', 1] } },
        { name: 'MCP server web', what: 'https://x/', definition: { url: 'https://x/' } },
        { name: 'MCP server odd', what: 'nothing that can be told', definition: 3 },
      ],
    })
  })

  it.each(['', 'nonsense', '[]', 'null', '{"permissionMode": 3', '{"permissionMode": {"plan": true}}'])(
    'that says %j asks for no mode',
    (text) => {
      writeFileSync(file, text)
      expect(readProjectConfig(file)?.permissionMode).toBeUndefined()
    },
  )

  it('with two modes means the narrower one', () => {
    writeFileSync(file, '{"permissionMode": "yolo", "permissionMode": "default"}')
    expect(readProjectConfig(file)?.permissionMode).toBe('default')
  })

  it('is none when it is missing, a folder, a pipe or endless', () => {
    expect(readProjectConfig(file)).toBeNull()
    expect(readPlainFile(folder)).toBeNull()
    symlinkSync('/dev/zero', join(folder, 'zero'))
    expect(readPlainFile(join(folder, 'zero'))).toBeNull()
    execFileSync('mkfifo', [join(folder, 'pipe')])
    expect(readPlainFile(join(folder, 'pipe'))).toBeNull()
  })
})

it('of two modes the one that allows less is the narrower, and none is narrower than itself', () => {
  const order = ['plan', 'default', 'accept-edits', 'yolo'] as const
  expect([...order].sort()).toEqual([...permissionModes].sort())
  for (const [i, one] of order.entries())
    for (const [j, other] of order.entries()) expect(narrower(one, other)).toBe(order[Math.min(i, j)])
})
