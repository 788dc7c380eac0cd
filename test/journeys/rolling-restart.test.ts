import { afterEach, expect, it } from 'vitest'
import { arrivedIds, startLoad } from '../support/builders/load.ts'
import { until } from '../support/clocks/until.ts'
import { createPreparedPlace } from '../support/processes/places.ts'
import { freePort, type Place } from '../support/processes/processes.ts'
import { expectRequests, startBalancer } from '../support/servers/balancer.ts'
import { createTestDatabase } from '../support/servers/postgres.ts'
import { startSmtpSink } from '../support/servers/smtp-sink.ts'

/** A busy machine may keep the balancer from its health checks for seconds. */
const DRAIN_SECONDS = '10'

let place: Place
afterEach(() => place.close())

it('two processes with a balancer in front are restarted one after the other: no request fails, no email is lost or sent twice', async () => {
  const database = await createTestDatabase()
  const sink = await startSmtpSink({ replyDelayMs: 10 })
  place = await createPreparedPlace({
    DATABASE_URL: database.url,
    SMTP_RELAY_URL: `smtp://127.0.0.1:${sink.port}`,
    SECRET_KEY: '0123456789abcdef0123456789abcdef',
    ROLES: 'api,worker',
    DRAIN_SECONDS,
  })
  const ports = [await freePort(), await freePort()]
  const services = await Promise.all(ports.map((port) => place.start({ port })))
  const balancer = await startBalancer(ports)
  try {
    const load = startLoad({ url: () => balancer.url, token: place.token, count: 100_000, clients: 4, pauseMs: 200 })
    for (const turn of [0, 1, 0, 1]) {
      expect(await services[turn]?.signal('SIGTERM')).toEqual({ status: 0, signal: null })
      const restarted = await place.start({ port: ports[turn] ?? 0 })
      services[turn] = restarted
      // Before the other may go, the balancer has to know this one.
      await until(() => expectRequests(restarted))
    }
    load.stop()
    await load.done

    expect(Object.keys(load.statuses)).toEqual(['200'])
    await until(() => expect(arrivedIds(sink.messages)).toHaveLength(load.accepted.length), { timeout: 120_000 })
    expect(new Set(arrivedIds(sink.messages))).toEqual(new Set(load.accepted))
  } finally {
    await balancer.close()
    await place.close()
    await sink.close()
    await database.drop()
  }
})
