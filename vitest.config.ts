import { availableParallelism, tmpdir } from 'node:os'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'
import { memoryFolder } from './test/support/processes/memory-folder.ts'
import { findMissingPrograms } from './test/support/processes/missing-programs.ts'

const JOURNEYS = 'test/journeys/**/*.test.ts'
/** Much of what needs no other process, no browser and no kill: for daily work. The continuous integration runs it 400 days ahead. */
const QUICK = [
  'test/{lib,mail,schemas}/**/*.test.ts',
  'test/services/{accept-email,save-segment}.test.ts',
  'test/repositories/**/{accept-emails,deliveries-claims,deliveries-settling,sessions,sweep-clock}.test.ts',
  'test/routes/!(health|segment-contacts|contact-imports*).test.ts',
  'test/pages/**/!(shares|unsubscribe-often).test.ts',
  'test/workers/any-day.test.ts',
]

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
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Whatever is waited for may take long on a busy machine.
    expect: { poll: { timeout: 45_000 } },
    // Files share what they import; each has a database of its own, and leaves nothing in a module that another file could meet.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: 'quick', include: QUICK, maxWorkers: QUICK_WORKERS } },
      // Vitest wants one number of workers in a group.
      {
        extends: true,
        test: {
          name: 'slow',
          include: ['test/**/*.test.ts'],
          exclude: [...QUICK, JOURNEYS, ...missing.tests],
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
