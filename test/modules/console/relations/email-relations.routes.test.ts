import { beforeAll, describe, expect, it } from 'vitest'
import { LOWEST_ID, shortId } from '../../../../src/lib/ids.ts'
import { addRun, createAutomation, reached } from '../../../support/builders/automations.ts'
import { createBroadcast } from '../../../support/builders/broadcasts.ts'
import { createContact } from '../../../support/builders/contacts.ts'
import { send, UNKNOWN_ID } from '../../../support/builders/emails.ts'
import { receiveEmail } from '../../../support/builders/received-emails.ts'
import { templateInput } from '../../../support/builders/templates.ts'
import { createWebhook } from '../../../support/builders/webhooks.ts'
import { callAs, type SignedInPerson, signInPerson } from '../../../support/clients/people.ts'
import { create } from '../../../support/records/record-builder.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

// No worker, so that the rows stay as the tests write them.
const service = shared(() => startTestService({ environment: { ROLES: 'api' } }))
let owner: SignedInPerson
beforeAll(async () => {
  owner = await signInPerson(service, 'owner', { roles: { [service.teamId]: 'owner' } })
})

const ask = (id: string, person = owner) => callAs(service, person, 'GET', `/emails/${id}/relations`)
const relationsOf = async (id: string) => (await ask(id)).body
const change = (id: string, columns: string, values: unknown[]) =>
  service.database.execute(`update emails set ${columns} where id = $1`, [id, ...values])

describe('an email', () => {
  it('has nothing to do with other records, but for the key that sent it', async () => {
    const { id: key, token } = (await service.call('POST', '/api-keys', { body: { name: 'Shop' } })).body as { id: string; token: string }
    const id = await send(service, {}, { token })
    const alone = {
      ...{ object: 'email_relations', id, is_submitted: false, broadcast: null, template: null, automation_run: null },
      ...{ answered: null, replies: [], contacts: [], webhook_events: [] },
    }
    expect(await relationsOf(id)).toEqual({ ...alone, sent_by: { type: 'api_key', id: key, name: 'Shop' } })
    await service.call('DELETE', `/api-keys/${key}`)
    expect(await relationsOf(id)).toEqual({ ...alone, sent_by: { type: 'deleted', id: null, name: null } })
  })

  it('is sent by a person who is signed in', async () => {
    const body = { from: 'a@example.com', to: 'b@example.org', subject: 'Hi', text: 'Hi' }
    const sent = await callAs(service, owner, 'POST', '/emails', body)
    expect(await relationsOf((sent.body as { id: string }).id)).toMatchObject({ sent_by: { type: 'person', id: owner.id, name: 'owner' } })
  })

  it('names its broadcast, whose key sent it', async () => {
    const segment = await create(service, '/segments', { name: 'Readers' })
    const broadcast = await createBroadcast(service, { name: 'May', segment_id: segment })
    const id = await send(service)
    await change(id, 'broadcast_id = $2, api_key_id = null', [broadcast])
    await service.database.execute('update broadcasts set api_key_id = null where id = $1', [broadcast])
    expect(await relationsOf(id)).toMatchObject({ broadcast: { id: broadcast, name: 'May' }, sent_by: null })
    const key = await create(service, '/api-keys', { name: 'News' })
    await service.database.execute('update broadcasts set api_key_id = $1 where id = $2', [key, broadcast])
    expect(await relationsOf(id)).toMatchObject({ sent_by: { type: 'api_key', name: 'News' } })
  })

  it('names its template while that exists', async () => {
    const template = await create(service, '/templates', templateInput())
    const id = await send(service)
    await change(id, 'template_id = $2', [template])
    expect(await relationsOf(id)).toMatchObject({ template: { id: template, name: 'Order confirmation' } })
    await service.call('DELETE', `/templates/${template}`)
    expect(await relationsOf(id)).toMatchObject({ template: null })
  })

  it('names the contacts among its recipients, of its team only', async () => {
    const contact = await createContact(service, { email: 'grace@example.org' })
    const other = { token: service.other.token }
    expect((await service.call('POST', '/contacts', { ...other, body: { email: 'nobody@example.org' } })).status).toBe(201)
    const id = await send(service, { to: ['Grace@example.org', 'nobody@example.org'] })
    expect(await relationsOf(id)).toMatchObject({ contacts: [{ id: contact, email: 'grace@example.org' }] })
  })

  it('names the run of the automation that sent it, among the newest of the contact', async () => {
    const contactId = await createContact(service, { email: 'run@example.org' })
    const automation = await createAutomation(service)
    const id = await send(service, { to: 'run@example.org' })
    await change(id, 'api_key_id = $2', [LOWEST_ID])
    const byAutomation = { type: 'automation', id: null, name: null }
    expect(await relationsOf(id)).toMatchObject({ sent_by: byAutomation, automation_run: null })
    await addRun(service, automation, { contactId })
    const run = await addRun(service, automation, { contactId, steps: { start: reached({ output: { email_id: id } }) } })
    const found = { id: run, automation_id: automation, automation_name: 'Welcome' }
    expect(await relationsOf(id)).toMatchObject({ sent_by: byAutomation, automation_run: found })
    // By the clock of the service, which made the id of the run.
    await service.database.execute(
      `insert into automation_runs (id, team_id, automation_id, version_id, contact_id, event_id, event_name, payload, status, state, started_at, created_at)
       select uuidv7_at($3, n), team_id, id, version_id, $1, gen_random_uuid(), trigger_event, '{}', 'completed', '{}', now(), now()
       from automations, generate_series(1, 500) n where id = $2`,
      [contactId, automation, new Date(Date.now() + 3_600_000)],
    )
    expect(await relationsOf(id)).toMatchObject({ automation_run: null })
  })

  it('names what webhooks were told of it', async () => {
    const { id: webhook } = await createWebhook(service, { events: ['email.scheduled'], endpoint: 'https://hooks.example/1' })
    const id = await send(service, { scheduled_at: 'in 1 hour' })
    const [told] = await service.database.execute<{ id: string }>(
      'select id from webhook_messages where webhook_id = $1 and subject_id = $2',
      [webhook, id],
    )
    const event = {
      id: `msg_${shortId(told?.id ?? '')}`,
      webhook_id: webhook,
      endpoint: 'https://hooks.example/1',
      type: 'email.scheduled',
    }
    expect(await relationsOf(id)).toMatchObject({ webhook_events: [{ ...event, created_at: expect.any(String) }] })
  })

  it('names the received emails that answer it, and the one that it answers, of its team only', async () => {
    const id = await send(service)
    const { message_id: messageId } = (await service.call('GET', `/emails/${id}`)).body as { message_id: string }
    const answer = (from: string, teamId = service.teamId) =>
      receiveEmail(service, {
        ...{ teamId, mailFrom: '' },
        content: `From: ${from}\r\nMessage-ID: <reply@example.org>\r\nIn-Reply-To: ${messageId}\r\n\r\nYes`,
      })
    const first = await answer('Ada <ada@example.org>')
    await answer('x@example.org', service.other.teamId)
    const second = await answer('')
    const replies = [
      { id: second, from: null },
      { id: first, from: 'ada@example.org' },
    ]
    expect(await relationsOf(id)).toMatchObject({ replies, answered: null })
    const thanks = await send(service, { headers: { 'in-reply-to': '<reply@example.org>' } })
    expect(await relationsOf(thanks)).toMatchObject({ answered: { id: second, from: null }, replies: [] })
    for (let count = 0; count < 19; count += 1) await answer('b@example.org')
    expect(((await relationsOf(id)) as { replies: unknown[] }).replies).toHaveLength(20)
  })
})

describe('a role', () => {
  it('sees the records that it may read, and everyone who may read emails the name of a broadcast', async () => {
    const template = await create(service, '/templates', templateInput())
    const broadcast = await createBroadcast(service, { name: 'June', segment_id: await create(service, '/segments', { name: 'All' }) })
    const contact = await createContact(service, { email: 'seen@example.org' })
    await createWebhook(service, { events: ['email.scheduled'], endpoint: 'https://hooks.example/2' })
    const id = await send(service, { to: 'seen@example.org', scheduled_at: 'in 1 hour' })
    await change(id, 'template_id = $2, broadcast_id = $3', [template, broadcast])
    const support = await signInPerson(service, 'support', { roles: { [service.teamId]: 'support' } })
    expect((await ask(id, support)).body).toMatchObject({
      ...{ sent_by: { type: 'hidden', id: null, name: null }, template: null, webhook_events: [] },
      ...{ broadcast: { id: broadcast, name: 'June' }, contacts: [{ id: contact, email: 'seen@example.org' }] },
    })
    for (const role of ['marketer', 'viewer'] as const) {
      const person = await signInPerson(service, role, { roles: { [service.teamId]: role } })
      expect(await ask(id, person)).toMatchObject({ status: 403, body: { name: 'invalid_permission' } })
    }
  })

  it('sees no email of another team, and a key sees none', async () => {
    const theirs = await send(service, {}, { token: service.other.token })
    expect((await ask(theirs)).status).toBe(404)
    expect((await ask(UNKNOWN_ID)).status).toBe(404)
    expect((await service.call('GET', `/emails/${await send(service)}/relations`)).status).toBe(403)
  })
})
