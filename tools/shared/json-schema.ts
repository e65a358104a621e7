/** The one place where tool schemas (zod/v3) become JSON Schema, and where a model's input is checked against them. */
import type { InputSpec, Validation } from '@sluice/engine/ports'
import type { JsonSchema } from '@sluice/engine/protocol'
import { ZodFirstPartyTypeKind, type ZodIssue, type ZodTypeAny, type z } from 'zod/v3'
import { zodToJsonSchema } from 'zod-to-json-schema'
import { problemSentence, valueAt } from './input-problems.ts'

/**
 * The input of a tool. `validate` drops unknown keys, repairs what has one reading only (a list or object sent as
 * JSON text, a number sent as its decimal text, null for something optional) and otherwise answers with one sentence
 * per problem. Throws when the schema comes out without the properties that it was written with.
 */
export function zodInput<Schema extends ZodTypeAny>(schema: Schema): InputSpec<z.output<Schema>> {
  const jsonSchema = toJsonSchema(schema)
  return {
    jsonSchema,
    validate: (input): Validation<z.output<Schema>> => {
      const checked = parseRepaired(schema, input)
      if (checked.ok) return checked
      return {
        ok: false,
        problems: checked.issues.map((i) => problemSentence(i, checked.input, jsonSchema)).join('\n'),
      }
    },
  }
}

/** Draft 7 without `$schema` and `definitions`. Throws when properties got lost on the way. */
export function toJsonSchema(schema: ZodTypeAny): JsonSchema {
  const shape = objectShape(schema)
  if (!shape) {
    throw new Error(
      'A tool input must be an object schema of zod/v3. Schemas of zod 4 come out empty: import { z } from "zod/v3".',
    )
  }
  const { $schema: _dialect, ...json } = zodToJsonSchema(schema, { $refStrategy: 'none' }) as JsonSchema
  const got = Object.keys((json.properties ?? {}) as object)
  const lost = Object.keys(shape).filter((key) => !got.includes(key))
  if (lost.length > 0) {
    throw new Error(`The schema of a tool lost ${lost.join(', ')} on its way to JSON Schema; is a part of it zod 4?`)
  }
  refuseEmptyObjects(json.properties, '')
  return json
}

type Parsed<T> = { ok: true; value: T } | { ok: false; issues: ZodIssue[]; input: unknown }

function parseRepaired<Schema extends ZodTypeAny>(schema: Schema, input: unknown): Parsed<z.output<Schema>> {
  const root = { input: structuredClone(fromJsonText(input, 'object') ?? input) }
  // Each round can uncover problems one level deeper; tool inputs are a few levels deep.
  for (let round = 0; ; round++) {
    const result = schema.safeParse(root.input)
    if (result.success) return { ok: true, value: result.data }
    const { issues } = result.error
    // Unknown keys stay as long as something is missing: they tell what was probably meant.
    const onlyUnknown = issues.every((issue) => issue.code === 'unrecognized_keys')
    const repaired = issues.map((issue) => (onlyUnknown ? dropUnknown(root, issue) : repair(root, issue))).some(Boolean)
    if (!repaired || round === 8) return { ok: false, issues, input: root.input }
  }
}

function dropUnknown(root: { input: unknown }, issue: ZodIssue): boolean {
  if (issue.code !== 'unrecognized_keys') return false
  const owner = valueAt(root.input, issue.path) as Record<string, unknown>
  for (const key of issue.keys) delete owner[key]
  return true
}

/** Mends the value that an issue is about; false when it has no single reading. */
function repair(root: { input: unknown }, issue: ZodIssue): boolean {
  if (issue.path.length === 0) return false
  const key = issue.path[issue.path.length - 1] as string | number
  const owner = valueAt(root.input, issue.path.slice(0, -1))
  if (typeof owner !== 'object' || owner === null) return false
  if (issue.code !== 'invalid_type') return false
  const values = owner as Record<string | number, unknown>
  if (issue.received === 'null' && !Array.isArray(owner)) {
    delete values[key]
    return true
  }
  const mended = mend(values[key], issue.expected)
  if (mended === undefined) return false
  values[key] = mended
  return true
}

function mend(value: unknown, expected: string): unknown {
  if (typeof value !== 'string') return undefined
  if (expected === 'array' || expected === 'object') return fromJsonText(value, expected)
  if (expected === 'number' || expected === 'integer') return fromDecimalText(value)
  if (expected === 'boolean') return value === 'true' ? true : value === 'false' ? false : undefined
  return undefined
}

function fromJsonText(value: unknown, expected: 'array' | 'object'): unknown {
  if (typeof value !== 'string') return undefined
  const opening = value.trimStart()[0]
  if (opening !== (expected === 'array' ? '[' : '{')) return undefined
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}

function fromDecimalText(value: string): number | undefined {
  if (!/^-?(0|[1-9]\d*)(\.\d+)?$/.test(value)) return undefined
  const number = Number(value)
  // Beyond this a double no longer holds every whole number, so the text would silently change.
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER && value.length <= 17 ? number : undefined
}

/** The shape of a zod/v3 object, also under refinements and transforms; undefined for anything else. */
function objectShape(schema: ZodTypeAny): Record<string, unknown> | undefined {
  const definition = schema?._def as { typeName?: string; schema?: ZodTypeAny; shape?: () => Record<string, unknown> }
  if (definition?.typeName === ZodFirstPartyTypeKind.ZodEffects && definition.schema) {
    return objectShape(definition.schema)
  }
  return definition?.typeName === ZodFirstPartyTypeKind.ZodObject ? definition.shape?.() : undefined
}

function refuseEmptyObjects(node: unknown, path: string): void {
  if (typeof node !== 'object' || node === null) return
  const schema = node as JsonSchema
  const properties = schema.properties as object | undefined
  const open = typeof schema.additionalProperties === 'object' || schema.additionalProperties === true
  if (schema.type === 'object' && !open && Object.keys(properties ?? {}).length === 0) {
    throw new Error(`The schema of a tool has an object without properties at ${path}; is a part of it zod 4?`)
  }
  for (const [key, child] of Object.entries(node)) refuseEmptyObjects(child, path === '' ? key : `${path}.${key}`)
}
