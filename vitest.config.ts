import { defineConfig } from 'vitest/config'
import { findMissingPrograms } from './test/support/missing-programs.ts'

const JOURNEYS = 'test/journeys/**/*.test.ts'

const missing = findMissingPrograms()
for (const line of missing.lines) process.stderr.write(`${line}\n`)
if (missing.isFatal) process.exit(1)

export default defineConfig({
  test: {
    globalSetup: ['test/support/postgres.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    projects: [
      { extends: true, test: { name: 'tests', include: ['test/**/*.test.ts'], exclude: [JOURNEYS, ...missing.tests], maxWorkers: 2 } },
      // The journeys start whole services and kill them: after everything else, one file at a time, so that the machine is theirs alone.
      { extends: true, test: { name: 'journeys', include: [JOURNEYS], maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
})
