/** Which secrets this process knows, so that they can be kept out of the records. */
import type { ModelSettings } from './models.ts'

/** Keys by the name of their variable, with their values. */
export function secretsInUse({
  env,
  apiKey,
}: Pick<ModelSettings, 'env' | 'apiKey'>): { name: string; value: string }[] {
  const secrets = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && isSecret(name, value) ? [{ name, value }] : [],
  )
  return apiKey === undefined ? secrets : [...secrets, { name: 'API key', value: apiKey }]
}

/** Keys of model providers always; other variables that are called like a secret and look like one. */
function isSecret(name: string, value: string): boolean {
  if (/(?:^|_)API_?KEY$/i.test(name)) return value.length >= 8
  return /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i.test(name) && looksRandom(value)
}

/** A word of one piece with letters and digits: what is replaced everywhere must not be an ordinary word or a path. */
function looksRandom(value: string): boolean {
  return (
    value.length >= 16 &&
    /^[\x21-\x7e]+$/.test(value) &&
    /\d/.test(value) &&
    /[a-z]/i.test(value) &&
    !value.startsWith('/')
  )
}
