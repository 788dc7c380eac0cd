import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Connection, Step } from '../../src/lib/automations/graph.ts'
import { until } from '../support/clocks/until.ts'
import { createPreparedPlace } from '../support/processes/prepared-database.ts'
import { type Place, postgresPidOf, queryEmbedded, type ServiceProcess, untilGone } from '../support/processes/processes.ts'
import { type SmtpSink, startSmtpSink } from '../support/servers/smtp-sink.ts'

const RUNS = 2_000
const EVENTS_AT_ONCE = 100
/** What a dead worker held waits for its lease to end. */
const WITHIN_MS = 120_000

let place: Place
let sink: SmtpSink
let service: ServiceProcess

beforeEach(async () => {
  sink = await startSmtpSink({ replyDelayMs: 1 })
  place = await createPreparedPlace({ SMTP_RELAY_URL: `smtp://127.0.0.1:${sink.port}`, RATE_LIMIT_PER_SECOND: '0' })
  service = await place.start()
})
afterEach(async () => {
  await place.close()
  await sink.close()
})

async function call<Reply = { id: string }>(
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const answer = await fetch(`${service.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${place.token}`, 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`)
  return (await answer.json()) as Reply
}

async function count(from: string): Promise<number> {
  const [row] = await queryEmbedded<{ count: number }>(place.dataDir, `select count(*)::int as count from ${from}`)
  return row?.count ?? 0
}

const reach = (from: string, least: number) =>
  until(async () => expect(await count(from)).toBeGreaterThanOrEqual(least), { timeout: WITHIN_MS, interval: 20 })

async function killAndStart(): Promise<void> {
  const postgres = postgresPidOf(place.dataDir)
  await service.signal('SIGKILL')
  if (postgres !== null) await untilGone(postgres)
  service = await place.start()
}

/** Kills the service within the transaction that follows from `cause`: it waits for an automation that another session holds. */
async function killWithin(cause: () => Promise<unknown>): Promise<void> {
  const holding = queryEmbedded(place.dataDir, `begin; select from automations for update; select pg_sleep(${WITHIN_MS / 1_000})`)
  const ended = expect(holding).rejects.toThrow()
  await reach(`pg_stat_activity where wait_event = 'PgSleep'`, 1)
  await cause()
  await reach(`pg_stat_activity where wait_event_type = 'Lock' and backend_type = 'client backend'`, 1)
  await killAndStart()
  await ended
}

async function publishedTemplate(name: string): Promise<string> {
  const { id } = await call('POST', '/templates', { name, from: 'hello@example.com', subject: name, html: `<p>${name}</p>` })
  await call('POST', `/templates/${id}/publish`)
  return id
}

const mail = (key: string, id: string): Step => ({ key, type: 'send_email', config: { template: { id } } })

/** Each step leads to the next. */
async function enable(steps: Step[]): Promise<string> {
  const all: Step[] = [{ key: 'start', type: 'trigger', config: { event_name: 'signed.up' } }, ...steps]
  const connections = all.slice(0, -1).map(
    ({ key, type }, index): Connection => ({
      from: key,
      to: all[index + 1]?.key ?? '',
      type: type === 'wait_for_event' ? 'event_received' : 'default',
    }),
  )
  return (await call('POST', '/automations', { name: 'Welcome', status: 'enabled', steps: all, connections })).id
}

async function sendToAll(event: string): Promise<void> {
  for (let first = 0; first < RUNS; first += EVENTS_AT_ONCE) {
    const events = Array.from({ length: EVENTS_AT_ONCE }, (_, index) => ({ event, email: `p${first + index}@example.org` }))
    await call('POST', '/events/send/batch', events, { 'idempotency-key': `${event} ${first}` })
  }
}

it(`${RUNS} runs of six steps, whose service is killed five times, each end once and do each act once`, async () => {
  const segment = await call('POST', '/segments', { name: 'Welcomed' })
  const [first, last] = [await publishedTemplate('First'), await publishedTemplate('Last')]
  await enable([
    mail('first', first),
    { key: 'pause', type: 'delay', config: { duration: '1 second' } },
    { key: 'join', type: 'add_to_segment', config: { segment_id: segment.id } },
    { key: 'paid', type: 'wait_for_event', config: { event_name: 'paid', timeout: '1 day' } },
    mail('last', last),
  ])
  await sendToAll('signed.up')
  await reach('automation_runs', 1)
  await killAndStart()
  await reach('emails', RUNS / 4)
  await killAndStart()
  await reach('contact_segments', RUNS / 4)
  await killAndStart()
  await reach('automation_waits', RUNS)
  await sendToAll('paid')
  await reach(`emails where subject = 'Last'`, 1)
  await killAndStart()
  await reach(`emails where subject = 'Last'`, RUNS / 2)
  await killAndStart()

  await until(async () => expect(await count(`automation_runs where status <> 'running'`)).toBe(RUNS), {
    timeout: WITHIN_MS,
    interval: 250,
  })
  const [runs] = await queryEmbedded(
    place.dataDir,
    `select count(*)::int as runs, count(distinct contact_id)::int as contacts, count(*) filter (where status = 'completed')::int as completed from automation_runs`,
  )
  expect(runs).toEqual({ runs: RUNS, contacts: RUNS, completed: RUNS })
  const emails = await queryEmbedded(
    place.dataDir,
    'select subject, count(*)::int as emails, count(distinct "to")::int as people from emails group by subject order by subject',
  )
  expect(emails).toEqual([
    { subject: 'First', emails: RUNS, people: RUNS },
    { subject: 'Last', emails: RUNS, people: RUNS },
  ])
  expect(await count('contact_segments')).toBe(RUNS)
  // A change is told once.
  expect(await count(`notifications where type = 'contact.updated'`)).toBe(RUNS)
  const left = ['automation_occurrences', 'automation_facts', 'automation_waits', 'automation_emails']
  expect(await Promise.all(left.map(count))).toEqual([0, 0, 0, 0])
})

it('a run goes from an event to a mail in the sink after a delay, although its service is killed at and within every step', async () => {
  const template = await publishedTemplate('Hello')
  await enable([
    { key: 'pause', type: 'delay', config: { duration: '1 hour' } },
    { key: 'change', type: 'contact_update', config: { first_name: { var: 'event.name' } } },
    { key: 'paid', type: 'wait_for_event', config: { event_name: 'paid', timeout: '1 hour' } },
    mail('mail', template),
  ])
  await killWithin(() => call('POST', '/events/send', { event: 'signed.up', email: 'ada@example.org', payload: { name: 'Ada' } }))
  const at = (key: string) => reach(`automation_runs where state ->> 'at' = '${key}' and leased_by is null`, 1)
  await at('pause')
  await killAndStart()
  // An hour passes.
  const passHour = () =>
    queryEmbedded(
      place.dataDir,
      `update automation_runs set wake_at = now(), state = jsonb_set(state, '{steps,pause,until}', to_jsonb(to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))`,
    )
  await killWithin(passHour)
  await at('paid')
  await killAndStart()
  await killWithin(() => call('POST', '/events/send', { event: 'paid', email: 'ada@example.org' }))
  await reach(`automation_runs where status = 'completed'`, 1)
  await killAndStart()
  await until(() => expect(sink.messages.length).toBeGreaterThanOrEqual(1), { timeout: WITHIN_MS, interval: 20 })

  expect(await count('emails')).toBe(1)
  expect(sink.messages[0]?.to).toEqual(['ada@example.org'])
  expect(await call('GET', '/contacts/ada@example.org')).toMatchObject({ first_name: 'Ada' })
  const [run] = await queryEmbedded<{ steps: Record<string, { status: string }> }>(
    place.dataDir,
    `select state -> 'steps' as steps from automation_runs`,
  )
  expect(Object.fromEntries(Object.entries(run?.steps ?? {}).map(([key, { status }]) => [key, status]))).toEqual({
    start: 'completed',
    pause: 'completed',
    change: 'completed',
    paid: 'completed',
    mail: 'completed',
  })
})
