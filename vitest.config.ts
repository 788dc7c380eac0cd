import { availableParallelism, tmpdir } from 'node:os'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'
import { findMissingPrograms, memoryFolder } from './test/support/processes/machine.ts'

/** The others start no process: they are among the tests that have loaded the service anyway. */
const JOURNEYS = 'test/journeys/!({audience,broadcast,people,returned-mail,code-samples}.test.ts)'
/** Much of what needs no other process, no browser and no kill: for daily work. The continuous integration runs it 400 days ahead. */
const QUICK = [
  'test/{lib,mail}/**/*.test.ts',
  'test/{http,modules}/**/!(*.repository|*.worker|*.server|*.client|*.service|health.routes|segment-contacts.routes|contact-imports*|shares|unsubscribe-often).test.ts',
  'test/modules/**/{accept-email.service,save-segment.service,accept-emails.repository,deliveries-claims.repository,deliveries-settling.repository,sessions.repository}.test.ts',
  'test/house/tables.test.ts',
  'test/db/jobs/sweep-clock.test.ts',
  'test/server/any-day.worker.test.ts',
]

/** Measures how long the main thread is kept. Each has its own process: garbage of other files is collected within turns too, and that time cannot be told apart. */
const TURNS = ['test/modules/**/*stalls.server.test.ts']

/** What holds everywhere: a part of `npm run check`. The readers of long texts alone take as long as all others. */
const HOUSE = ['test/house/!(linear-work).test.ts']

/** Most files wait for a browser or another process now and then. */
const WORKERS = 2 * availableParallelism()
/** The quick ones wait for little. Each worker compiles for itself what it runs, so more of them would take longer. */
const QUICK_WORKERS = availableParallelism() + 1
/** The journeys wait for what they killed to come back: on two cores, four at once left a seventh of the machine idle, and six hardly any of it. Each has a whole service. */
const JOURNEY_WORKERS = Math.min(3 * availableParallelism(), 12)

// Unless someone chose another.
process.env.TMPDIR ??= memoryFolder() ?? tmpdir()

const missing = findMissingPrograms()
for (const line of missing.lines) process.stderr.write(`${line}\n`)
if (missing.isFatal) process.exit(1)

export default defineConfig({
  test: {
    globalSetup: ['test/support/servers/postgres.ts'],
    setupFiles: ['test/support/property-seed.ts'],
    // For a test that hangs. On a busy machine those in a browser take a minute each.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 90_000 } },
    // Files share what they import; each has a database of its own, and leaves nothing in a module that another file could meet.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: 'quick', include: QUICK, maxWorkers: QUICK_WORKERS } },
      {
        extends: true,
        test: { name: 'house', include: HOUSE, exclude: missing.tests, maxWorkers: QUICK_WORKERS, sequence: { groupOrder: 3 } },
      },
      // Vitest wants one number of workers in a group.
      {
        extends: true,
        test: { name: 'turns', include: TURNS, exclude: missing.tests, isolate: true, maxWorkers: WORKERS, sequence: { groupOrder: 1 } },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: ['test/**/*.test.ts'],
          exclude: [...QUICK, ...HOUSE, ...TURNS, JOURNEYS, ...missing.tests],
          maxWorkers: WORKERS,
          sequence: { groupOrder: 1 },
        },
      },
      // The journeys start whole services and kill them: after everything else.
      {
        extends: true,
        test: {
          name: 'journeys',
          include: [JOURNEYS],
          exclude: missing.tests,
          testTimeout: 300_000,
          maxWorkers: JOURNEY_WORKERS,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
