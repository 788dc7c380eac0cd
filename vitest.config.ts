import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/postgres.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // The journeys start whole services; the machine has to be theirs alone while they run.
    maxWorkers: 2,
  },
})
