/** Reads a table by a name that a stranger chose: `constructor` is not an entry. */
export function entry<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}
