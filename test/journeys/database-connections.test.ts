// A database that gives fewer connections than its services would take.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { arrivedIds, startLoad } from '../support/builders/load.ts'
import { until } from '../support/clocks/until.ts'
import { createPlace, type Place, queryAt } from '../support/processes/processes.ts'
import { createTestDatabase, type TestDatabase } from '../support/servers/postgres.ts'
import { type SmtpSink, startSmtpSink } from '../support/servers/smtp-sink.ts'

let database: TestDatabase
let sink: SmtpSink
let place: Place
beforeEach(async () => {
  database = await createTestDatabase()
  sink = await startSmtpSink()
  place = await createPlace({ DATABASE_URL: database.url, SMTP_RELAY_URL: `smtp://127.0.0.1:${sink.port}`, INBOUND_PORT: '0' })
})
afterEach(async () => {
  await place.close()
  await sink.close()
  await database.drop()
})

const allow = (connections: number) =>
  queryAt(
    { connectionString: database.superuserUrl },
    `alter database ${new URL(database.url).pathname.slice(1)} connection limit ${connections}`,
  )

it('a service does not start with fewer than it needs, and says how many it got', async () => {
  await allow(6)

  const service = place.spawn()

  expect(await service.ended).toMatchObject({ status: 1 })
  expect(service.output()).toMatch(
    /gives this process 6 connections, and it needs at least 8: raise max_connections of the server or the limit of the role or the database, /,
  )
  expect(service.output()).not.toContain('    at ')
})

it('two services that fill it accept every email, and deliver all', async () => {
  const services = [await place.start(), await place.start({ environment: { DATABASE_CONNECTIONS: '8' } })]
  await allow(16)

  const loads = services.map(({ url }) => startLoad({ url: () => url, token: place.token, count: 160, clients: 40 }))
  await Promise.all(loads.map(({ done }) => done))

  expect(loads.map(({ statuses }) => statuses)).toEqual([{ 200: 160 }, { 200: 160 }])
  await until(() => expect(new Set(arrivedIds(sink.messages)).size).toBe(320))
})
