import { beforeAll, describe, expect, it } from 'vitest'
import { createId } from '../../../src/lib/ids.ts'
import type { Step } from '../../../src/modules/automations/graph/graph.ts'
import { failure, missing, outcome, TIMESTAMP, UUID } from '../../support/builders/answers.ts'
import { addAutomation, createRunner, graphOf, sendEvent } from '../../support/builders/automations.ts'
import { addSegment, addTopic, createContact, newAddress, readContact } from '../../support/builders/contacts.ts'
import { send, UNKNOWN_ID } from '../../support/builders/emails.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())
beforeAll(async () => {
  await service.call('POST', '/contact-properties', { body: { key: 'company', type: 'string' } })
})

const exported = async (reference: string): Promise<Record<string, unknown>> => {
  const answer = await service.call('GET', `/contacts/${reference}/export`)
  if (answer.status !== 200) throw new Error(`The contact was not exported: ${answer.text}`)
  return answer.body as Record<string, unknown>
}

const nameOf = async (table: 'segments' | 'topics', id: string) =>
  (await service.database.execute<{ name: string }>(`select name from ${table} where id = $1`, [id]))[0]?.name

describe('GET /contacts/:contact_id/export', () => {
  it('answers what is known of a contact of whom little is known', async () => {
    const team = await service.service.context.repositories.teams.create('Little')
    const token = await service.createKey(team.id)
    const email = newAddress()
    const id = await createContact(service, { email }, { token })
    const answer = await service.call('GET', `/contacts/${id}/export`, { token })
    const iso = expect.stringMatching(/Z$/)

    expect(outcome(answer)).toEqual({
      status: 200,
      body: {
        object: 'contact_export',
        exported_at: TIMESTAMP,
        contact: await readContact(service, id, { token }),
        updated_at: TIMESTAMP,
        segments: [],
        topics: [],
        opt_outs: { all_since: null, topics: [] },
        suppression: null,
        emails: [],
        has_more_emails: false,
        events: [
          {
            id: UUID,
            type: 'contact.created',
            data: {
              id,
              email,
              first_name: null,
              last_name: null,
              unsubscribed: false,
              segment_ids: [],
              created_at: iso,
              updated_at: iso,
            },
            created_at: TIMESTAMP,
          },
        ],
        has_more_events: false,
        sent_events: [],
        has_more_sent_events: false,
        automation_runs: [],
        has_more_automation_runs: false,
      },
    })
  })

  it('answers the runs of the contact through automations, with what they know', async () => {
    const email = newAddress()
    const id = await createContact(service, { email })
    const pause: Step = { key: 'pause', type: 'delay', config: { duration: '1 hour' } }
    const rename: Step = { key: 'rename', type: 'contact_update', config: { first_name: { var: 'wait_events.paid.name' } } }
    const wait: Step = { key: 'wait', type: 'wait_for_event', config: { event_name: 'paid' } }
    const automationId = await addAutomation(service, graphOf([wait, pause, rename]))
    const { runAll } = createRunner(service)
    await sendEvent(service, 'signed.up', { email, payload: { plan: 'pro' } })
    await runAll()
    await sendEvent(service, 'paid', { email, payload: { name: 'Ada' } })
    await runAll()
    const { body } = await service.call('GET', `/contacts/${id}/export`)
    expect(body).toMatchObject({
      automation_runs: [
        {
          automation_id: automationId,
          status: 'running',
          event: 'signed.up',
          payload: { plan: 'pro' },
          heard: { paid: { name: 'Ada' } },
          outputs: { wait: { timed_out: false } },
          completed_at: null,
        },
      ],
      has_more_automation_runs: false,
    })
  })

  it('answers everything that is known, by id and by address', async () => {
    const email = newAddress()
    const segments = [await addSegment(service), await addSegment(service)]
    const finding = await addSegment(service, { filter: { field: 'first_name', operator: 'equals', value: 'Exported' } })
    await addSegment(service, { filter: { field: 'first_name', operator: 'equals', value: 'Nobody' } })
    const [chosen, refused, byDefault] = [
      await addTopic(service, { defaultSubscription: 'opt_out' }),
      await addTopic(service),
      await addTopic(service, { defaultSubscription: 'opt_out' }),
    ]
    const id = await createContact(service, {
      email,
      first_name: 'Exported',
      properties: { company: 'Engines' },
      unsubscribed: true,
      segments,
      topics: [
        { id: chosen, subscription: 'opt_in' },
        { id: refused, subscription: 'opt_out' },
      ],
    })
    const first = await send(service, { to: [email, 'delivered@simulator.test'], subject: 'First' })
    const second = await send(service, { to: `Ada <${email.toUpperCase()}>`, subject: 'Second' })
    await send(service, { to: 'delivered@simulator.test', subject: 'Not to this address' })
    const suppression = createId()
    await service.database.execute(
      `insert into suppressions (id, team_id, email, origin, source_id, created_at) values ($1, $2, $3, 'bounce', $4, now())`,
      [suppression, service.teamId, email, first],
    )

    const document = await exported(id)

    expect(document).toMatchObject({
      contact: await readContact(service, id),
      opt_outs: { all_since: TIMESTAMP, topics: [{ id: refused, since: TIMESTAMP }] },
      suppression: { id: suppression, origin: 'bounce', source_id: first, created_at: TIMESTAMP },
      has_more_emails: false,
      has_more_events: false,
    })
    expect(document.segments).toEqual([
      { id: finding, name: await nameOf('segments', finding), added_at: null },
      { id: segments[1], name: await nameOf('segments', segments[1] ?? ''), added_at: TIMESTAMP },
      { id: segments[0], name: await nameOf('segments', segments[0] ?? ''), added_at: TIMESTAMP },
    ])
    expect(document.topics).toEqual([
      { id: byDefault, name: await nameOf('topics', byDefault), subscription: 'opt_out', choice: null, chosen_at: null },
      { id: refused, name: await nameOf('topics', refused), subscription: 'opt_out', choice: 'opt_out', chosen_at: TIMESTAMP },
      { id: chosen, name: await nameOf('topics', chosen), subscription: 'opt_in', choice: 'opt_in', chosen_at: TIMESTAMP },
    ])
    expect(document.emails).toEqual([
      {
        id: second,
        address: `${email.toUpperCase().split('@')[0]}@example.com`,
        subject: 'Second',
        state: 'queued',
        last_event: 'queued',
        created_at: TIMESTAMP,
      },
      { id: first, address: email, subject: 'First', state: 'queued', last_event: 'queued', created_at: TIMESTAMP },
    ])
    expect((document.events as { type: string }[]).map(({ type }) => type)).toEqual(['contact.topics.updated', 'contact.created'])
    expect({ ...(await exported(email.toUpperCase())), exported_at: null }).toEqual({ ...document, exported_at: null })
  })

  it('shows what a deleted contact had opted out of once it is back', async () => {
    const email = newAddress()
    const topic = await addTopic(service)
    await createContact(service, { email, unsubscribed: true, topics: [{ id: topic, subscription: 'opt_out' }] })
    const before = await exported(email)
    await service.call('DELETE', `/contacts/${email}`)
    await createContact(service, { email })
    const after = await exported(email)

    expect(after.contact).toMatchObject({ unsubscribed: true })
    // The time of the opt-out is the same, although the contact is a new one.
    expect(after.opt_outs).toEqual(before.opt_outs)
    expect(after.opt_outs).toMatchObject({ all_since: TIMESTAMP, topics: [{ id: topic }] })
  })

  it('answers what is known of the address of a contact that was deleted', async () => {
    const email = newAddress()
    const [segment, topic] = [await addSegment(service), await addTopic(service)]
    const topics = [{ id: topic, subscription: 'opt_out' }]
    const id = await createContact(service, { email, unsubscribed: true, segments: [segment], topics })
    await send(service, { to: email, subject: 'Before' })
    await service.database.execute(
      `insert into suppressions (id, team_id, email, origin, created_at) values ($1, $2, $3, 'manual', now())`,
      [createId(), service.teamId, email],
    )
    const before = await exported(email)
    await service.call('DELETE', `/contacts/${id}`)

    const withoutContact = {
      ...before,
      exported_at: TIMESTAMP,
      contact: null,
      updated_at: null,
      segments: [],
      topics: [],
      events: [],
      has_more_events: false,
    }
    expect(withoutContact).toMatchObject({
      opt_outs: { all_since: TIMESTAMP, topics: [{ id: topic }] },
      suppression: { origin: 'manual' },
      emails: [{ subject: 'Before' }],
    })
    expect(await exported(email)).toEqual(withoutContact)
    expect(outcome(await service.call('GET', `/contacts/${id}/export`))).toEqual(missing('Contact'))
  })

  it.each<[what: string, tell: (email: string) => Promise<unknown>, known: object]>([
    ['an email', (email) => send(service, { to: email, subject: 'Hello' }), { emails: [{ subject: 'Hello' }] }],
    [
      'an opt-out from everything',
      (email) =>
        service.database.execute('insert into opt_outs (team_id, address_hash, created_at) values ($1, $2, now())', [
          service.teamId,
          service.service.context.hashAddress(service.teamId, email),
        ]),
      { opt_outs: { all_since: TIMESTAMP, topics: [] } },
    ],
    [
      'an opt-out from a topic',
      async (email) =>
        service.database.execute('insert into topic_opt_outs (team_id, address_hash, topic_id, created_at) values ($1, $2, $3, now())', [
          service.teamId,
          service.service.context.hashAddress(service.teamId, email),
          await addTopic(service),
        ]),
      { opt_outs: { all_since: null, topics: [{ since: TIMESTAMP }] } },
    ],
    [
      'a suppression',
      (email) =>
        service.database.execute(`insert into suppressions (id, team_id, email, origin, created_at) values ($1, $2, $3, 'manual', now())`, [
          createId(),
          service.teamId,
          email,
        ]),
      { suppression: { origin: 'manual' } },
    ],
  ])('answers what is known of an address that never was a contact: %s', async (_what, tell, known) => {
    const email = newAddress()
    await tell(email)
    expect(await exported(email)).toMatchObject({ contact: null, updated_at: null, segments: [], topics: [], events: [], ...known })
    expect(outcome(await service.call('GET', `/contacts/${email}/export`, { token: service.other.token }))).toEqual(missing('Contact'))
  })

  it('tells when and why the address was suppressed, and when that was lifted, of this team only', async () => {
    const email = newAddress()
    const id = await createContact(service, { email })
    const suppress = async (token?: string) => {
      await service.call('POST', '/suppressions', { body: { email: email.toUpperCase() }, ...(token !== undefined && { token }) })
    }
    await suppress(service.other.token)
    await suppress()
    const { suppression } = await exported(id)
    expect(suppression).toEqual({ id: UUID, origin: 'manual', source_id: null, created_at: TIMESTAMP })
    await service.call('DELETE', `/suppressions/${email}`)
    const told = {
      id: (suppression as { id: string }).id,
      email,
      origin: 'manual',
      source_id: null,
      created_at: expect.stringMatching(/Z$/),
    }
    const ofAddress = [
      { id: UUID, type: 'suppression.removed', data: told, created_at: TIMESTAMP },
      { id: UUID, type: 'suppression.added', data: told, created_at: TIMESTAMP },
    ]

    const ofContact = { id: UUID, type: 'contact.created', data: expect.objectContaining({ id, email }), created_at: TIMESTAMP }
    expect(await exported(id)).toMatchObject({ suppression: null, events: [...ofAddress, ofContact], has_more_events: false })

    await service.call('DELETE', `/contacts/${id}`)
    expect(await exported(email)).toMatchObject({ contact: null, suppression: null, events: ofAddress, has_more_events: false })
  })

  it('shows nothing of deleted segments, topics and properties', async () => {
    const email = newAddress()
    const [segment, topic] = [await addSegment(service), await addTopic(service)]
    await createContact(service, { email, segments: [segment], topics: [{ id: topic, subscription: 'opt_out' }] })
    await service.database.execute('delete from segments where id = $1', [segment])
    await service.database.execute('delete from topics where id = $1', [topic])
    const { segments, topics, opt_outs: optOuts } = await exported(email)
    expect(JSON.stringify({ segments, topics, optOuts })).not.toMatch(new RegExp(`${segment}|${topic}`))
  })

  it('is of this team only', async () => {
    const email = newAddress()
    await createContact(service, { email })
    const { token, teamId } = service.other
    await createContact(service, { email, unsubscribed: true }, { token })
    await send(service, { to: email }, { token })
    await addTopic(service, { ofTeam: teamId })
    await service.database.execute(
      `insert into suppressions (id, team_id, email, origin, created_at) values ($1, $2, $3, 'manual', now())`,
      [createId(), teamId, email],
    )
    expect(await exported(email)).toMatchObject({ opt_outs: { all_since: null }, suppression: null, emails: [] })
  })

  it("answers 404 for another team's contact and for none", async () => {
    const email = newAddress()
    const id = await createContact(service, { email })
    for (const reference of [id, email])
      expect(outcome(await service.call('GET', `/contacts/${reference}/export`, { token: service.other.token }))).toEqual(
        missing('Contact'),
      )
    for (const reference of [UNKNOWN_ID, 'nobody@example.com', 'neither'])
      expect(outcome(await service.call('GET', `/contacts/${reference}/export`))).toEqual(missing('Contact'))
  })

  it('has nothing that another team sent for the address', async () => {
    const email = newAddress()
    const id = await createContact(service, { email })
    const sent = { body: { event: 'order.shipped', email }, token: service.other.token }
    expect((await service.call('POST', '/events/send', sent)).status).toBe(202)
    expect(await exported(id)).toMatchObject({ sent_events: [] })
  })

  it('is refused to a key that may only send', async () => {
    const id = await createContact(service, { email: newAddress() })
    expect(outcome(await service.call('GET', `/contacts/${id}/export`, { token: service.sendingToken }))).toEqual(
      failure(401, 'restricted_api_key', 'This API key may only send emails. Use a key with full access.'),
    )
  })
})
