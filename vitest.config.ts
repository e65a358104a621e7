import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{engine,tools,permissions-ui,app,fixtures}/**/*.test.{ts,tsx}'],
    exclude: ['**/node_modules/**', 'fixtures/workspaces/**', 'app/dist/**'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
  },
})
