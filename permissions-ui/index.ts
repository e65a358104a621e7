/** Everything a person decides with, and what every screen needs: sanitiser, cells, theme, keys. */
export * from './keys.ts'
export * from './theme.ts'
