// Each type of event, made by its real cause, as a reader of the feed gets it.
import PostalMime from 'postal-mime'
import { beforeAll, expect, it } from 'vitest'
import { LOWEST_ID } from '../../../../src/lib/ids.ts'
import { exactValidator } from '../../../../src/lib/validation/body-validator.ts'
import { fieldTree, unknownFields } from '../../../../src/lib/validation/field-tree.ts'
import type { Step } from '../../../../src/modules/automations/graph/graph.ts'
import { actOnReports } from '../../../../src/modules/bounces/reports.worker.ts'
import { WEBHOOK_EVENT_SCHEMAS } from '../../../../src/modules/webhooks/payloads/webhook-causes.ts'
import { isWebhookEventType, WEBHOOK_EVENT_TYPES } from '../../../../src/modules/webhooks/webhooks.schema.ts'
import { chain, createAutomation, trigger } from '../../../support/builders/automations.ts'
import { createVerifiedDomain } from '../../../support/builders/domains.ts'
import { emailInput, send } from '../../../support/builders/emails.ts'
import { storeInboundMessage, storeReceived } from '../../../support/builders/received-emails.ts'
import { complaintReport } from '../../../support/builders/returned-mail.ts'
import { publishedTemplate } from '../../../support/builders/templates.ts'
import { chooseTopic, createContact, createTopic } from '../../../support/builders/topics.ts'
import { requestAt } from '../../../support/clients/raw-requests.ts'
import { createShiftingClock } from '../../../support/clocks/clocks.ts'
import { until } from '../../../support/clocks/until.ts'
import { startRelayService } from '../../../support/servers/mail-services.ts'
import { shared } from '../../../support/servers/service.ts'

const clock = createShiftingClock()
let webhookId: string
let topicId: string
let contactId: string
let segmentId: string
let domainId: string
/** The email that most of it is about, and what it looks like in every event. */
let emailId: string
const TAGS = [{ name: 'category', value: 'receipt' }]
const TO = 'ann@example.org'

const idOf = ({ body, text }: { body: unknown; text: string }): string => {
  expect(body, text).toHaveProperty('id')
  return (body as { id: string }).id
}
const lastEventOf = async (id: string) => ((await service.call('GET', `/emails/${id}`)).body as { last_event: string }).last_event
const untilLastEvent = (id: string, event: string) => until(async () => expect(await lastEventOf(id)).toBe(event))

const service = shared(() =>
  startRelayService({
    clock,
    environment: { PUBLIC_URL: 'https://api.example.net' },
    sink: {
      onRecipient: (to) => {
        if (to === 'later@example.org') return { code: 451, text: '4.7.1 Try again later' }
        return to === 'unknown@example.org' ? { code: 550, text: '5.1.1 User unknown' } : undefined
      },
    },
  }),
)
beforeAll(async () => {
  const body = { endpoint: null, events: [...WEBHOOK_EVENT_TYPES] }
  webhookId = idOf(await service.call('POST', '/webhooks', { body }))
  const { id } = await createVerifiedDomain(service)
  await service.database.execute(
    `update domains set tracking_subdomain = 'links', tracking_host = 'links.example.com', open_tracking = true, click_tracking = true where id = $1`,
    [id],
  )
  service.startWorker()
  await happen()
})

/** Everything, one after the other. */
async function happen(): Promise<void> {
  await emailEvents()
  await audienceEvents()
  await endedUses()
  await storeReceived(service)
  domainId = idOf(await service.call('POST', '/domains', { body: { name: 'acme.example', capabilities: { receiving: 'enabled' } } }))
  await service.call('POST', `/domains/${domainId}/verify`)
  await service.call('DELETE', `/domains/${domainId}`)
  await service.call('POST', '/suppressions', { body: { email: 'bob@example.org' } })
  await service.call('DELETE', '/suppressions/bob@example.org')
  await usedLimit()
  await pausedByGuard()
}

/** Bounces that are a warning, those that pause, and the release. The worker, too, adds up and looks: each is waited for before the next. */
async function pausedByGuard(): Promise<void> {
  const { reputations } = service.service.context.repositories
  const worse = [
    { counts: { sent: 500, bounced_permanent: 20 }, status: 'warning' },
    { counts: { bounced_permanent: 60 }, status: 'paused' },
  ]
  for (const { counts, status } of worse) {
    await service.database.execute(
      `insert into email_count_changes (team_id, bucket, domain, broadcast_id, metric, count)
       select $1, email_count_bucket($2), 'example.com', $3, key, value::int from jsonb_each_text($4::jsonb)`,
      [service.teamId, clock.now(), LOWEST_ID, JSON.stringify(counts)],
    )
    await until(async () => expect(await reputations.find(service.teamId)).toMatchObject({ status }))
  }
  expect(await reputations.releaseAcrossTeams(service.teamId)).toBe(true)
}

/** The last email that the team may send. */
async function usedLimit(): Promise<void> {
  const { teamLimits, quotas } = service.service.context.repositories
  const many = 10_000
  await teamLimits.setAcrossTeams(service.teamId, { emails_per_day: many })
  const [day] = await quotas.left(service.teamId, clock.now())
  await teamLimits.setAcrossTeams(service.teamId, { emails_per_day: many - (day?.left ?? 0) + 1 })
  await send(service, { to: TO })
}

async function emailEvents(): Promise<void> {
  const fields = { to: TO, html: '<a href="https://shop.example.com/a">Shop</a>', tags: TAGS, headers: { 'X-Order': '7' } }
  emailId = await send(service, fields)
  await untilLastEvent(emailId, 'delivered')
  const { html = '' } = await PostalMime.parse(service.sink.messages[0]?.raw ?? '')
  for (const path of [/https:\/\/links\.example\.com(\/t\/o\/[\w-]+)/, /https:\/\/links\.example\.com(\/t\/c\/[\w-]+)/])
    await requestAt(service, 'links.example.com', path.exec(html)?.[1] ?? '', { method: 'GET', headers: { 'user-agent': 'Mozilla/5.0' } })
  await service.service.context.trackedEvents.flush()
  const [recipient] = await service.database.execute<{ id: string }>('select id from recipients where email_id = $1', [emailId])
  await storeInboundMessage(service, { recipientId: recipient?.id ?? null, content: complaintReport() })
  await actOnReports(service.service.context)
  await untilLastEvent(emailId, 'complained')

  await untilLastEvent(await send(service, { to: 'later@example.org' }), 'delivery_delayed')
  await untilLastEvent(await send(service, { to: 'unknown@example.org' }), 'bounced')
  await untilLastEvent(await send(service, { to: 'unknown@example.org' }), 'suppressed')

  const key = (await service.call('POST', '/api-keys', { body: { name: 'Short-lived' } })).body as { id: string; token: string }
  const body = emailInput({ scheduled_at: 'in 1 hour' })
  const scheduled = idOf(await service.call('POST', '/emails', { body, token: key.token }))
  await service.call('DELETE', `/api-keys/${key.id}`)
  clock.shift(2 * 60 * 60 * 1_000)
  await untilLastEvent(scheduled, 'failed')
}

async function audienceEvents(): Promise<void> {
  topicId = await createTopic(service)
  await service.call('PATCH', `/topics/${topicId}`, { body: { name: 'Monthly newsletter' } })
  segmentId = idOf(await service.call('POST', '/segments', { body: { name: 'Customers' } }))
  contactId = await createContact(service, 'ada@example.org', { first_name: 'Ada', segments: [{ id: segmentId }] })
  await service.call('PATCH', `/contacts/${contactId}`, { body: { last_name: 'Lovelace' } })
  await chooseTopic(service, contactId, topicId, 'opt_out')
  await service.call('DELETE', `/contacts/${contactId}`)
  await service.call('DELETE', `/topics/${topicId}`)
}

/** What a deletion ends. */
async function endedUses(): Promise<void> {
  const templateId = await publishedTemplate(service, { alias: 'welcome' })
  const mail: Step = { key: 'mail', type: 'send_email', config: { template: { id: templateId } } }
  await createAutomation(service, { name: 'Welcome', status: 'enabled', ...chain([trigger(), mail]) })
  await service.call('DELETE', `/templates/${templateId}`)
  const segment = idOf(await service.call('POST', '/segments', { body: { name: 'Readers' } }))
  const body = { segment_id: segment, from: 'news@example.com', subject: 'News', text: 'News', send: true, scheduled_at: 'in 1 hour' }
  idOf(await service.call('POST', '/broadcasts', { body }))
  await service.call('DELETE', `/segments/${segment}`)
}

type Event = { type: string; payload: { type: string; created_at: string; data: Record<string, unknown> } }

async function readAll(): Promise<Event[]> {
  const { body } = await service.call('GET', `/webhooks/${webhookId}/feed?limit=1000`)
  return (body as { data: Event[] }).data
}

const ISO_TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

it('is in the feed, with the data that its schema declares', async () => {
  const events = await until(async () => {
    const all = await readAll()
    expect([...new Set(all.map(({ type }) => type))].toSorted()).toEqual(WEBHOOK_EVENT_TYPES.toSorted())
    return all
  })
  for (const { type, payload } of events) {
    const schema = WEBHOOK_EVENT_SCHEMAS.find((each) => each.type === type)?.schema
    if (!schema) throw new Error(`${type} has no schema`)
    const validate = exactValidator(schema)
    validate(payload)
    const problems = (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
    expect({ type, problems, unknown: unknownFields(fieldTree(schema), payload, 5) }).toEqual({ type, problems: [], unknown: [] })
    expect(payload).toEqual({ type, created_at: ISO_TIME, data: expect.any(Object) })
    expect(isWebhookEventType(type)).toBe(true)
  }
})

it('says of an email what it takes to understand it alone, and nothing of its content', async () => {
  const about = (await readAll()).filter(({ payload }) => payload.data.email_id === emailId)
  const facts = {
    email_id: emailId,
    message_id: `<${emailId}@example.com>`,
    created_at: ISO_TIME,
    from: 'Acme <hello@example.com>',
    to: [TO],
    subject: 'Your receipt',
    tags: { category: 'receipt' },
    headers: [{ name: 'X-Order', value: '7' }],
  }
  const click = { link: 'https://shop.example.com/a', timestamp: ISO_TIME, userAgent: 'Mozilla/5.0' }
  expect(about.map(({ type, payload: { data } }) => ({ type, data }))).toEqual([
    { type: 'email.sent', data: facts },
    { type: 'email.delivered', data: facts },
    { type: 'email.opened', data: { ...facts, is_machine: true, machine_rule: 'apple-privacy-proxy' } },
    { type: 'email.clicked', data: { ...facts, is_machine: true, machine_rule: 'bot', click: { ...click, ipAddress: '127.0.0.1' } } },
    { type: 'email.complained', data: { ...facts, complaint: { type: 'abuse', userAgent: 'ExampleFBL/1.0' } } },
  ])
})

it('says why an email was not delivered', async () => {
  const all = await readAll()
  const dataOf = (type: string) => all.find((event) => event.type === type)?.payload.data
  expect(dataOf('email.bounced')).toMatchObject({
    bounce: { type: 'Permanent', subType: 'General', message: expect.any(String), diagnosticCode: [expect.stringContaining('550')] },
  })
  expect(Object.keys(Object(dataOf('email.bounced')?.bounce)).toSorted()).toEqual(['diagnosticCode', 'message', 'subType', 'type'])
  expect(dataOf('email.suppressed')).toMatchObject({
    suppressed: {
      type: 'OnAccountSuppressionList',
      reason: 'previous_bounce',
      message: expect.any(String),
      diagnosticCode: expect.any(Array),
    },
  })
  expect(dataOf('email.failed')).toMatchObject({
    failed: { reason: 'The API key that scheduled the email was deleted before the scheduled time.' },
  })
  expect(dataOf('email.delivery_delayed')).toMatchObject({ message: expect.any(String), code: 451, enhanced_code: '4.7.1' })
  expect(dataOf('email.scheduled')).toMatchObject({ scheduled_at: ISO_TIME })
})

it('says of a contact its segments, the first also as its audience', async () => {
  const created = (await readAll()).find(({ type }) => type === 'contact.created')
  expect(created?.payload.data).toEqual({
    id: contactId,
    email: 'ada@example.org',
    first_name: 'Ada',
    last_name: null,
    unsubscribed: false,
    segment_ids: [segmentId],
    audience_id: segmentId,
    created_at: ISO_TIME,
    updated_at: ISO_TIME,
  })
})

it('says of a domain what it is for, and calls its records as the official service does in events', async () => {
  const [created] = (await readAll()).filter(({ type, payload }) => type === 'domain.created' && payload.data.id === domainId)
  const { records, ...facts } = created?.payload.data ?? {}
  expect(facts).toEqual({
    ...{ id: domainId, name: 'acme.example', status: 'not_started', created_at: ISO_TIME, region: 'us-east-1' },
    capabilities: { sending: 'enabled', receiving: 'enabled' },
  })
  expect((records as { record: string }[]).map(({ record }) => record)).toContain('Receiving MX')
})
