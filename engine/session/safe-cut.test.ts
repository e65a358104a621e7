import { describe, expect, it } from 'vitest'
import { createRedactor } from './redact.ts'
import { safeCut } from './safe-cut.ts'

const key = `-----BEGIN PRIVATE KEY-----\n${'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0NTY3ODkw\n'.repeat(6)}-----END PRIVATE KEY-----`
const token = 'ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1v'

describe('a text that grows', () => {
  it.each([
    ['words with a bl', 'words with a '],
    ['a line\nand the nex', 'a line\nand the '],
    ['one_long_word', ''],
    ['一二三abc', '一二三'],
    ['one \ud83d', 'one '],
    ['one \ud83d\ude00', 'one \ud83d\ude00'],
    ['', ''],
    ['send Bearer abc', 'send '],
    ['SECRET_ACCESS_KEY = wJal', ''],
    ['then secret_key: "x', 'then '],
    [`see\n${key.slice(0, 90)}`, 'see\n'],
    [`${key} and then m`, `${key} and then `],
  ])('%j may be cut behind %j', (text, before) => expect(text.slice(0, safeCut(text))).toBe(before))

  it('is cut so that no part of a secret stays, wherever it has got to', () => {
    const redactor = createRedactor()
    const aws = 'wJalrXUtnFEMI0K7MDENG0bPxRfiCYEXAMPLEKEY'
    const whole = `Use ${token} here, or "Authorization: Bearer ${token}x" and aws_secret_access_key = ${aws} or\n${key}\nand that is all.`
    for (let end = 1; end <= whole.length; end++) {
      const at = safeCut(whole.slice(0, end))
      const kept = redactor.text(whole.slice(0, at)) + redactor.text(whole.slice(at))
      for (const secret of [token, aws, 'QUJDREVG']) expect(kept).not.toContain(secret.slice(0, 12))
    }
  })
})
