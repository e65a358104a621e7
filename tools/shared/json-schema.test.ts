import { describe, expect, it } from 'vitest'
import { z as z4 } from 'zod'
import { type ZodTypeAny, z } from 'zod/v3'
import { toJsonSchema, zodInput } from './json-schema.ts'

const edit = zodInput(
  z.object({
    path: z.string().describe('The file.'),
    edits: z
      .array(z.object({ old_text: z.string(), new_text: z.string(), replace_all: z.boolean().optional() }))
      .min(1),
    limit: z.number().int().min(1).optional(),
    mode: z.enum(['fast', 'slow']).optional(),
  }),
)
const whole = { path: 'a.ts', edits: [{ old_text: 'a', new_text: 'b' }] }

describe('the JSON Schema of a tool', () => {
  it('holds every property, names the required ones and carries no dialect or definitions', () => {
    expect(edit.jsonSchema).toEqual({
      type: 'object',
      properties: {
        path: { type: 'string', description: 'The file.' },
        edits: {
          type: 'array',
          minItems: 1,
          items: {
            type: 'object',
            properties: {
              old_text: { type: 'string' },
              new_text: { type: 'string' },
              replace_all: { type: 'boolean' },
            },
            required: ['old_text', 'new_text'],
            additionalProperties: false,
          },
        },
        limit: { type: 'integer', minimum: 1 },
        mode: { type: 'string', enum: ['fast', 'slow'] },
      },
      required: ['path', 'edits'],
      additionalProperties: false,
    })
  })

  it('may be empty for a tool without input', () => {
    expect(toJsonSchema(z.object({}))).toEqual({ type: 'object', properties: {}, additionalProperties: false })
  })

  it('uses a shared part twice without references', () => {
    const part = z.object({ name: z.string() })
    expect(JSON.stringify(toJsonSchema(z.object({ a: part, b: part })))).not.toContain('$ref')
  })

  it.each([
    ['is zod 4', z4.object({ path: z4.string() }) as unknown as ZodTypeAny, /zod\/v3/],
    ['has a part of zod 4', z.object({ path: z4.string() as unknown as ZodTypeAny }), /lost path/],
    ['has an empty object inside', z.object({ list: z.array(z.object({})) }), /without properties at list\.items/],
    ['is no object', z.string(), /must be an object schema/],
  ])('cannot be made from a schema that %s', (_, schema, message) => {
    expect(() => zodInput(schema)).toThrow(message)
  })
})

describe('the check of an input', () => {
  it.each<[string, unknown, unknown]>([
    ['as it is', whole, whole],
    ['without unknown keys', { ...whole, explanation: 'because' }, whole],
    ['with a list sent as JSON text', { ...whole, edits: JSON.stringify(whole.edits) }, whole],
    [
      'with an object inside a list sent as JSON text',
      { path: 'a.ts', edits: [JSON.stringify(whole.edits[0])] },
      whole,
    ],
    ['with the whole input sent as JSON text', JSON.stringify(whole), whole],
    ['with a number sent as text', { ...whole, limit: '12' }, { ...whole, limit: 12 }],
    ['with null for something optional', { ...whole, limit: null }, whole],
    [
      'with true sent as text',
      { path: 'a.ts', edits: [{ old_text: 'a', new_text: 'b', replace_all: 'true' }] },
      { path: 'a.ts', edits: [{ old_text: 'a', new_text: 'b', replace_all: true }] },
    ],
    [
      'with JSON text kept as text where text is wanted',
      { path: 'a.ts', edits: [{ old_text: '[1]', new_text: '{"a":1}' }] },
      { path: 'a.ts', edits: [{ old_text: '[1]', new_text: '{"a":1}' }] },
    ],
  ])('accepts it %s', (_, input, value) => {
    expect(edit.validate(input)).toEqual({ ok: true, value })
  })

  it('leaves the input that it was given alone', () => {
    const input = { ...whole, edits: JSON.stringify(whole.edits) }
    edit.validate(input)
    expect(input.edits).toBe(JSON.stringify(whole.edits))
  })

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'The input must be an object, but nothing was sent.'],
    ['text', 'hello', 'The input must be an object, but the string "hello" was sent.'],
    ['a number for a path', { ...whole, path: 7 }, '`path` must be a string, but the number 7 was sent.'],
    ['a fraction', { ...whole, limit: 1.5 }, '`limit` must be a whole number, but the number 1.5 was sent.'],
    ['words for a number', { ...whole, limit: 'ten' }, '`limit` must be a number, but the string "ten" was sent.'],
    ['a padded number', { ...whole, limit: '012' }, '`limit` must be a number, but the string "012" was sent.'],
    [
      'a number too long for a double',
      { ...whole, limit: '9007199254740993' },
      '`limit` must be a number, but the string "9007199254740993" was sent.',
    ],
    ['zero', { ...whole, limit: 0 }, '`limit` must be at least 1, but the number 0 was sent.'],
    ['no edits', { ...whole, edits: [] }, '`edits` must have at least 1 entry, but an empty list was sent.'],
    ['broken JSON text', { ...whole, edits: '[{' }, '`edits` must be a list, but the string "[{" was sent.'],
    [
      'a word of no choice',
      { ...whole, mode: 'quick' },
      '`mode` must be one of "fast", "slow", but the string "quick" was sent.',
    ],
    ['a missing path', { edits: whole.edits }, '`path` is missing: it must be a string.'],
    ['null for a path', { ...whole, path: null }, '`path` is missing: it must be a string.'],
    [
      'a path under another name',
      { ...whole, path: undefined, file_path: 'a.ts' },
      '`path` is missing: it must be a string; `file_path` was sent, did you mean `path`?',
    ],
    [
      'keys of another spelling',
      { path: 'a.ts', edits: [{ oldText: 'a', newText: 'b' }] },
      '`edits[0].old_text` is missing: it must be a string; `oldText` was sent, did you mean `old_text`?\n' +
        '`edits[0].new_text` is missing: it must be a string; `newText` was sent, did you mean `new_text`?',
    ],
    [
      'keys that resemble nothing',
      { ...whole, path: undefined, target: 'a.ts' },
      '`path` is missing: it must be a string; unknown keys were sent: `target`.',
    ],
  ])('says what is wrong with %s', (_, input, problems) => {
    expect(edit.validate(input)).toEqual({ ok: false, problems })
  })

  it('drops unknown keys of a strict schema, unless they tell what is missing', () => {
    const strict = zodInput(z.object({ path: z.string() }).strict())
    expect(strict.validate({ path: 'a', mode: 1 })).toEqual({ ok: true, value: { path: 'a' } })
    expect(strict.validate({ paths: 'a' })).toEqual({
      ok: false,
      problems:
        '`path` is missing: it must be a string; `paths` was sent, did you mean `path`?\nThe input has unknown keys: `paths`.',
    })
  })

  it('says why no form of a union fits', () => {
    const union = zodInput(z.object({ at: z.union([z.number(), z.boolean()]) }))
    expect(union.validate({ at: 'x' })).toEqual({
      ok: false,
      problems:
        '`at` fits none of its forms: `at` must be a number, but the string "x" was sent. `at` must be true or false, but the string "x" was sent.',
    })
  })
})
