import { expect, test } from 'vitest'
import { type CommandContext, runCommand } from '../commands/index.ts'
import { createDraft, modeOf } from './draft.ts'

test.each([
  ['', 'empty'],
  ['fix the cart', 'text'],
  ['!ls', 'shell'],
  ['! ls -l', 'shell'],
  ['!', 'shell'],
  [' !ls', 'text'],
  ['/', 'command'],
  ['/ ', 'command'],
  ['/cost', 'command'],
  ['/cost ', 'command'],
  ['/model gpt-5.2', 'command'],
  ['/fork\nand then', 'command'],
  ['/nonsense', 'command'],
  ['/mcp__server__prompt x', 'command'],
  ['/usr/bin/env is missing', 'text'],
  ['/ what', 'text'],
  ['/2', 'text'],
  ['// a comment', 'text'],
])('a draft of %j is %s', (text, mode) => {
  expect(modeOf(createDraft(text))).toBe(mode)
  // It is called a command exactly when it is run as one.
  const context = { commands: [], notice: () => {}, openOverlay: () => true } as unknown as CommandContext
  expect(runCommand(text, context).handled).toBe(mode === 'command')
})
