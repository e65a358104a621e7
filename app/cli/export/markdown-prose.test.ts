import { expect, test } from 'vitest'
import { proseText } from './markdown-prose.ts'

test.each([
  ['a <b>x</b> and <!-- y --> <?z> are text', 'a \\<b>x\\</b> and \\<!-- y --> \\<?z> are text'],
  ['`<i>` and ``<u>`` are code', '`<i>` and ``<u>`` are code'],
  ['code `over\n<b> lines` too', 'code `over\n<b> lines` too'],
  ['a ` alone is none <b>\n\nnext ` <i>', 'a ` alone is none \\<b>\n\nnext ` \\<i>'],
  ['an escaped \\`<b>` is none, \\<b> stays', 'an escaped \\`\\<b>` is none, \\<b> stays'],
  ['<https://example.org/a> is a link, 1 < 2 a comparison', '<https://example.org/a> is a link, 1 < 2 a comparison'],
  ['</details> ends nothing', '\\</details> ends nothing'],
])('of %j the HTML is text', (text, safe) => {
  expect(proseText(text)).toBe(safe)
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
