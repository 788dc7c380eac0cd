import { afterEach, expect, it } from 'vitest'
import { until } from '../support/clocks/until.ts'
import { createPreparedPlace } from '../support/processes/places.ts'
import { type Place, postgresPidOf, queryEmbedded, type ServiceProcess, untilGone } from '../support/processes/processes.ts'
import { type SmtpSink, startSmtpSink } from '../support/servers/smtp-sink.ts'

const MEMBERS = 2_000
/** The rate is so slow that each kill falls into the middle of the fan-out and of the delivery. */
const RATE_PER_HOUR = 50 * 3_600
const KILLS = 5
/** Emails that arrive between two kills. */
const BETWEEN_KILLS = 150
/** What a dead worker held waits for its lease to end. */
const DELIVERED_WITHIN_MS = 120_000

let place: Place
let sink: SmtpSink

afterEach(async () => {
  await place.close()
  await sink.close()
})

it('a broadcast whose service is killed five times, once while it is paused, reaches everyone with exactly one email', async () => {
  sink = await startSmtpSink({ replyDelayMs: 2 })
  place = await createPreparedPlace({ SMTP_RELAY_URL: `smtp://127.0.0.1:${sink.port}` })
  let service = await place.start()
  const call = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${service.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${place.token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return (await answer.json()) as { id: string; status: string; counts: { recipients: number } }
  }
  const segment = await call('POST', '/segments', { name: 'Everyone' })
  await queryEmbedded(
    place.dataDir,
    `with made as (
       insert into contacts (id, team_id, email, address_hash, first_name, created_at, updated_at)
       select uuidv7_at(now() - interval '1 hour', n), (select team_id from segments), 'm' || n || '@example.org', md5('m' || n), 'N' || n, now(), now()
       from generate_series(1, ${MEMBERS}) as n returning id
     ) insert into contact_segments select (select id from segments), id, now() from made`,
  )
  const { id } = await call('POST', '/broadcasts', {
    segment_id: segment.id,
    from: 'hello@example.com',
    subject: 'For {{{FIRST_NAME}}}',
    html: '<p>Hello {{{FIRST_NAME}}}</p>',
    rate_per_hour: RATE_PER_HOUR,
    send: true,
  })

  const fannedOut: number[] = []
  for (let kills = 1; kills <= KILLS; kills++) {
    const before = sink.messages.length
    await until(() => expect(sink.messages.length).toBeGreaterThan(before + BETWEEN_KILLS), { timeout: DELIVERED_WITHIN_MS, interval: 20 })
    const isPaused = kills === 3
    if (isPaused) await call('POST', `/broadcasts/${id}/pause`)
    fannedOut.push((await call('GET', `/broadcasts/${id}`)).counts.recipients)
    await kill(service)
    service = await place.start()
    if (!isPaused) continue
    expect((await call('GET', `/broadcasts/${id}`)).status).toBe('paused')
    await call('POST', `/broadcasts/${id}/resume`)
  }
  // It was killed in the middle of the fan-out, also while it was paused. On a busy machine, the last starts take as long as the rest of the fan-out.
  for (const recipients of fannedOut.slice(0, 3)) expect(recipients).toBeLessThan(MEMBERS)

  await until(
    async () => {
      const [left] = await queryEmbedded<{ count: number }>(place.dataDir, 'select count(*)::int as count from deliveries')
      expect({ status: (await call('GET', `/broadcasts/${id}`)).status, left }).toEqual({ status: 'sent', left: { count: 0 } })
    },
    { timeout: DELIVERED_WITHIN_MS, interval: 250 },
  )
  const [made] = await queryEmbedded(
    place.dataDir,
    `select count(*)::int as emails, count(distinct contact_id)::int as contacts, count(*) filter (where last_event = 'delivered')::int as delivered from emails`,
  )
  expect(made).toEqual({ emails: MEMBERS, contacts: MEMBERS, delivered: MEMBERS })
  const arrived = sink.messages.flatMap(({ to }) => to)
  expect(new Set(arrived).size).toBe(MEMBERS)
  const [unknown] = await queryEmbedded<{ count: number }>(
    place.dataDir,
    `select count(*)::int as count from attempts where outcome = 'unknown'`,
  )
  expect(arrived.length - MEMBERS).toBeLessThanOrEqual(unknown?.count ?? 0)
  expect((await call('GET', `/broadcasts/${id}`)).counts).toMatchObject({ recipients: MEMBERS, sent: MEMBERS, delivered: MEMBERS })
})

async function kill(service: ServiceProcess): Promise<void> {
  const postgres = postgresPidOf(place.dataDir)
  await service.signal('SIGKILL')
  if (postgres !== null) await untilGone(postgres)
}
