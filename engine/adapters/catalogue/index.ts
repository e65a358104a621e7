/** What is publicly known of the providers' models: window, answer limit and list price; pure data. */

/** US dollars per million tokens. */
export type ModelPrice = { input: number; cachedInput?: number; output: number }

export type CatalogueModel = {
  id: string
  adapter: 'openai-chat' | 'anthropic'
  /** Tokens that prompt and answer may have together. */
  contextWindow: number
  maxOutputTokens?: number
  /** Absent where the list price is not one figure (tiers by length) or not known for sure. */
  price?: ModelPrice
}

export type Provider = 'openai' | 'anthropic'

const openai: readonly CatalogueModel[] = [
  chat('gpt-5.2', 400_000, 128_000, { input: 1.75, cachedInput: 0.175, output: 14 }),
  chat('gpt-5.1', 400_000, 128_000, { input: 1.25, cachedInput: 0.125, output: 10 }),
  chat('gpt-5-mini', 400_000, 128_000, { input: 0.25, cachedInput: 0.025, output: 2 }),
  chat('gpt-5-nano', 400_000, 128_000, { input: 0.05, cachedInput: 0.005, output: 0.4 }),
  chat('gpt-4.1', 1_047_576, 32_768, { input: 2, cachedInput: 0.5, output: 8 }),
  chat('gpt-4.1-mini', 1_047_576, 32_768, { input: 0.4, cachedInput: 0.1, output: 1.6 }),
  chat('gpt-4o', 128_000, 16_384, { input: 2.5, cachedInput: 1.25, output: 10 }),
  chat('gpt-4o-mini', 128_000, 16_384, { input: 0.15, cachedInput: 0.075, output: 0.6 }),
  chat('o3', 200_000, 100_000, { input: 2, cachedInput: 0.5, output: 8 }),
  chat('o4-mini', 200_000, 100_000, { input: 1.1, cachedInput: 0.275, output: 4.4 }),
  chat('gpt-6-sol', 1_050_000, 128_000),
  chat('gpt-6.2-sol', 1_050_000, 128_000),
]

const anthropic: readonly CatalogueModel[] = [
  claude('claude-opus-4-5', 200_000, 64_000, { input: 5, cachedInput: 0.5, output: 25 }),
  claude('claude-sonnet-4-5', 200_000, 64_000, { input: 3, cachedInput: 0.3, output: 15 }),
  claude('claude-haiku-4-5', 200_000, 64_000, { input: 1, cachedInput: 0.1, output: 5 }),
  claude('claude-opus-5-5', 1_000_000, 128_000, { input: 4, cachedInput: 0.2, output: 20 }),
]

/** All known models, each provider's preferred one first. */
export const catalogue: readonly CatalogueModel[] = [...openai, ...anthropic]

/** The window that is assumed of a model nobody knows. */
export const unknownWindow = 128_000

/**
 * The model of that name. A dated snapshot is its model; the same model behind another host (`openai/gpt-4o`) has its
 * window but not its price; an unknown name gets a cautious window and neither limit nor price.
 */
export function findModel(id: string): CatalogueModel {
  const known = exact(id) ?? exact(undated(id))
  if (known) return { ...known, id }
  const elsewhere = exact(undated(id.slice(id.lastIndexOf('/') + 1)))
  if (!elsewhere) return { id, adapter: 'openai-chat', contextWindow: unknownWindow }
  const { price: _ours, ...rest } = elsewhere
  return { ...rest, id, adapter: 'openai-chat' }
}

/** The model to take when a key of that provider is there and nothing else is said. */
export function firstModelFor(provider: Provider): CatalogueModel {
  const [first] = provider === 'openai' ? openai : anthropic
  if (!first) throw new Error(`the catalogue has no model of ${provider}`)
  return first
}

function exact(id: string): CatalogueModel | undefined {
  return catalogue.find((model) => model.id === id)
}

/** `gpt-4o-2024-11-20` and `claude-haiku-4-5-20251001` without their dates; the one snapshot that was dearer stays as it is. */
function undated(id: string): string {
  return id === 'gpt-4o-2024-05-13' ? id : id.replace(/-(\d{4}-\d{2}-\d{2}|\d{8}|latest)$/, '')
}

function chat(id: string, contextWindow: number, maxOutputTokens: number, price?: ModelPrice): CatalogueModel {
  return { id, adapter: 'openai-chat', contextWindow, maxOutputTokens, ...(price ? { price } : {}) }
}

function claude(id: string, contextWindow: number, maxOutputTokens: number, price?: ModelPrice): CatalogueModel {
  return { id, adapter: 'anthropic', contextWindow, maxOutputTokens, ...(price ? { price } : {}) }
}
