// A worker that stops while a server still has to answer for a message: it waits for the answer, and other workers send the rest.
import { afterEach, expect, it } from 'vitest'
import { arrivedIds, startLoad } from '../support/builders/load.ts'
import { until } from '../support/clocks/until.ts'
import { createPreparedPlace } from '../support/processes/places.ts'
import type { Place, ServiceProcess } from '../support/processes/processes.ts'
import { createTestDatabase, type TestDatabase } from '../support/servers/postgres.ts'
import { type SmtpSink, startSmtpSink } from '../support/servers/smtp-sink.ts'

const EMAILS = 20

let database: TestDatabase
let sink: SmtpSink
let place: Place
afterEach(async () => {
  await place.close()
  await sink.close()
  await database.drop()
})

it('a worker that stops ends once its delivery has, claims nothing more, and no email is lost or arrives twice', async () => {
  const held = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  let count = 0
  database = await createTestDatabase()
  sink = await startSmtpSink({
    async beforeReply() {
      count += 1
      if (count > 1) return
      begun.resolve()
      await held.promise
    },
  })
  place = await createPreparedPlace({
    DATABASE_URL: database.url,
    SMTP_RELAY_URL: `smtp://127.0.0.1:${sink.port}`,
    SECRET_KEY: '0123456789abcdef0123456789abcdef',
    // More than the test takes: it ends because the delivery has ended.
    DRAIN_SECONDS: '60',
  })
  const api = await place.start({ environment: { ROLES: 'api', DRAIN_SECONDS: '0' } })
  const stopping = place.spawn({ environment: { ROLES: 'worker' } })
  const first = startLoad({ url: () => api.url, token: place.token, count: 1 })
  await Promise.all([first.done, begun.promise])

  const ended = stopping.signal('SIGTERM')
  await until(() => expect(stopping.output()).toContain('service stopping'))
  const rest = startLoad({ url: () => api.url, token: place.token, count: EMAILS })
  await rest.done
  const other = place.spawn({ environment: { ROLES: 'worker' } })
  await until(() => expect(arrivedIds(sink.messages)).toHaveLength(EMAILS), { timeout: 60_000 })
  expect(deliveriesOf(stopping)).toBe(0)
  held.resolve()

  expect(await ended).toEqual({ status: 0, signal: null })
  await until(() => expect(deliveriesOf(other)).toBe(EMAILS))
  expect(deliveriesOf(stopping)).toBe(1)
  expect(count).toBe(EMAILS + 1)
  expect(arrivedIds(sink.messages).sort()).toEqual([...first.accepted, ...rest.accepted].sort())
})

const deliveriesOf = ({ output }: ServiceProcess): number => output().split('delivery attempted').length - 1
