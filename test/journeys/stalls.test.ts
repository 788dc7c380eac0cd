import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { arrivedIds, startLoad } from '../support/builders/load.ts'
import { until } from '../support/clocks/until.ts'
import { createPreparedPlace } from '../support/processes/places.ts'
import type { Place } from '../support/processes/processes.ts'
import { createTestDatabase, type TestDatabase } from '../support/servers/postgres.ts'
import { type SmtpSink, startSmtpSink } from '../support/servers/smtp-sink.ts'
import { openTestDatabase } from '../support/servers/test-databases.ts'

let testDatabase: TestDatabase
let database: Database
let place: Place
let sink: SmtpSink
/** Until then no message gets its answer but the first. */
let stopped: PromiseWithResolvers<void>

const ANSWERED_FIRST = 10

beforeEach(async () => {
  testDatabase = await createTestDatabase()
  database = openTestDatabase(testDatabase.url)
  stopped = Promise.withResolvers()
  // It is stopped in the middle of many transactions.
  sink = await startSmtpSink({
    replyDelayMs: 60,
    beforeReply: async () => {
      if (sink.messages.length >= ANSWERED_FIRST) await stopped.promise
    },
  })
  place = await createPreparedPlace({
    DATABASE_URL: testDatabase.url,
    SMTP_RELAY_URL: `smtp://127.0.0.1:${sink.port}`,
    SMTP_RELAY_CONNECTIONS: '8',
    SECRET_KEY: '0123456789abcdef0123456789abcdef',
  })
})
afterEach(async () => {
  await place.close()
  await sink.close()
  await database.close()
  await testDatabase.drop()
})

// Stopped until another worker has declared it dead and done its work. Its lease is over by then, and a longer stop would show the same. `npm run
// faults` stops one for two minutes.
describe('a process that stands still in the middle of its transactions, as a suspended machine does', () => {
  it('is found dead and its work done by another, and ends nothing when it wakes up', async () => {
    const stalled = await place.start()
    const load = startLoad({ url: () => stalled.url, token: place.token, count: 120 })
    await load.done
    await until(() => expect(sink.messages.length).toBeGreaterThanOrEqual(ANSWERED_FIRST))
    process.kill(stalled.pid, 'SIGSTOP')
    stopped.resolve()
    const heir = place.spawn({ environment: { ROLES: 'worker' } })
    await until(async () => expect(await database.execute('select 1 from deliveries limit 1')).toEqual([]), { timeout: 120_000 })
    expect(heir.output()).toContain('worker found dead, its work freed')
    expect(new Set(arrivedIds(sink.messages)).size).toBe(120)
    const arrivedBefore = sink.messages.length

    process.kill(stalled.pid, 'SIGCONT')

    await until(() => expect(stalled.output().split('worker started').length - 1).toBe(2), { timeout: 120_000 })
    expect(stalled.output()).toContain('worker lease lost')
    await until(async () => expect(await database.execute('select 1 from attempts where outcome is null limit 1')).toEqual([]), {
      timeout: 120_000,
    })
    expect(sink.messages.length).toBe(arrivedBefore)
    const states = await database.execute('select last_event as "lastEvent", count(*)::int as count from emails group by 1')
    expect(states).toEqual([{ lastEvent: 'delivered', count: 120 }])
    const told = await database.execute('select subject_id, type, count(*) from notifications group by 1, 2 having count(*) > 1')
    expect(told).toEqual([])
    // Only messages whose final dot was sent before the process stood still arrive twice.
    expect(arrivedBefore - 120).toBeLessThanOrEqual(8)
    process.stdout.write(`Stalled in the middle: ${arrivedBefore - 120} duplicates of 8 transactions at once\n`)
  })
})
