import { type EmailMetric, Resend } from 'resend'
import { beforeAll, describe, expect, it } from 'vitest'
import { documentedOperations } from '../../house/openapi-document.ts'
import { bounce, happen, open, UNKNOWN_ID } from '../../support/builders/emails.ts'
import { sendEmail } from '../../support/builders/engine.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** A midnight (UTC). Everything happens in the days after it, and is asked for at the end of the third. */
const begun = Math.floor(Date.now() / DAY_MS) * DAY_MS - 3 * DAY_MS
const at = (day: number, hour: number) => new Date(begun + day * DAY_MS + hour * HOUR_MS)
const dayName = (day: number) => at(day, 0).toISOString().slice(0, 10)

const KEPT_DAYS = 400
const LOG_DAYS = 30

let resend: Resend
let domainId: string
/** From a domain of the team, and from another one. */
let ours: string
let theirs: string
let now: Date

const clock = createMovingClock(at(0, 10))
const service = shared(() => startTestService({ clock, environment: { LOG_RETENTION_DAYS: String(LOG_DAYS) } }))
beforeAll(async () => {
  resend = new Resend(service.token, { baseUrl: service.url })
  domainId = ((await service.call('POST', '/domains', { body: { name: 'mail.example.com' } })).body as { id: string }).id
  ours = await sendEmail(service, { from: 'Acme <hello@Mail.Example.com>' })
  clock.advance(DAY_MS)
  theirs = await sendEmail(service, { from: 'hello@elsewhere.example' })
  await happen(service, ours, [
    { type: 'email.sent', at: at(0, 10) },
    { type: 'email.delivered', at: at(0, 11) },
    { type: 'email.opened', at: at(0, 12), data: open({ isMachine: true }) },
    { type: 'email.opened', at: at(1, 1), data: open({ isFirst: true }) },
    { type: 'email.opened', at: at(1, 2), data: open() },
    { type: 'email.clicked', at: at(1, 3), data: open({ isFirst: true }) },
    { type: 'email.complained', at: at(2, 5) },
  ])
  await happen(service, theirs, [
    { type: 'email.sent', at: at(1, 10) },
    { type: 'email.delivery_delayed', at: at(1, 10) },
    { type: 'email.bounced', at: at(1, 23), data: bounce('Permanent') },
  ])
  // Another team's are never counted.
  const foreign = await sendEmail(service, {}, service.other.token)
  await happen({ ...service, teamId: service.other.teamId }, foreign, [{ type: 'email.sent', at: at(1, 10) }])
  clock.advance(DAY_MS + 10 * HOUR_MS)
  now = clock.now()
})

const TOTALS = {
  received: 2,
  sent: 2,
  delivered: 1,
  delivery_delayed: 1,
  failed: 0,
  suppressed: 0,
  bounced: 1,
  bounced_transient: 0,
  bounced_permanent: 1,
  bounced_undetermined: 0,
  complained: 1,
  opened: 3,
  clicked: 1,
  unique_opened: 1,
  unique_clicked: 1,
  unsubscribed: 0,
  delivery_rate: 50,
  bounce_rate: 50,
  open_rate: 100,
  click_rate: 100,
  complaint_rate: 100,
  unsubscribe_rate: 0,
}

/** A parameter as the OpenAPI document shows it. */
const list = (name: string, items: object) => ({
  name,
  in: 'query',
  required: false,
  description: expect.any(String),
  schema: { type: 'array', maxItems: 100, items: { type: 'string', ...items } },
  style: 'form',
  explode: false,
})

const get = async (query: string) => (await service.call('GET', `/emails/metrics?${query}`)).body
const refusal = async (query: string) => {
  const { status, body } = await service.call('GET', `/emails/metrics?${query}`)
  return { status, ...(body as { name: string; message: string }) }
}

/** Whatever is added up in between, the answers are the same. */
describe.each(['before', 'after'])('metrics %s what happened is added up', (time) => {
  beforeAll(async () => {
    if (time === 'after') await service.service.context.repositories.countChanges.addUpAcrossTeams()
  })

  it('are all of the last six days in total, unless a client says otherwise', async () => {
    const { data, error } = await resend.emails.metrics()
    expect(error).toBeNull()
    expect(data).toEqual({
      object: 'metrics',
      start_date: new Date(now.getTime() - 6 * DAY_MS).toISOString(),
      end_date: now.toISOString(),
      metrics: Object.keys(TOTALS),
      dimensions: [],
      granularity: 'daily',
      totals: TOTALS,
    })
  })

  it('tell days apart, also those on which nothing happened', async () => {
    const { data } = await resend.emails.metrics({
      startDate: dayName(-1),
      endDate: at(3, 0).toISOString(),
      metrics: ['sent', 'unique_opened', 'bounce_rate'],
      dimensions: ['period'],
    })
    expect(data).toEqual({
      object: 'metrics',
      start_date: at(-1, 0).toISOString(),
      end_date: now.toISOString(),
      metrics: ['sent', 'unique_opened', 'bounce_rate'],
      dimensions: ['period'],
      granularity: 'daily',
      totals: { sent: 2, unique_opened: 1, bounce_rate: 50 },
      data: [
        { period: dayName(-1), sent: 0, unique_opened: 0, bounce_rate: 0 },
        { period: dayName(0), sent: 1, unique_opened: 0, bounce_rate: 0 },
        { period: dayName(1), sent: 1, unique_opened: 1, bounce_rate: 100 },
        { period: dayName(2), sent: 0, unique_opened: 0, bounce_rate: 0 },
      ],
    })
  })

  it('follow the days of a time zone', async () => {
    // 23:00 UTC is the next day in Kathmandu, at 04:45.
    const answer = await get(`timezone=asia/kathmandu&metrics=bounced&dimensions=period&start_date=${dayName(1)}&end_date=${dayName(3)}`)
    expect(answer).toMatchObject({
      data: [
        { period: dayName(1), bounced: 0 },
        { period: dayName(2), bounced: 1 },
      ],
    })
  })

  it('have an end that is not a part of the range', async () => {
    const query = (from: Date, to: Date) => get(`metrics=sent&start_date=${from.toISOString()}&end_date=${to.toISOString()}`)
    expect(await query(at(0, 0), at(0, 10))).toMatchObject({ totals: { sent: 0 } })
    expect(await query(at(0, 10), at(0, 10.25))).toMatchObject({ totals: { sent: 1 } })
    expect(await query(at(0, 10.25), at(1, 10))).toMatchObject({ totals: { sent: 0 } })
  })

  it('are counted in whole quarters of an hour, and say which', async () => {
    const query = (more = '') => get(`metrics=sent&start_date=${at(0, 10.1).toISOString()}&end_date=${at(0, 10.2).toISOString()}${more}`)
    const counted = { start_date: at(0, 10).toISOString(), end_date: at(0, 10.25).toISOString(), totals: { sent: 1 } }
    expect(await query()).toMatchObject(counted)
    // What happened to named emails is counted one by one.
    expect(await query(`&email_id=${ours}`)).toMatchObject({ ...counted, end_date: at(0, 10.2).toISOString() })
  })

  it('tell domains apart, those that the team has and others', async () => {
    const { data } = await resend.emails.metrics({ metrics: ['sent', 'complained'], dimensions: ['domain'] })
    expect(data?.totals).toEqual({ sent: 2, complained: 1 })
    expect(data?.data).toEqual([
      { domain_id: null, domain_name: 'elsewhere.example', sent: 1, complained: 0 },
      { domain_id: domainId, domain_name: 'mail.example.com', sent: 1, complained: 1 },
    ])
  })

  it('tell periods and domains apart, and then only where something happened', async () => {
    const answer = await get(`metrics=sent&dimensions=domain&dimensions=period&start_date=${dayName(0)}`)
    expect(answer).toMatchObject({
      dimensions: ['domain', 'period'],
      data: [
        { period: dayName(0), domain_name: 'mail.example.com', sent: 1 },
        { period: dayName(1), domain_name: 'elsewhere.example', sent: 1 },
        { period: dayName(1), domain_name: 'mail.example.com', sent: 0 },
        { period: dayName(2), domain_name: 'mail.example.com', sent: 0 },
      ],
    })
  })

  it('are those of named domains only', async () => {
    const { data } = await resend.emails.metrics({ metrics: ['sent', 'opened'], domainId: [domainId] })
    expect(data?.totals).toEqual({ sent: 1, opened: 3 })
    const unknown = await resend.emails.metrics({ metrics: ['sent'], domainId: ['0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c10'] })
    expect(unknown.data?.totals).toEqual({ sent: 0 })
  })

  it('tell emails apart', async () => {
    const { data } = await resend.emails.metrics({ metrics: ['received', 'sent', 'opened', 'bounced_permanent'], dimensions: ['email'] })
    expect(data?.totals).toEqual({ received: 2, sent: 2, opened: 3, bounced_permanent: 1 })
    expect(data?.data).toEqual([
      { email_id: ours, received: 1, sent: 1, opened: 3, bounced_permanent: 0 },
      { email_id: theirs, received: 1, sent: 1, opened: 0, bounced_permanent: 1 },
    ])
  })

  it('are those of named emails only, by period and domain too', async () => {
    const { data } = await resend.emails.metrics({
      metrics: ['sent', 'opened'],
      dimensions: ['period', 'domain'],
      emailId: [ours.toUpperCase()],
    })
    expect(data?.totals).toEqual({ sent: 1, opened: 3 })
    expect(data?.data).toEqual([
      { period: dayName(0), domain_id: domainId, domain_name: 'mail.example.com', sent: 1, opened: 1 },
      { period: dayName(1), domain_id: domainId, domain_name: 'mail.example.com', sent: 0, opened: 2 },
      { period: dayName(2), domain_id: domainId, domain_name: 'mail.example.com', sent: 0, opened: 0 },
    ])
    expect(await get(`metrics=sent&email_id=${theirs}&domain_id=${domainId}`)).toMatchObject({ totals: { sent: 0 } })
  })

  it('of another team are not seen', async () => {
    const foreign = await service.call('GET', `/emails/metrics?metrics=sent&email_id=${ours}`, { token: service.other.token })
    expect(foreign.body).toMatchObject({ totals: { sent: 0 } })
    // Ours is no domain of theirs, although it has the name.
    const domain = (await service.call('POST', '/domains', { body: { name: 'example.com' } })).body as { id: string }
    const all = await service.call('GET', '/emails/metrics?metrics=sent,received&dimensions=domain', { token: service.other.token })
    await service.call('DELETE', `/domains/${domain.id}`)
    expect(all.body).toMatchObject({ totals: { sent: 1, received: 1 }, data: [{ domain_id: null, domain_name: 'example.com' }] })
  })

  it('tell broadcasts apart, of which there are none', async () => {
    const { data } = await resend.emails.metrics({ metrics: ['sent'], dimensions: ['broadcast'] })
    expect(data).toMatchObject({ dimensions: ['broadcast'], totals: { sent: 2 }, data: [] })
    expect(await get(`metrics=sent&broadcast_id=${ours}`)).toMatchObject({ totals: { sent: 0 } })
  })
})

describe('the metrics of broadcasts', () => {
  const broadcastId = '0193a5c2-0000-7b1a-9c3f-2e5d8a6b4c10'

  it('are those of their emails, and are kept for good', async () => {
    const emailId = await sendEmail(service)
    await service.database.execute('update emails set broadcast_id = $2 where id = $1', [emailId, broadcastId])
    await happen(service, emailId, [{ type: 'email.delivered', at: at(-500, 3) }])
    const wanted = { metrics: ['delivered'] as EmailMetric[], dimensions: ['broadcast' as const], startDate: at(-501, 0).toISOString() }
    const { data } = await resend.emails.metrics({ ...wanted, broadcastId: [broadcastId] })
    expect(data).toMatchObject({
      start_date: at(-501, 0).toISOString(),
      totals: { delivered: 1 },
      data: [{ broadcast_id: broadcastId, delivered: 1 }],
    })
    expect((await resend.emails.metrics(wanted)).data).toMatchObject({ totals: { delivered: 1 }, data: [] })
  })
})

describe('a request for metrics', () => {
  it('takes lists with commas, repeated, and mixed', async () => {
    const answer = await get('metrics=sent,%20opened&metrics=sent&metrics=clicked,,&dimensions=')
    expect(answer).toMatchObject({ metrics: ['sent', 'opened', 'clicked'], dimensions: [] })
  })

  it('may list the values that the OpenAPI document shows, separated as it says', async () => {
    const { body } = await service.call('GET', '/openapi.json', { token: null })
    const { parameters = [] } = documentedOperations(body as object).find(({ path }) => path === '/emails/metrics')?.operation ?? {}
    const lists = parameters.filter(({ schema }) => schema?.type === 'array')
    expect(lists).toEqual([
      list('metrics', { enum: Object.keys(TOTALS) }),
      list('dimensions', { enum: ['period', 'domain', 'email', 'broadcast'] }),
      ...['domain_id', 'email_id', 'broadcast_id'].map((name) => list(name, { format: 'uuid' })),
    ])
    const together = ['period', 'domain', 'email']
    expect(await get(`metrics=${Object.keys(TOTALS)}&dimensions=${together}&domain_id=${[domainId, UNKNOWN_ID]}`)).toMatchObject({
      metrics: Object.keys(TOTALS),
      dimensions: together,
    })
  })

  it('begins where what is kept begins', async () => {
    const kept = (days: number) => new Date(now.getTime() - days * DAY_MS).toISOString()
    const early = `start_date=${dayName(-900)}`
    expect(await get(early)).toMatchObject({ start_date: kept(KEPT_DAYS) })
    expect(await get(`${early}&email_id=${ours}`)).toMatchObject({ start_date: kept(LOG_DAYS) })
    expect(await get(`${early}&end_date=${dayName(-800)}`)).toMatchObject({
      start_date: at(-800, 0).toISOString(),
      end_date: at(-800, 0).toISOString(),
    })
  })

  it('ends now at the latest', async () => {
    expect(await get(`end_date=${at(9, 0).toISOString()}`)).toMatchObject({ end_date: now.toISOString() })
  })

  it.each([
    ['of emails before there were computers', 'dimensions=email&end_date=1960-01-02'],
    [
      'of a broadcast before there were computers',
      `dimensions=period&broadcast_id=${UNKNOWN_ID}&start_date=1950-01-02&end_date=1960-01-02`,
    ],
    ['without length', `dimensions=period,domain&start_date=${at(1, 1).toISOString()}&end_date=${at(1, 1).toISOString()}`],
  ])('are none in a range %s', async (_name, query) => {
    expect(await get(`metrics=sent,delivery_rate&${query}`)).toMatchObject({ totals: { sent: 0, delivery_rate: 0 }, data: [] })
  })

  it('may have 10,000 periods, but not one more', async () => {
    const hours = (count: number) =>
      `dimensions=period&granularity=hourly&end_date=${at(2, 0).toISOString()}&start_date=${at(2, -count).toISOString()}`
    expect(await get(hours(10_000))).toMatchObject({ data: { length: KEPT_DAYS * 24 - 20 } })
    expect(await refusal(hours(10_001))).toEqual({
      statusCode: 422,
      status: 422,
      name: 'validation_error',
      message: 'The range has more than 10,000 hourly periods. Give a later `start_date` or a coarser `granularity`.',
    })
    expect(await get(hours(10_001).replace('dimensions=period', ''))).toMatchObject({ totals: { sent: 2 } })
  })

  it('is refused with what it cannot be', async () => {
    expect(await refusal('timezone=Mars/Olympus')).toEqual({
      statusCode: 422,
      status: 422,
      name: 'validation_error',
      message: 'The `timezone` parameter must be a name of the IANA time zone database, such as `Europe/Berlin`. It is "Mars/Olympus".',
    })
    expect(await refusal('granularity=yearly')).toMatchObject({
      status: 422,
      message: 'The `granularity` parameter must be one of: `hourly`, `daily`, `weekly`, `monthly`. It is "yearly".',
    })
  })

  it('is refused when more emails would be told apart than are counted one by one', async () => {
    await service.database.execute(
      `insert into emails (id, team_id, api_key_id, state, last_event, from_domain, "from", subject, created_at)
       select overlay(gen_random_uuid()::text placing left(id::text, 19) from 1)::uuid, team_id, api_key_id, state, last_event, from_domain, "from", subject, created_at
       from emails, generate_series(1, 1000) where id = $1`,
      [theirs],
    )
    expect(await refusal('dimensions=email')).toMatchObject({
      status: 422,
      message: 'More than 1,000 emails were accepted in this range. Name some with `email_id`, or give a shorter range.',
    })
    expect(await get(`dimensions=email&metrics=sent&end_date=${at(1, 9).toISOString()}`)).toMatchObject({ data: [{ email_id: ours }] })
  })

  it('ends now, and not with the quarter of an hour that has begun', async () => {
    clock.advance(60_000)
    expect(await get('metrics=sent')).toMatchObject({ end_date: clock.now().toISOString() })
  })
})
