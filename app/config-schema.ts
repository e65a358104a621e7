/** The shape of the config file; loaded only when there is one. */
import { z } from 'zod/v3'

const price = z.object({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cachedInput: z.number().nonnegative().optional(),
})

/** Names and addresses without scheme, port or wildcard. */
const hostName = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])$/i

/** The themes of permissions-ui, which would be a lot to load for a run without a screen; a test compares the two. */
const themeName = /^\s*(?:auto|dark|light|ansi|high[- _]contrast|colou?r[- _]blind)\s*$/i

export const configSchema = z.object({
  model: z.string().optional(),
  baseUrl: z.string().url().optional(),
  permissionMode: z.enum(['default', 'accept-edits', 'plan', 'yolo']).optional(),
  maxTurns: z.number().int().positive().optional(),
  maxCostUsd: z.number().positive().optional(),
  timeoutSeconds: z.number().positive().optional(),
  theme: z.string().regex(themeName, 'there are auto, dark, light, ansi, high-contrast and color-blind').optional(),
  ascii: z.boolean().optional(),
  keys: z.record(z.record(z.union([z.string(), z.array(z.string())]))).optional(),
  reducedMotion: z.boolean().optional(),
  mouse: z.boolean().optional(),
  notifications: z.enum(['auto', 'off', 'bell', 'osc9', 'osc777']).optional(),
  sandbox: z.enum(['off', 'on', 'required']).optional(),
  sandboxNetwork: z
    .array(z.string().regex(hostName, 'write host names in full, such as registry.npmjs.org'))
    .optional(),
  sessions: z
    .object({
      maxAgeDays: z.number().positive().optional(),
      maxTotalMb: z.number().positive().optional(),
      keepPinned: z.boolean().optional(),
      trashDays: z.number().nonnegative().optional(),
    })
    .strict()
    .optional(),
  models: z
    .record(
      z.object({
        contextWindow: z.number().int().positive().optional(),
        maxOutputTokens: z.number().int().positive().optional(),
        price: price.optional(),
      }),
    )
    .optional(),
  redact: z.union([z.boolean(), z.array(z.string().refine(isExpression, 'it is no regular expression'))]).optional(),
  // Read by the rule store, which checks every rule and names its line.
  permissions: z
    .object({
      allow: z.array(z.unknown()).optional(),
      ask: z.array(z.unknown()).optional(),
      deny: z.array(z.unknown()).optional(),
    })
    .optional(),
})

function isExpression(text: string): boolean {
  try {
    new RegExp(text)
    return true
  } catch {
    return false
  }
}
