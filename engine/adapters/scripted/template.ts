/** Puts captured values into what a script says and calls. */

/** Replaces `{{name}}` in every string of `value`; `missing` names the first that was never captured. */
export function fill(
  value: unknown,
  variables: { readonly [name: string]: string },
): { value: unknown; missing?: string } {
  let missing: string | undefined
  const go = (item: unknown): unknown => {
    if (typeof item === 'string') {
      return item.replace(/\{\{(\w+)\}\}/g, (_whole, name: string) => {
        const known = variables[name]
        if (known === undefined) missing ??= name
        return known ?? ''
      })
    }
    if (Array.isArray(item)) return item.map(go)
    if (typeof item !== 'object' || item === null) return item
    return Object.fromEntries(Object.entries(item).map(([key, inner]) => [key, go(inner)]))
  }
  const filled = go(value)
  return missing === undefined ? { value: filled } : { value: filled, missing }
}
