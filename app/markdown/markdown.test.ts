import { cellWidth, darkTheme, rowText, type StyledRow, type Theme } from '@sluice/permissions-ui'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { codeBlocks, parseMarkdown } from './document.ts'
import { loadLexer } from './lexer.ts'
import { type MarkdownRows, markdownRows } from './markdown-rows.ts'

beforeAll(loadLexer)

const plain: Theme = { ...darkTheme, color: false }

function shown(text: string, width = 40): string[] {
  return markdownRows(text, width, plain).rows.map((row) => rowText(row).trimEnd())
}

function styles(row: StyledRow | undefined): unknown[] {
  return (row?.spans ?? []).map(({ text, bold, italic, underline, dim }) => [text, { bold, italic, underline, dim }])
}

const off = { bold: undefined, italic: undefined, underline: undefined, dim: undefined }

describe('blocks', () => {
  test('headings, paragraphs, lists, quotes, rules and code have their looks', () => {
    const text = [
      '# Totals',
      'One *two*',
      'three.',
      '',
      '- first',
      '  - nested one',
      '- [x] done',
      '- [ ] open',
      '',
      '3. three',
      '4. four',
      '',
      '> quoted words',
      '> - and a list',
      '',
      '***',
      '```ts',
      'const a = 1',
      '',
      'return a',
      '```',
    ].join('\n')
    expect(shown(text)).toMatchInlineSnapshot(`
      [
        "Totals",
        "",
        "One two three.",
        "",
        "• first",
        "  • nested one",
        "• [x] done",
        "• [ ] open",
        "",
        "3. three",
        "4. four",
        "",
        "│ quoted words",
        "│",
        "│ • and a list",
        "",
        "────────────────────────────────────────",
        "",
        "  const a = 1",
        "",
        "  return a",
      ]
    `)
  })

  test('inline styles are kept across the break of a row', () => {
    const { rows } = markdownRows('a **bold and *both* here** `code x` ~~gone~~ end', 14, darkTheme)
    expect(rows.map((row) => rowText(row))).toEqual(['a bold and', 'both here code', 'x ~gone~ end'])
    expect(styles(rows[0])).toEqual([
      ['a ', off],
      ['bold and', { ...off, bold: true }],
    ])
    expect(styles(rows[1])?.slice(0, 2)).toEqual([
      ['both', { ...off, bold: true, italic: true }],
      [' here', { ...off, bold: true }],
    ])
  })

  test('a link shows its target unless that is its text', () => {
    expect(shown('see [docs](https://example.org/a) or <https://b.example>', 80)).toEqual([
      'see docs (https://example.org/a) or https://b.example',
    ])
  })

  test('HTML and entities are text; named entities become their character, numbers do not', () => {
    expect(shown('<b onclick="x">hi</b>\n\na &lt;b&gt; &amp;&#27;[2J &#x1b;c', 60)).toEqual([
      '<b onclick="x">hi</b>',
      '',
      'a <b> &&#27;[2J &#x1b;c',
    ])
  })

  test('code is cut at the width and never re-flowed', () => {
    expect(shown('```\nab cd ef gh ij\n```', 10)).toEqual(['  ab cd ef', '·  gh ij'])
  })
})

describe('tables', () => {
  const table = '| name | count | note |\n|:--|--:|:-:|\n| apples | 3 | red |\n| pears | 12 | green and yellow |'
  test('are aligned where they fit', () => {
    expect(shown(table, 60)).toEqual([
      'name   │ count │       note',
      '─────────────────────────────────',
      'apples │     3 │       red',
      'pears  │    12 │ green and yellow',
    ])
  })
  test('wrap their widest column where they nearly fit', () => {
    expect(shown(table, 26)).toEqual([
      'name   │ count │   note',
      '──────────────────────────',
      'apples │     3 │    red',
      'pears  │    12 │ green and',
      '       │       │  yellow',
    ])
  })
  test('are stacked where they do not fit', () => {
    expect(shown(table, 16)).toEqual([
      'name: apples',
      'count: 3',
      'note: red',
      '───',
      'name: pears',
      'count: 12',
      'note: green and',
      'yellow',
    ])
  })
})

const nasty = fc.string({
  unit: fc.constantFrom(
    ...[
      '`',
      '```',
      '*',
      '**',
      '_',
      '~~',
      '#',
      '>',
      '- ',
      '1. ',
      '|',
      '|---|',
      '\n',
      '\n\n',
      '  ',
      '    ',
      '[',
      '](',
      ')',
      '<',
      '>',
      '&',
      '\\',
    ],
    ...[
      '\x1b[31m',
      '\x1b]52;c;eA==\x07',
      '\r',
      '\t',
      '\u202e',
      '\u200b',
      '👨‍👩‍👧',
      '漢字',
      'e\u0301',
      'word',
      'http://x.y/',
      '&#27;[2J',
      '&#x9b;',
      '&#8238;',
      '&lt;',
      '![',
      '---',
      '\x00',
    ],
  ),
  maxLength: 60,
})

describe('any text at all', () => {
  test('never throws, never exceeds the width, and lets no control character through', () => {
    fc.assert(
      fc.property(nasty, fc.integer({ min: 1, max: 50 }), (text, width) => {
        for (const row of markdownRows(text, width, darkTheme).rows) {
          const line = rowText(row)
          expect(line).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b]/)
          if (width >= 4) expect(cellWidth(line)).toBeLessThanOrEqual(width)
        }
      }),
      { numRuns: 500 },
    )
  })

  test('while it grows, the rows are those of the whole text so far', () => {
    fc.assert(
      fc.property(fc.array(nasty, { maxLength: 6 }), fc.integer({ min: 8, max: 50 }), (parts, width) => {
        let text = ''
        let before: MarkdownRows | undefined
        for (const part of parts) {
          text += part
          before = markdownRows(text, width, darkTheme, { before, streaming: true })
          expect(before.rows).toEqual(markdownRows(text, width, darkTheme).rows)
        }
      }),
      { numRuns: 300 },
    )
  })

  test('deep nesting stays within its bounds', () => {
    const deep = `${'> '.repeat(200)}deep`
    expect(() => markdownRows(deep, 40, darkTheme)).not.toThrow()
    expect(() => markdownRows(`${'- '.repeat(300)}deep`, 40, darkTheme)).not.toThrow()
    expect(() => markdownRows(`${'*'.repeat(3_000)}deep`, 40, darkTheme)).not.toThrow()
  })
})

describe('streaming', () => {
  const answer = Array.from({ length: 60 }, (_, i) => `## Part ${i}\n\nSome **words** about it.\n\n- a\n- b`).join(
    '\n\n',
  )

  test('reads only the last block again, and keeps the rows of all others', () => {
    let before: MarkdownRows | undefined
    for (let at = 0; at < answer.length; at += 7)
      before = markdownRows(answer.slice(0, at), 60, darkTheme, { before, streaming: true })
    const last = markdownRows(answer, 60, darkTheme, { before, streaming: true })
    expect(last.document.source.length - last.document.stable).toBeLessThan(20)
    expect(last.rows).toEqual(markdownRows(answer, 60, darkTheme).rows)
    const next = markdownRows(`${answer} and c`, 60, darkTheme, { before: last, streaming: true })
    const kept = next.rows.filter((row, i) => row === last.rows[i]).length
    expect(next.rows.length - kept).toBe(1)
  })

  test('a long code block keeps the rows above its end, and is what it would be whole once it is finished', () => {
    const code = Array.from({ length: 400 }, (_, i) => `const a${i} = ${i}`).join('\n')
    let before: MarkdownRows | undefined
    for (let at = 0; at < code.length; at += 50) {
      before = markdownRows(`intro\n\n\`\`\`ts\n${code.slice(0, at)}`, 60, darkTheme, { before, streaming: true })
    }
    const last = markdownRows(`intro\n\n\`\`\`ts\n${code}`, 60, darkTheme, { before, streaming: true })
    expect(last.growing?.lines).toBeGreaterThan(300)
    expect(last.rows.map(rowText)).toEqual(['intro', '', ...code.split('\n').map((line) => `  ${line}`)])
    const text = `intro\n\n\`\`\`ts\n${code}\n\`\`\`\n\nend`
    const done = markdownRows(text, 60, darkTheme, { before: last })
    expect(done.rows).toEqual(markdownRows(text, 60, darkTheme).rows)
  })

  test('the same text is not read twice', () => {
    const first = parseMarkdown('a\n\nb')
    expect(parseMarkdown('a\n\nb', first)).toBe(first)
  })
})

test('code blocks are found for copying, fences and languages apart', () => {
  expect(codeBlocks('x\n\n```sh\nnpm test\n```\n\n    indented\n')).toEqual([
    { language: 'sh', text: 'npm test' },
    { language: '', text: 'indented' },
  ])
})
