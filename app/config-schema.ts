/** The shape of the config file; loaded only when there is one. */
import { z } from 'zod/v3'

const price = z.object({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cachedInput: z.number().nonnegative().optional(),
})

export const configSchema = z.object({
  model: z.string().optional(),
  baseUrl: z.string().url().optional(),
  permissionMode: z.enum(['default', 'accept-edits', 'plan', 'yolo']).optional(),
  maxTurns: z.number().int().positive().optional(),
  maxCostUsd: z.number().positive().optional(),
  timeoutSeconds: z.number().positive().optional(),
  theme: z.string().optional(),
  keys: z.record(z.record(z.union([z.string(), z.array(z.string())]))).optional(),
  reducedMotion: z.boolean().optional(),
  mouse: z.boolean().optional(),
  notifications: z.enum(['off', 'bell', 'osc9', 'osc777']).optional(),
  models: z
    .record(
      z.object({
        contextWindow: z.number().int().positive().optional(),
        maxOutputTokens: z.number().int().positive().optional(),
        price: price.optional(),
      }),
    )
    .optional(),
  // Read by the rule store, which checks every rule and names its line.
  permissions: z
    .object({
      allow: z.array(z.unknown()).optional(),
      ask: z.array(z.unknown()).optional(),
      deny: z.array(z.unknown()).optional(),
    })
    .optional(),
})
