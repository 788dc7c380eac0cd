import { beforeAll, expect, it } from 'vitest'
import { LOWEST_ID, shortId } from '../../../src/lib/ids.ts'
import { addRun, createAutomation, reached } from '../../support/builders/automations.ts'
import { createBroadcast } from '../../support/builders/broadcasts.ts'
import { createContact } from '../../support/builders/contacts.ts'
import { send } from '../../support/builders/emails.ts'
import { receiveEmail } from '../../support/builders/received-emails.ts'
import { templateInput } from '../../support/builders/templates.ts'
import { createWebhook } from '../../support/builders/webhooks.ts'
import { signIn, visit } from '../../support/clients/console.ts'
import { create } from '../../support/records/record-builder.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

let cookie: string

// No worker, so that the rows stay as the tests write them.
const service = shared(() => startTestService({ environment: { ROLES: 'api' } }))
beforeAll(async () => {
  cookie = await signIn(service)
})

const look = async (path: string): Promise<string> => (await visit(service, 'GET', `/console/${path}`, { cookie })).text
const change = (id: string, columns: string, values: unknown[]) =>
  service.database.execute(`update emails set ${columns} where id = $1`, [id, ...values])

it('leads to the key that sent it, and says when that was deleted', async () => {
  const { id: key, token } = (await service.call('POST', '/api-keys', { body: { name: 'Shop <1>' } })).body as { id: string; token: string }
  const id = await send(service, {}, { token })
  expect(await look(`emails/${id}`)).toContain(
    `<dt>Sent with</dt><dd>the key <a href="/console/api-keys/${key}"><bdi>Shop &lt;1&gt;</bdi></a></dd>`,
  )
  await service.call('DELETE', `/api-keys/${key}`)
  expect(await look(`emails/${id}`)).toContain('<dt>Sent with</dt><dd>a key that was deleted</dd>')
})

it('leads to its broadcast and all emails of that, and the broadcast to its emails, segment and topic', async () => {
  const segment = await create(service, '/segments', { name: 'Readers' })
  const topic = await create(service, '/topics', { name: 'News', default_subscription: 'opt_in' })
  const broadcast = await createBroadcast(service, { name: 'May', segment_id: segment, topic_id: topic })
  const id = await send(service)
  await change(id, 'broadcast_id = $2, api_key_id = null', [broadcast])
  expect(await look(`emails/${id}`)).not.toMatch(/<dt>Sent (?:by|with)/)
  await service.database.execute(
    'update broadcasts set api_key_id = (select id from api_keys where team_id = $1 order by id limit 1) where id = $2',
    [service.teamId, broadcast],
  )
  expect(await look(`emails/${id}`)).toContain('<dt>Sent with</dt><dd>the key ')
  expect(await look(`emails/${id}`)).toContain(
    `<dd><a href="/console/broadcasts/${broadcast}"><bdi>May</bdi></a> (<a href="/console/emails?broadcast=${broadcast}">its emails</a>)</dd>`,
  )
  const page = await look(`broadcasts/${broadcast}`)
  for (const link of [`emails?broadcast=${broadcast}`, `segments/${segment}`, `topics/${topic}`])
    expect(page).toContain(`<a href="/console/${link}">`)
})

it('leads to its template by name, while it exists', async () => {
  const template = await create(service, '/templates', templateInput())
  const id = await send(service)
  await change(id, 'template_id = $2', [template])
  expect(await look(`emails/${id}`)).toContain(`the template <a href="/console/templates/${template}"><bdi>Order confirmation</bdi></a>`)
  await service.call('DELETE', `/templates/${template}`)
  expect(await look(`emails/${id}`)).not.toContain('Order confirmation')
})

it('leads to the contacts among its recipients, of its team only', async () => {
  const contact = await createContact(service, { email: 'grace@example.org' })
  const id = await send(service, { to: ['Grace@example.org', 'nobody@example.org'] })
  expect(await look(`emails/${id}`)).toContain(
    `<dt>Contact</dt><dd><div><a href="/console/contacts/${contact}"><bdi>grace@example.org</bdi></a></div></dd>`,
  )
  const theirs = await send(service, { to: 'grace@example.org' }, { token: service.other.token })
  const others = await signIn(service, service.other.token)
  expect((await visit(service, 'GET', `/console/emails/${theirs}`, { cookie: others })).text).not.toContain('/console/contacts/')
})

it('leads to the run of the automation that sent it, and the run to the email and the contact', async () => {
  const contactId = await createContact(service, { email: 'run@example.org' })
  const automation = await createAutomation(service)
  const id = await send(service, { to: 'run@example.org' })
  await change(id, 'api_key_id = $2', [LOWEST_ID])
  expect(await look(`emails/${id}`)).toContain('<dt>Sent by</dt><dd>an automation</dd>')
  await addRun(service, automation, { contactId })
  const run = await addRun(service, automation, { contactId, steps: { start: reached({ output: { email_id: id } }) } })
  expect(await look(`emails/${id}`)).toContain(
    `<dd><a href="/console/automations/${automation}/runs/${run}">a run</a> of <a href="/console/automations/${automation}"><bdi>Welcome</bdi></a></dd>`,
  )
  const page = await look(`automations/${automation}/runs/${run}`)
  expect(page).toContain(`<a href="/console/contacts/${contactId}">`)
  expect(page).toContain(`<a href="/console/emails/${id}">The email</a>`)
})

it('finds the run among the newest of the contact, and says when there are more', async () => {
  const contactId = await createContact(service, { email: 'many-runs@example.org' })
  const automation = await createAutomation(service)
  const id = await send(service, { to: 'many-runs@example.org' })
  await change(id, 'api_key_id = $2', [LOWEST_ID])
  const addRuns = (time: string) =>
    service.database.execute(
      `insert into automation_runs (id, team_id, automation_id, version_id, contact_id, event_id, event_name, payload, status, state, started_at, created_at)
       select uuidv7_at(${time}, n), team_id, id, version_id, $1, gen_random_uuid(), trigger_event, '{}', 'completed', '{}', now(), now()
       from automations, generate_series(1, 500) n where id = $2`,
      [contactId, automation],
    )
  await addRuns("'2001-02-03Z'::timestamptz")
  const run = await addRun(service, automation, { contactId, steps: { start: reached({ output: { email_id: id } }) } })
  expect(await look(`emails/${id}`)).toContain(`/console/automations/${automation}/runs/${run}">a run</a>`)
  // By the clock of the service, which made the id of the run.
  await addRuns(`'${new Date(Date.now() + 3_600_000).toISOString()}'::timestamptz`)
  expect(await look(`emails/${id}`)).toContain(
    '<dt>Sent by</dt><dd>an automation<div class="soft">Its run is not among the newest 500 of the contact.</div></dd>',
  )
})

it('leads from what happened to what webhooks were told of it', async () => {
  const { id: webhook } = await createWebhook(service, { events: ['email.scheduled'], endpoint: 'https://hooks.example/<1>' })
  const id = await send(service, { scheduled_at: 'in 1 hour' })
  const [told] = await service.database.execute<{ id: string }>(
    'select id from webhook_messages where webhook_id = $1 and subject_id = $2',
    [webhook, id],
  )
  expect(await look(`emails/${id}/progress`)).toContain(
    `webhook: <a href="/console/webhooks/${webhook}/events/msg_${shortId(told?.id ?? '')}"><bdi>https://hooks.example/&lt;1&gt;</bdi></a>`,
  )
})

it('leads to the received emails that answer it, and these lead back to it', async () => {
  const id = await send(service)
  const { message_id: messageId } = (await service.call('GET', `/emails/${id}`)).body as { message_id: string }
  const answer = (from: string, team = service.teamId) =>
    receiveEmail(service, { teamId: team, mailFrom: '', content: `From: ${from}\r\nIn-Reply-To: ${messageId}\r\n\r\nYes` })
  expect(await look(`emails/${id}`)).not.toContain('Answered by')

  const first = await answer('Ada <ada@example.org>')
  await answer('x@example.org', service.other.teamId)
  const second = await answer('')

  expect(await look(`emails/${id}`)).toContain(
    `<dt>Answered by</dt><dd><div><a href="/console/received/${second}"><bdi>no sender</bdi></a></div><div><a href="/console/received/${first}"><bdi>ada@example.org</bdi></a></div></dd>`,
  )
  expect(await look(`received/${first}`)).toContain(`<dt>Answers</dt><dd><a href="/console/emails/${id}">an email of your team</a></dd>`)

  for (let count = 0; count < 19; count += 1) await answer('b@example.org')
  const crowded = await look(`emails/${id}`)
  expect(crowded).toContain('<div class="soft">and others before</div>')
  expect(crowded.match(/"\/console\/received\//g)).toHaveLength(20)
})
