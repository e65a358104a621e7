import { createRedactor } from '@sluice/engine'
import type { SessionSummary } from '@sluice/engine/ports'
import { isDurable } from '@sluice/engine/protocol'
import { describe, expect, test } from 'vitest'
import { endTurn, say, startSession, startTurn, teller } from '../../../fixtures/screen/event-streams.ts'
import { tellCommand, tellEdit, tellQuestion } from '../../../fixtures/session-files.ts'
import { conversationOf } from './conversation.ts'
import { exportDocument } from './index.ts'

const session: SessionSummary = {
  ...{ id: 's1', title: 'Round cart totals once', cwd: '/home/ada/shop', model: 'gpt-5.2' },
  ...{ startedAt: '2026-11-30T12:00:00.010Z', updatedAt: '2026-11-30T12:00:01.000Z', turns: 2, stopReason: null },
  ...{ costUsd: 0.42, additions: 2, deletions: 1, live: false, pendingApprovals: 1, checks: 'failing', next: '' },
  ...{ pinned: false, tags: [], lostRecords: 0, bytes: 1, forkedFrom: null },
}

function shop() {
  const to = teller('s1')
  startSession(to)
  startTurn(to, 'why does the total drift?')
  tellCommand(to, 'c1', 'npm test -- cart', '\x1b[31mnot ok\x1b[0m 1')
  tellEdit(to, 'c2', 'src/cart.ts', ['round(a)'], ['a', 'return round(total)'])
  say(to, 'It was rounded **per line**.')
  endTurn(to)
  startTurn(to, 'publish it')
  tellQuestion(to, 'c3', 'npm publish')
  return to.events.filter(isDurable)
}

const made = (format: 'md' | 'json' | 'html', events = shop(), subject = session) =>
  exportDocument(format, { session: subject, events, redact: createRedactor().value, exportedWith: 'sluice 1' })

test('a conversation is words, calls with their outcome, answers and ends, in their order', () => {
  const parts = conversationOf(shop()).map(({ time: _, ...part }) => part)
  expect(parts.map((part) => part.kind)).toEqual(['user', 'call', 'call', 'assistant', 'turn-end', 'user', 'call'])
  expect(parts[1]).toMatchObject({ tool: 'bash', title: 'bash npm test -- cart', status: 'done', summary: 'exit 0' })
  expect(parts[2]).toMatchObject({ tool: 'edit_file', status: 'done', decision: 'allowed by you' })
  expect(parts[6]).toMatchObject({ tool: 'bash', title: 'npm publish', status: 'open' })
})

test('a reply that was recorded in parts stands once: whole, or as far as it came', () => {
  const to = teller('s1')
  startSession(to)
  const replies = () =>
    conversationOf(to.events).flatMap((part) =>
      part.kind === 'assistant' ? [`${part.text}${part.partial ? '…' : ''}`] : [],
    )
  startTurn(to, 'tell me')
  to.tell({ type: 'partial', text: 'One ' })
  to.tell({ type: 'partial', text: 'two ' })
  expect(replies()).toEqual(['One two …'])
  to.tell({ type: 'message', message: { role: 'assistant', content: 'One two three.' } })
  endTurn(to)
  expect(replies()).toEqual(['One two three.'])
  startTurn(to, 'and now')
  to.tell({ type: 'partial', text: 'lost ' })
  to.tell({ type: 'notice', level: 'warn', code: 'model_retry', text: 'again' })
  to.tell({ type: 'partial', text: 'Four ' })
  to.tell({ type: 'turn_end', reason: 'user_abort', durationMs: 1200, replies: 0, calls: 0, processEnded: true })
  expect(replies()).toEqual(['One two three.', 'Four …'])
  expect(conversationOf(to.events).at(-1)).toMatchObject({ kind: 'turn-end', ended: 'the process ended' })
})

test('Markdown', async () => {
  expect(await made('md')).toMatchInlineSnapshot(`
    "# Round cart totals once

    - Folder: /home/ada/shop
    - Model: gpt-5.2
    - Started: 2026-11-30T12:00:00.010Z
    - Last used: 2026-11-30T12:00:01.000Z
    - Turns: 2
    - Changes: +2 −1
    - Checks: failing
    - Cost: $0.42
    - Session: s1

    ## You

    > why does the total drift?

    <details><summary>bash npm test -- cart · exit 0</summary>

    \`\`\`
    not ok 1
    \`\`\`

    </details>

    <details><summary>edit_file src/cart.ts · edited · allowed by you</summary>

    \`\`\`diff
    --- src/cart.ts
    +++ src/cart.ts
    @@ -12,2 +12,3 @@
       const total = items.reduce(
    -round(a)
    +a
    +return round(total)
    \`\`\`

    </details>

    It was rounded **per line**.

    *final_answer · 1.2 s · 2 calls*

    ## You

    > publish it

    - bash npm publish · no result
    "
  `)
})

test('JSON is the records', async () => {
  expect(JSON.parse(await made('json'))).toEqual({ session, records: shop() })
})

describe('HTML', () => {
  /** What a browser would act on: every tag with its attributes. */
  const tags = (html: string) =>
    [...html.matchAll(/<([a-z][a-z0-9]*)((?:\s+[a-z-]+="[^"<>]*")*|\s+open)\s*>/g)].map(([tag]) => tag)

  test('shows everything that was said and done', async () => {
    const html = await made('html')
    for (const text of ['why does the total drift?', 'npm test -- cart', 'not ok 1', 'return round(total)', 'per line'])
      expect(html).toContain(text)
    expect(html).toContain('<tr class="add"><td>14</td><td>+</td><td>return round(total)</td></tr>')
  })

  test('loads nothing and runs nothing: no script, no style but its own, no address but in links', async () => {
    const html = await made('html')
    expect(html).toMatch(
      /<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'">/,
    )
    expect(html).not.toMatch(/<script|<link|<img|<iframe|<object|@import|url\(|\son\w+=|src=/i)
  })

  const hostile = [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '"><svg/onload=alert(1)>',
    '</pre></details></main><script>alert(1)</script>',
    '[click](javascript:alert(1)) ![x](https://evil.example/x.png) <https://a.example/"onmouseover="alert(1)>',
    '[a](<data:text/html,<script>alert(1)</script>>)',
    '`</code><script>`',
    '| <b>a</b> | b |\n|---|---|\n| <i>x</i> | [y](vbscript:z) |',
    '<!-- --><style>*{display:none}</style>',
    '# <h1>\n\n> <b>quote\n\n1. <li>\n\n- [ ] <input autofocus onfocus=alert(1)>',
    '\x1b]8;;https://evil.example\x07link\x1b]8;;\x07 \u202etxt.exe',
    '&lt;script&gt; &#x3c;img',
  ]

  test.each(hostile)('shows %j as text wherever it stands', async (text) => {
    const to = teller('s1')
    startSession(to)
    startTurn(to, text)
    to.tell({ type: 'message', message: { role: 'assistant', content: text, reasoning: text } })
    tellCommand(to, 'c1', text, text)
    tellEdit(to, 'c2', text, [text], [text])
    to.tell({ type: 'notice', level: 'warn', code: 'x', text })
    to.tell({ type: 'error', error: { code: 'INTERNAL', message: text } })
    endTurn(to)
    const html = await made('html', to.events.filter(isDurable), { ...session, title: text, cwd: text })
    expect(html).not.toMatch(/<(?:script|img|svg|iframe|input|b>quote|link|object)/i)
    expect(html.match(/<style>/g)).toHaveLength(1)
    for (const tag of tags(html)) {
      expect(tag).not.toMatch(/\son[a-z]+=/i)
      const href = /href="([^"]*)"/.exec(tag)?.[1]
      if (href !== undefined) expect(href).toMatch(/^(?:https?:\/\/|mailto:)/)
    }
    // Every angle bracket belongs to a tag of ours.
    const rest = html.replace(/<!doctype html>|<\/?[a-z][a-z0-9]*(?:\s+[a-z-]+="[^"<>]*"|\s+open)*>/g, '')
    expect(
      rest.replace(/<style>[\s\S]*<\/style>/, '').replace(/:root\{[\s\S]*?pre\{max-height:none\}\}/, ''),
    ).not.toMatch(/[<\x1b\u202e]/)
  })
})

test('an address in HTML has nothing of the control characters around it', async () => {
  const to = teller('s1')
  startSession(to)
  startTurn(to, 'go')
  to.tell({
    type: 'message',
    message: { role: 'assistant', content: '\x1b]8;;https://a.example\x07words\x1b]8;;\x07 end' },
  })
  endTurn(to)
  const html = await made('html', to.events.filter(isDurable), session)
  expect(html).toContain('<p>words end</p>')
  expect(html).not.toContain('a.example')
})

test.each(['md', 'json', 'html'] as const)('secrets are in no %s', async (format) => {
  const to = teller('s1')
  const secret = `ghp_${'0123456789abcdefghij'.repeat(2).slice(0, 36)}`
  startSession(to)
  startTurn(to, `use ${secret}`)
  tellCommand(to, 'c1', `curl -H ${secret}`, secret)
  say(to, secret)
  endTurn(to)
  const text = await made(format, to.events.filter(isDurable), { ...session, title: secret })
  expect(text).not.toContain(secret)
  expect(text).toContain('redacted: GitHub token')
})

test('what stands in a Markdown fence cannot end it, and HTML in what was said stays text', async () => {
  const to = teller('s1')
  startSession(to)
  startTurn(to, 'look </details> # here')
  tellCommand(to, 'c1', 'cat x', '```\n# out\n````\nstill')
  endTurn(to)
  const text = await made('md', to.events.filter(isDurable))
  expect(text).toContain('`````\n```\n# out\n````\nstill\n`````')
  expect(text).toContain('> look \\</details> # here')
})
