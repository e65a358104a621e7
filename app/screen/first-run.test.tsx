import { darkTheme, ThemeContext } from '@sluice/permissions-ui'
import { expect, test } from 'vitest'
import { renderAt } from '../../fixtures/screen/render-at.tsx'
import { defaultKeys } from '../keymap.ts'
import { KeyProvider } from '../terminal/key-source.tsx'
import { FirstRun } from './FirstRun.tsx'
import { type FirstRunFound, fieldChoice } from './first-run.ts'

const nothing: FirstRunFound = { providers: [], servers: [], looking: false }
const some: FirstRunFound = {
  providers: [{ id: 'openai', name: 'OpenAI', source: 'OPENAI_API_KEY', model: 'gpt-5.2' }],
  servers: [{ url: 'http://127.0.0.1:11434/v1', models: ['qwen3:8b', 'llama'] }],
  looking: false,
}

async function show(found: FirstRunFound, columns = 80, rows = 20) {
  const chosen: unknown[] = []
  const view = await renderAt(
    columns,
    rows,
    <KeyProvider table={defaultKeys}>
      <ThemeContext value={darkTheme}>
        <FirstRun
          width={columns}
          height={rows}
          found={found}
          onChoose={(choice) => chosen.push(choice)}
          onClose={() => chosen.push('closed')}
        />
      </ThemeContext>
    </KeyProvider>,
  )
  return { ...view, chosen }
}

test('says what was found and offers it first', async () => {
  const view = await show(some)
  expect(view.screen()).toMatchInlineSnapshot(`
    "
     Welcome to sluice
     Found OPENAI_API_KEY, http://127.0.0.1:11434/v1. Choose how to begin:

     ❯ use OpenAI
         OPENAI_API_KEY · gpt-5.2
       use http://127.0.0.1:11434/v1
         qwen3:8b and 1 more
       try the demo
         offline: a scripted model, but real tools, a real review and a real test r…
       enter an API key
         for this run; put it into OPENAI_API_KEY to keep it
       point at a base URL
         any server that speaks Chat Completions"
  `)
  await view.press('return', 'down', 'return', 'down', 'return')
  expect(view.chosen).toEqual([
    { type: 'provider', id: 'openai' },
    { type: 'server', url: 'http://127.0.0.1:11434/v1', model: 'qwen3:8b' },
    { type: 'demo' },
  ])
  await view.unmount()
})

test('a key is pasted or typed without being shown, and Esc goes one step back', async () => {
  const view = await show(nothing)
  await view.press('down', 'return')
  await view.paste('sk-secret-42\n')
  await view.type('x')
  expect(view.screen()).not.toContain('secret')
  expect(view.screen()).toContain('*************')
  await view.press('escape')
  expect(view.chosen).toEqual([])
  await view.press('return')
  await view.paste('sk-1')
  await view.press('return', 'escape', 'escape')
  expect(view.chosen).toEqual([{ type: 'key', key: 'sk-1' }, 'closed'])
  await view.unmount()
})

test('a wrong base URL is refused with a sentence', async () => {
  const view = await show(nothing, 60, 8)
  await view.press('end', 'return')
  await view.type('localhost')
  await view.press('return')
  expect(view.screen()).toContain('A base URL begins with http:// or https://.')
  expect(view.chosen).toEqual([])
  await view.unmount()
})

test.each([
  ['key', '', 'A key is one word without blanks.'],
  ['key', ' sk-1 ', { type: 'key', key: 'sk-1' }],
  ['base-url', 'ftp://x', 'A base URL begins with http:// or https://.'],
  ['base-url', 'http://127.0.0.1:1/v1', { type: 'base-url', url: 'http://127.0.0.1:1/v1' }],
] as const)('a %s of "%s"', (field, text, expected) => {
  expect(fieldChoice(field, text)).toEqual(expected)
})
