// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what looks like a placeholder is shell code
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countRedactions, createRedactor, redactionMark } from './redact.ts'
import { secretShapes } from './secret-shapes.ts'

const redactor = createRedactor()
const word = (length: number, letters = 'Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z') =>
  letters.repeat(Math.ceil(length / letters.length)).slice(0, length)

/** Made up by their form; put together here so that no scanner takes this file for a leak. */
const secrets: [kind: string, text: string][] = [
  ['API key', `sk-${word(48)}`],
  ['API key', `sk-proj-${word(60)}_${word(40)}-x`],
  ['API key', `sk-ant-api03-${word(90)}-AA`],
  ['API key', `gsk_${word(52)}`],
  ['GitHub token', `ghp_${word(36)}`],
  ['GitHub token', `github_pat_${word(22)}_${word(59)}`],
  ['GitLab token', `glpat-${word(20)}`],
  ['AWS access key', `AKIA${word(16, 'ABCDEFGH234567')}`],
  ['Slack token', `xoxb-${word(12, '1234567890')}-${word(24)}`],
  ['Google API key', `AIza${word(35)}`],
  ['Google token', `ya29.${word(60)}`],
  ['JSON web token', `eyJ${word(20)}.eyJ${word(40)}.${word(43)}`],
  ['Stripe key', `sk_live_${word(24)}`],
  ['npm token', `npm_${word(36)}`],
  ['PyPI token', `pypi-${word(80)}`],
  ['Hugging Face token', `hf_${word(34)}`],
  ['SendGrid key', `SG.${word(22)}.${word(43)}`],
  ['DigitalOcean token', `dop_v1_${word(64, '0123456789abcdef')}`],
  ['Databricks token', `dapi${word(32, '0123456789abcdef')}`],
  ['Vault token', `hvs.${word(30)}`],
  ['Telegram token', `123456789:AA${word(33)}`],
]

describe('secrets of known shapes', () => {
  it.each(secrets)('%s %s', (kind, secret) => {
    for (const [before, after] of [
      ['', ''],
      ['key=', '\n'],
      ['"', '"'],
      ['token: ', ', next'],
      ['(', ')'],
      ['{"env":"A=1\\n', '\\n"}'],
      ['-', '\n+other'],
      ['?q=%3D', '&x=1'],
      ['export X=\u001b[1m', '\u001b[0m'],
    ] as const) {
      expect(redactor.text(before + secret + after)).toBe(before + redactionMark(kind) + after)
    }
  })

  it.each([
    ['aws_secret_access_key = ', `${word(40)}`, '\n', 'AWS secret key'],
    ['"secretAccessKey": "', `${word(38)}/+`, '"', 'AWS secret key'],
    ['https://hooks.slack.com/services/', `T000/B000/${word(24)}`, '', 'Slack webhook'],
    ['AccountKey=', `${word(86)}==`, ';', 'Azure key'],
    ['Authorization: Bearer ', word(40), '\r\n', 'bearer token'],
    ['postgres://ada:', 'correct-horse', '@db.example.org/x', 'password in a URL'],
  ])('%s… keeps what stands around it', (before, secret, after, kind) => {
    expect(redactor.text(before + secret + after)).toBe(before + redactionMark(kind) + after)
  })

  it.each([
    'sk-cube-grid-fading-animation-wide',
    'task-1234567890-abcdefghijklmnop',
    'a sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'https://example.org:8080/path@2x.png',
    'postgres://ada:${PASSWORD}@db/x',
    'Bearer authentication is described in RFC 6750',
    'the function ghp_ and AKIA and eyJ are mentioned',
    'xoxo-lovely-greetings-everyone',
    'see https://user@example.org/ and ada@example.org',
    'Telegram 12:AA',
    '',
  ])('"%s" is no secret', (text) => {
    expect(redactor.text(text)).toBe(text)
  })

  it('the hints of a shape stand in or before whatever it matches', () => {
    for (const [, secret] of secrets) {
      const text = `x ${secret}`
      for (const shape of secretShapes) {
        shape.pattern.lastIndex = 0
        if (shape.pattern.test(text)) expect(shape.hints.some((hint) => text.includes(hint))).toBe(true)
      }
    }
  })
})

const pem = ['-----BEGIN RSA PRIVATE KEY-----', word(64), word(64), `${word(30)}==`, '-----END RSA PRIVATE KEY-----']

describe('private keys', () => {
  const mark = redactionMark('private key')

  it('as files, in numbered listings, in diffs and in JSON strings', () => {
    expect(redactor.text(`a\n${pem.join('\n')}\nb`)).toBe(`a\n${mark}\nb`)
    const numbered = pem.map((line, i) => `${String(i + 1).padStart(5)}\t${line}`).join('\n')
    expect(redactor.text(`${numbered}\n    6\tafter`)).toBe(`    1\t${mark}\n    6\tafter`)
    expect(redactor.text(pem.map((line) => `+${line}`).join('\n'))).toBe(`+${mark}`)
    expect(redactor.text(JSON.stringify({ key: pem.join('\n'), id: 1 }))).toBe(`{"key":"${mark}","id":1}`)
  })

  it('that were cut off lose what looks like key material, and nothing after it', () => {
    expect(redactor.text(`${pem.slice(0, 3).join('\n')}\n… [40 lines left out]\nplain words`)).toBe(
      `${mark}\n… [40 lines left out]\nplain words`,
    )
    const text = 'Write "-----BEGIN PRIVATE KEY-----" on the first line.\nThen the rest.'
    expect(redactor.text(text)).toBe(`Write "${mark}" on the first line.\nThen the rest.`)
  })

  it('in the lines of a diff block leave as many lines as there were', () => {
    const lines = ['before', ...pem, 'after'].map((text, i) => ({ kind: 'add' as const, text, newLine: i + 1 }))
    const kept = redactor.value({ type: 'diff', lines })
    expect(kept.lines.map((line) => line.text)).toEqual(['before', ...pem.map(() => mark), 'after'])
    expect(kept.lines.map((line) => line.newLine)).toEqual([1, 2, 3, 4, 5, 6, 7])
  })
})

describe('keys in use', () => {
  it('never stay, even where shapes are left alone', () => {
    const keys = [
      { name: 'OPENAI_API_KEY', value: 'local-key-one' },
      { name: 'OTHER', value: 'local-key-one-and-more' },
      { name: 'SHORT', value: 'x' },
    ]
    const none = createRedactor({ keys, shapes: false })
    expect(none.text('local-key-one-and-more, local-key-one, x')).toBe(
      '[redacted: OTHER], [redacted: OPENAI_API_KEY], x',
    )
    expect(none.text(`ghp_${word(36)}`)).toBe(`ghp_${word(36)}`)
  })

  it('may hold characters that mean something in a replacement', () => {
    const some = createRedactor({ keys: [{ name: 'KEY$&', value: 'a$&b$1c(d)' }] })
    expect(some.text('<a$&b$1c(d)>')).toBe('<[redacted: KEY$&]>')
  })
})

it("a person's own expressions are applied too, and an empty match does nothing", () => {
  const own = createRedactor({ patterns: [/EMP-\d{6}/, /x*/i] })
  expect(own.text('id EMP-123456.')).toBe('id [redacted: own pattern].')
})

describe('records', () => {
  it('keep their structure, their ids and hashes, and the very object when there is nothing to redact', () => {
    const record = {
      v: 1,
      sessionId: 's_0123456789ab',
      ok: true,
      none: null,
      hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      call: { id: 'call_9a', name: 'bash', input: { command: 'ls' } },
      list: [1, 'two', { three: 3 }],
    }
    expect(redactor.value(record)).toBe(record)
    const secret = `ghp_${word(36)}`
    expect(
      redactor.value({ ...record, call: { ...record.call, input: { command: `curl ${secret}`, [secret]: 1 } } }),
    ).toEqual({
      ...record,
      call: { ...record.call, input: { command: 'curl [redacted: GitHub token]', '[redacted: GitHub token]': 1 } },
    })
  })

  it('tell what was left out of them', () => {
    const record = redactor.value([`ghp_${word(36)} ghp_${word(36)}`, { deep: pem.join('\n') }])
    expect([...countRedactions(record)]).toEqual([
      ['GitHub token', 2],
      ['private key', 1],
    ])
  })
})

it('redacting twice is redacting once, whatever the words', () => {
  const pieces = fc.oneof(
    fc.constantFrom(
      ...secrets.map(([, text]) => text),
      ...pem,
      ' ',
      '\n',
      '=',
      ':',
      '@',
      'https://a:',
      'Bearer ',
      '-',
      '[',
      ']',
    ),
    fc.string({ maxLength: 12 }),
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
      const once = redactor.text(parts.join(' '))
      expect(redactor.text(once)).toBe(once)
    }),
  )
})

it('in a long change one line with a secret is found, whether it is recorded once or twice', () => {
  const lines = Array.from({ length: 80 }, (_, i) => ({ kind: 'add', text: `line number ${i}`, newLine: i + 1 }))
  expect(redactor.value(lines)).toBe(lines)
  const secret = `ghp_${word(36)}`
  const leaking = lines.with(40, { kind: 'add', text: `token = ${secret}`, newLine: 41 })
  const event = { type: 'tool_proposed', blocks: [{ type: 'diff', diff: { hunks: [{ lines: leaking }] } }] }
  for (let time = 0; time < 2; time++) {
    const kept = redactor.value(event)
    expect(kept.blocks[0]?.diff.hunks[0]?.lines).toEqual(
      leaking.with(40, { kind: 'add', text: 'token = [redacted: GitHub token]', newLine: 41 }),
    )
  }
  const own = createRedactor({ patterns: [/^line number 7$/] })
  expect(own.value(lines)[7]?.text).toBe('[redacted: own pattern]')
  expect(
    createRedactor({ keys: [{ name: 'key', value: 'secret-line' }] })
      .value([...lines, { text: 'a secret-line' }])
      .at(-1),
  ).toEqual({
    text: 'a [redacted: key]',
  })
})

it('time grows with the length of the text only: no text of two million characters takes long', () => {
  const size = 2_000_000
  const hard = [
    ...secretShapes.flatMap((shape) => shape.hints),
    'sk-a',
    'eyJaaaaaaaa.eyJaaaaaaaa.',
    'eyJaaaaaaaaa',
    'aaaa://a:',
    'a://b:c',
    'a+',
    'secret_access_key=',
    'Bearer ',
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAAAA\n',
    '-----BEGIN A B C ',
    '-----END PRIVATE KEY-----',
    'SG.aaaaaaaaaaaaaaaaaaaa',
    '12345678',
    'AKIAAKIAAKIA',
    'A',
    ' ',
    '-',
  ]
  // Quadratic time would take hours.
  for (const piece of hard) redactor.text(piece.repeat(Math.ceil(size / piece.length)))
}, 120_000)
