import { afterEach, describe, expect, it } from 'vitest'
import { arrivedIds, startLoad } from '../support/builders/load.ts'
import { until } from '../support/clocks/until.ts'
import { createPreparedPlace } from '../support/processes/places.ts'
import { isAlive, type Place, postgresPidOf, queryEmbedded, type ServiceProcess, untilGone } from '../support/processes/processes.ts'
import { type SmtpSink, startSmtpSink } from '../support/servers/smtp-sink.ts'

let place: Place
let sink: SmtpSink

afterEach(async () => {
  await place.close()
  await sink.close()
})

const EMAILS = 1_200
/** Counted from when all were accepted. What a process had in hand when it was killed is free again after 20 s. */
const DELIVERED_WITHIN_MS = 120_000

async function kill(service: ServiceProcess): Promise<void> {
  const postgres = postgresPidOf(place.dataDir)
  await service.signal('SIGKILL')
  if (postgres === null) throw new Error('There is no database to die with its service')
  await untilGone(postgres)
  expect(isAlive(postgres)).toBe(false)
}

describe('a service that is killed', () => {
  it('five times while 1,200 emails are accepted and delivered loses none that it had accepted', async () => {
    sink = await startSmtpSink({ replyDelayMs: 2 })
    place = await createPreparedPlace({ SMTP_RELAY_URL: `smtp://127.0.0.1:${sink.port}` })
    let service = await place.start()
    const load = startLoad({ url: () => service.url, token: place.token, count: EMAILS, clients: 24 })
    for (let kills = 1; kills <= 5; kills++) {
      const [accepted, arrived] = [acceptedCount(load.accepted), sink.messages.length]
      // In the middle of both: some were accepted and some delivered since the last start.
      await until(
        () => {
          expect(acceptedCount(load.accepted)).toBeGreaterThanOrEqual(Math.min(accepted + EMAILS / 10, EMAILS))
          expect(sink.messages.length).toBeGreaterThan(arrived)
        },
        { timeout: 120_000, interval: 10 },
      )
      await kill(service)
      service = await place.start()
    }
    await load.done
    const expected = new Set(load.accepted)
    expect(expected.size).toBe(EMAILS)

    await until(
      async () => {
        const [left] = await queryEmbedded<{ count: number }>(place.dataDir, 'select count(*)::int as count from deliveries')
        expect(left?.count).toBe(0)
      },
      { timeout: DELIVERED_WITHIN_MS, interval: 250 },
    )

    const arrived = arrivedIds(sink.messages)
    const distinct = new Set(arrived)
    expect([...expected].filter((id) => !distinct.has(id))).toEqual([])
    const states = await queryEmbedded(place.dataDir, 'select last_event as "lastEvent", count(*)::int as count from emails group by 1')
    expect(states).toEqual([{ lastEvent: 'delivered', count: distinct.size }])
    const [open] = await queryEmbedded<{ count: number }>(
      place.dataDir,
      `select count(*)::int as count from attempts where outcome = 'unknown'`,
    )
    const [unsettled] = await queryEmbedded<{ count: number }>(
      place.dataDir,
      'select count(*)::int as count from attempts where outcome is null',
    )
    const duplicates = arrived.length - distinct.size
    const inFlight = open?.count ?? 0
    process.stdout.write(
      `After 5 kills: ${duplicates} duplicates, ${inFlight} attempts in flight when killed, answers ${JSON.stringify(load.statuses)}\n`,
    )
    expect(duplicates).toBeLessThanOrEqual(inFlight)
    expect(unsettled?.count).toBe(0)
    const told = await queryEmbedded(
      place.dataDir,
      `select subject_id, type, count(*)::int as count from notifications group by 1, 2 having count(*) > 1`,
    )
    expect(told).toEqual([])
    const [counted] = await queryEmbedded(
      place.dataDir,
      `select sum(received)::int as received, sum(sent)::int as sent, sum(delivered)::int as delivered from (
         select received, sent, delivered from email_counts
         union all
         select case metric when 'received' then count end, case metric when 'sent' then count end, case metric when 'delivered' then count end
         from email_count_changes
       ) as counts`,
    )
    expect(counted).toEqual({ received: distinct.size, sent: distinct.size, delivered: distinct.size })
  })

  it('in the middle of idempotent requests leaves no key that blocks, and one email for each key', async () => {
    sink = await startSmtpSink()
    place = await createPreparedPlace({ SMTP_RELAY_URL: `smtp://127.0.0.1:${sink.port}` })
    let service = await place.start()
    const request = (index: number) => ({ key: `key-${index}` })
    const load = startLoad({ url: () => service.url, token: place.token, count: 400, clients: 40, request })
    for (let kills = 1; kills <= 2; kills++) {
      await until(() => expect(acceptedCount(load.accepted)).toBeGreaterThanOrEqual(kills * 60), { interval: 10 })
      await kill(service)
      service = await place.start()
    }
    await load.done

    const again = startLoad({ url: () => service.url, token: place.token, count: 400, clients: 40, request })
    await again.done

    expect(again.statuses).toEqual({ 200: 400 })
    expect(again.accepted).toEqual(load.accepted)
    expect(load.statuses.none).toBeGreaterThan(0)
    const [emails] = await queryEmbedded<{ count: number }>(place.dataDir, 'select count(*)::int as count from emails')
    expect(emails?.count).toBe(400)
  })
})

const acceptedCount = (accepted: string[]): number => accepted.filter((id) => id !== undefined).length
