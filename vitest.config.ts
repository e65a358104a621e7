import { defineConfig } from 'vitest/config'
import { virtualModulesForVite } from './app/build/virtual.ts'

export default defineConfig({
  plugins: [virtualModulesForVite(import.meta.dirname)],
  test: {
    include: ['{engine,tools,permissions-ui,app,fixtures}/**/*.test.{ts,tsx}'],
    exclude: ['**/node_modules/**', 'fixtures/workspaces/**', 'app/dist/**'],
    setupFiles: ['fixtures/seed.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Half of the tests wait for processes and terminals most of their time.
    maxWorkers: '100%',
    // .ci/run takes its last line from the report.
    reporters: ['default', ['json', { outputFile: 'node_modules/.cache/vitest-report.json' }]],
  },
})
