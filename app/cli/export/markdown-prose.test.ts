import { expect, test } from 'vitest'
import { proseText } from './markdown-prose.ts'

test.each([
  ['a <b>x</b> and <!-- y --> <?z> are text', 'a \\<b>x\\</b> and \\<!-- y --> \\<?z> are text'],
  ['`<i>` and ``<u>`` are code', '`<i>` and ``<u>`` are code'],
  // A heading, a list or a table could begin in between, and then it is none.
  ['code `over\n<b> lines` too', 'code `over\n\\<b> lines` too'],
  ['a `\n# <img src=x> `', 'a `\n# \\<img src=x> `'],
  ['` x\ny ` <img src=x> ` z', '` x\ny ` \\<img src=x> ` z'],
  ['a | b\n--|--\n` | <img src=x> `', 'a | b\n--|--\n` | \\<img src=x> `'],
  ['a ` alone is none <b>\n\nnext ` <i>', 'a ` alone is none \\<b>\n\nnext ` \\<i>'],
  ['an escaped \\`<b>` is none, \\<b> stays', 'an escaped \\`\\<b>` is none, \\<b> stays'],
  ['<https://example.org/a> is a link, 1 < 2 a comparison', '<https://example.org/a> is a link, 1 < 2 a comparison'],
  ['</details> ends nothing', '\\</details> ends nothing'],
])('of %j the HTML is text', (text, safe) => {
  expect(proseText(text)).toBe(safe)
})

test.each([
  ['![x](https://a.example/x.png)', '\\![x](https://a.example/x.png)'],
  [
    '[![x][1]](https://a.example)\n\n[1]: https://a.example/x.png',
    '[\\![x][1]](https://a.example)\n\n[1]: https://a.example/x.png',
  ],
  ['`![x](y)` and \\![x](y) are none', '`![x](y)` and \\![x](y) are none'],
])('of %j an image is a link, which nothing loads', (text, safe) => {
  expect(proseText(text)).toBe(safe)
})

test.each([
  ['[x](javascript:alert(1))', '[x]\\(javascript:alert(1))'],
  ['[x](java&#115;cript:alert(1))', '[x]\\(java&#115;cript:alert(1))'],
  ['[x](< javascript:alert(1)>)', '[x]\\(< javascript:alert(1)>)'],
  ['[x](\n data:text/html,y)', '[x]\\(\n data:text/html,y)'],
  ['[x](file:///etc/passwd "words")', '[x]\\(file:///etc/passwd "words")'],
  ['[x]\n\n[x]: vbscript:y', '[x]\n\n[x]\\: vbscript:y'],
  ['> [x]:\n> javascript:y', '> [x]\\:\n> javascript:y'],
  ['`[x](javascript:y)` is code', '`[x](javascript:y)` is code'],
])('in %j a link to what is no page is text', (text, safe) => {
  expect(proseText(text)).toBe(safe)
})

test.each([
  '[a](https://a.example/b:c?d=e&f) [b](mailto:a@a.example) [c](./d.md#e:f "t") [g](#h)',
  '[a]: https://a.example/b',
  'row[i]: what, and [x] or (y): z',
])('links to pages and files stay: %j', (text) => {
  expect(proseText(text)).toBe(text)
})

test.each([
  ['x\n```js\nlet <b>', 'x\n```js\nlet <b>\n```'],
  ['````\n```\n<b>', '````\n```\n<b>\n````'],
  ['~~~\n```\n<b>\n~~~\n<i>', '~~~\n```\n<b>\n~~~\n\\<i>'],
  ['- a\n  ```js\n  <b>', '- a\n  ```js\n  <b>\n  ```'],
  ['1. a\n\n   ```\n   <b>\n   ```\n   <i>', '1. a\n\n   ```\n   <b>\n   ```\n   \\<i>'],
  ['- ```\n  <b>', '- ```\n  <b>\n  ```'],
  ['> ```\n> <b>', '> ```\n> <b>\n> ```'],
  ['> ```\n> <b>\nout <i>', '> ```\n> <b>\nout \\<i>'],
  ['```a`b <b>', '```a`b \\<b>'],
  ['    ```\n<b>', '```\n<b>\n```'],
])('a fence in %j ends with the text, and code in it stays as it is', (text, whole) => {
  expect(proseText(text)).toBe(whole)
})
