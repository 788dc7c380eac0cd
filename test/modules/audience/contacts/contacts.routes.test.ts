import { Resend } from 'resend'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { invalid, missing, outcome, UUID } from '../../../support/builders/answers.ts'
import {
  addSegment,
  addTopic,
  choicesOf,
  contactRecord,
  createContact,
  newAddress,
  readContact,
  segmentsOf,
} from '../../../support/builders/contacts.ts'
import { UNKNOWN_ID } from '../../../support/builders/emails.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

let resend: Resend

const service = shared(() => startTestService())
beforeAll(async () => {
  resend = new Resend(service.token, { baseUrl: service.url })
  await resend.contactProperties.create({ key: 'company', type: 'string' })
  await resend.contactProperties.create({ key: 'plan', type: 'string', fallbackValue: 'free' })
  await resend.contactProperties.create({ key: 'age', type: 'number' })
})

describe('POST /contacts', () => {
  it('creates a contact, which is found by its id and by its address', async () => {
    const { data, error } = await resend.contacts.create({
      email: 'Ada@Example.com',
      firstName: 'Ada',
      lastName: 'Lovelace',
      unsubscribed: false,
      properties: { company: 'Analytical Engines', age: 36 },
    })
    expect(error).toBeNull()
    expect(data).toEqual({ object: 'contact', id: UUID })
    const contact = contactRecord(data?.id ?? '', 'ada@example.com', {
      first_name: 'Ada',
      last_name: 'Lovelace',
      properties: { company: { value: 'Analytical Engines', type: 'string' }, age: { value: 36, type: 'number' } },
    })
    expect((await resend.contacts.get({ id: data?.id ?? '' })).data).toEqual(contact)
    expect((await resend.contacts.get({ email: 'ADA@example.com' })).data).toEqual(contact)
  })

  it('answers the same id for the same address, in whatever case and form, and merges what is given', async () => {
    const first = await createContact(service, {
      email: 'merge@bücher.example',
      first_name: 'Ada',
      last_name: 'Lovelace',
      properties: { company: 'Engines', plan: 'free' },
    })
    const answer = await service.call('POST', '/contacts', {
      body: { email: 'MERGE@XN--BCHER-KVA.example', first_name: 'Augusta', properties: { plan: 'paid', age: 36 } },
    })

    expect(outcome(answer)).toEqual({ status: 201, body: { object: 'contact', id: first } })
    expect(await readContact(service, first)).toEqual(
      contactRecord(first, 'merge@xn--bcher-kva.example', {
        first_name: 'Augusta',
        last_name: 'Lovelace',
        properties: {
          company: { value: 'Engines', type: 'string' },
          plan: { value: 'paid', type: 'string' },
          age: { value: 36, type: 'number' },
        },
      }),
    )
  })

  it('takes null as not given', async () => {
    const email = newAddress()
    const given = { email, first_name: 'Ada', last_name: 'Lovelace', unsubscribed: true, properties: { company: 'Engines' } }
    const id = await createContact(service, given)
    const nothing = { first_name: null, last_name: null, unsubscribed: null, segments: null, topics: null, audience_id: null }

    expect(await createContact(service, { email, ...nothing, properties: null })).toBe(id)
    expect(await readContact(service, id)).toEqual(
      contactRecord(id, email, {
        first_name: 'Ada',
        last_name: 'Lovelace',
        unsubscribed: true,
        properties: { company: { value: 'Engines', type: 'string' } },
      }),
    )
  })

  it('removes the properties that are null, as an update does', async () => {
    const email = newAddress()
    const id = await createContact(service, { email, properties: { company: 'Engines' } })
    expect(await createContact(service, { email, properties: { company: null } })).toBe(id)
    expect(await readContact(service, id)).toEqual(contactRecord(id, email))
    const unknown = await service.call('POST', '/contacts', { body: { email, properties: { nope: null } } })
    expect(unknown).toMatchObject({ status: 422, body: { message: expect.stringContaining('`properties.nope`') } })
  })

  it('puts a contact into segments, named by objects, by ids or by their former name, and adds to those it is in', async () => {
    const email = newAddress()
    const segments = await Promise.all([addSegment(service), addSegment(service), addSegment(service), addSegment(service)])
    const [first = '', second = '', third = '', fourth = ''] = segments
    const id = await createContact(service, { email, segments: [{ id: first }, second.toUpperCase(), first] })
    await createContact(service, { email, segments: [{ id: third }], audience_id: fourth })
    expect(await segmentsOf(service, id)).toEqual(segments.toSorted())
  })

  it('keeps what the contact wants of topics', async () => {
    const wanted = await addTopic(service, { defaultSubscription: 'opt_out' })
    const unwanted = await addTopic(service)
    const { data } = await resend.contacts.create({
      email: newAddress(),
      topics: [
        { id: wanted, subscription: 'opt_in' },
        { id: unwanted.toUpperCase(), subscription: 'opt_out' },
      ],
    })
    expect(await choicesOf(service, data?.id ?? '')).toEqual({ [wanted]: 'opt_in', [unwanted]: 'opt_out' })
  })

  it('keeps the contacts of two teams with the same address apart', async () => {
    const email = newAddress()
    const mine = await createContact(service, { email, first_name: 'Mine' })
    const theirs = await createContact(service, { email, first_name: 'Theirs', unsubscribed: true }, { token: service.other.token })

    expect(theirs).not.toBe(mine)
    expect(await readContact(service, email)).toEqual(contactRecord(mine, email, { first_name: 'Mine' }))
    expect(await readContact(service, email, { token: service.other.token })).toEqual(
      contactRecord(theirs, email, { first_name: 'Theirs', unsubscribed: true }),
    )
  })

  it('ignores fields that it does not know, and names them', async () => {
    const answer = await service.call('POST', '/contacts', {
      body: { email: newAddress(), phone: '1', properties: { company: 'Engines' } },
    })
    expect(answer.status).toBe(201)
    expect(answer.headers.get('x-ignored-fields')).toBe('phone')
  })
})

describe('GET /contacts', () => {
  it('lists the contacts of the team only, newest first, 20 unless a limit is given', async () => {
    const token = await service.createKey((await service.service.context.repositories.teams.create('Lists')).id)
    const client = new Resend(token, { baseUrl: service.url })
    const emails = Array.from({ length: 23 }, newAddress)
    const ids: string[] = []
    for (const email of emails) ids.push(await createContact(service, { email, first_name: 'Ada' }, { token }))
    const newestFirst = ids.toReversed()
    const page = (from: number, to: number, hasMore: boolean) => ({
      object: 'list',
      has_more: hasMore,
      data: newestFirst.slice(from, to).map((id) => {
        const { properties, ...summary } = contactRecord(id, emails[ids.indexOf(id)] ?? '', { first_name: 'Ada' })
        return { ...summary, suppressed: false }
      }),
    })

    expect((await client.contacts.list()).data).toEqual(page(0, 20, true))
    expect((await client.contacts.list({ limit: 100 })).data).toEqual(page(0, 23, false))
    expect((await client.contacts.list({ limit: 5, after: newestFirst[9] ?? '' })).data).toEqual(page(10, 15, true))
    expect((await client.contacts.list({ limit: 5, before: newestFirst[9] ?? '' })).data).toEqual(page(4, 9, true))
    expect((await client.contacts.list({ limit: 9, before: newestFirst[9] ?? '' })).data).toEqual(page(0, 9, false))
    expect((await client.contacts.list({ after: newestFirst[22] ?? '' })).data).toEqual(page(23, 23, false))
  })

  it.each([
    ['limit=0', 'The `limit` parameter must be a number from 1 to 100. It is 0.'],
    ['limit=101', 'The `limit` parameter must be a number from 1 to 100. It is 101.'],
    ['after=ada@example.com', 'The `after` parameter must be a UUID. It is "ada@example.com".'],
    [`after=${UNKNOWN_ID}&before=${UNKNOWN_ID}`, 'Give either `after` or `before`, not both.'],
  ])('refuses %s', async (query, message) => {
    expect(outcome(await service.call('GET', `/contacts?${query}`))).toEqual(invalid(message))
  })
})

describe('PATCH /contacts/:contact_id', () => {
  let id: string
  let email: string

  beforeEach(async () => {
    email = newAddress()
    id = await createContact(service, {
      email,
      first_name: 'Ada',
      last_name: 'Lovelace',
      properties: { company: 'Engines', plan: 'paid' },
    })
  })

  const unchanged = (changes: Record<string, unknown> = {}) =>
    contactRecord(id, email, {
      first_name: 'Ada',
      last_name: 'Lovelace',
      properties: { company: { value: 'Engines', type: 'string' }, plan: { value: 'paid', type: 'string' } },
      ...changes,
    })

  it('changes what is given, merges properties, and removes those that are null', async () => {
    const { data, error } = await resend.contacts.update({
      email,
      firstName: 'Augusta',
      unsubscribed: true,
      properties: { plan: null, age: 36 },
    })
    expect({ data, error }).toEqual({ data: { object: 'contact', id }, error: null })
    expect(await readContact(service, id)).toEqual(
      unchanged({
        first_name: 'Augusta',
        unsubscribed: true,
        properties: { company: { value: 'Engines', type: 'string' }, age: { value: 36, type: 'number' } },
      }),
    )
  })

  it('clears names that are null, and keeps empty ones', async () => {
    await service.call('PATCH', `/contacts/${id}`, { body: { first_name: null, last_name: '' } })
    expect(await readContact(service, id)).toEqual(unchanged({ first_name: null, last_name: '' }))
  })

  it('changes nothing when nothing is given', async () => {
    expect(outcome(await service.call('PATCH', `/contacts/${id}`, { body: {} }))).toEqual({ status: 200, body: { object: 'contact', id } })
    expect(await readContact(service, id)).toEqual(unchanged())
  })

  it('does nothing to values that are null and were not there', async () => {
    await service.call('PATCH', `/contacts/${id}`, { body: { properties: { age: null } } })
    expect(await readContact(service, id)).toEqual(unchanged())
  })

  it('gives a contact another address', async () => {
    const next = newAddress()
    const answer = await service.call('PATCH', `/contacts/${email}`, { body: { email: next.toUpperCase() } })

    expect(outcome(answer)).toEqual({ status: 200, body: { object: 'contact', id } })
    expect(await readContact(service, next)).toEqual({ ...unchanged(), email: next })
    expect(outcome(await service.call('GET', `/contacts/${email}`))).toEqual(missing('Contact'))
  })

  it('takes the address that the contact has', async () => {
    const answer = await service.call('PATCH', `/contacts/${id}`, { body: { email: email.toUpperCase(), first_name: 'Augusta' } })
    expect(answer.status).toBe(200)
    expect(await readContact(service, id)).toEqual(unchanged({ first_name: 'Augusta' }))
  })

  it('refuses an address that another contact has, and changes nothing', async () => {
    const taken = newAddress()
    await createContact(service, { email: taken })
    const answer = await service.call('PATCH', `/contacts/${id}`, { body: { email: taken, first_name: 'Augusta', unsubscribed: true } })

    expect(outcome(answer)).toEqual(
      invalid('The `email` field is the address of another contact. Use another address, or change that contact.'),
    )
    expect(await readContact(service, id)).toEqual(unchanged())
  })

  it("takes an address that only another team's contact has", async () => {
    const theirs = newAddress()
    await createContact(service, { email: theirs }, { token: service.other.token })
    expect((await service.call('PATCH', `/contacts/${id}`, { body: { email: theirs } })).status).toBe(200)
  })

  it("answers 404 for another team's contact, by id and by address, and leaves it as it is", async () => {
    for (const reference of [id, email]) {
      const answer = await service.call('PATCH', `/contacts/${reference}`, { token: service.other.token, body: { first_name: 'Theirs' } })
      expect(outcome(answer)).toEqual(missing('Contact'))
    }
    expect(await readContact(service, id)).toEqual(unchanged())
  })
})

describe('DELETE /contacts/:contact_id', () => {
  it('deletes a contact with its memberships and choices, by id and by address', async () => {
    const email = newAddress()
    const [segment, topic] = [await addSegment(service), await addTopic(service)]
    const fields = { email, segments: [segment], topics: [{ id: topic, subscription: 'opt_in' }] }
    for (const reference of ['id', 'email'] as const) {
      const id = await createContact(service, fields)
      const { data, error } = await resend.contacts.remove(reference === 'id' ? { id } : { email })

      expect({ data, error }).toEqual({ data: { object: 'contact', id, contact: id, deleted: true }, error: null })
      expect(await segmentsOf(service, id)).toEqual([])
      expect(await choicesOf(service, id)).toEqual({})
      expect((await resend.contacts.get({ id })).error).toEqual({ statusCode: 404, name: 'not_found', message: 'Contact not found' })
    }
  })

  it('answers 404 for a contact that never existed or was deleted', async () => {
    const id = await createContact(service, { email: newAddress() })
    await service.call('DELETE', `/contacts/${id}`)
    for (const reference of [id, UNKNOWN_ID, 'nobody@example.com', 'neither-id-nor-address']) {
      expect(outcome(await service.call('DELETE', `/contacts/${reference}`))).toEqual(missing('Contact'))
    }
  })

  it("answers 404 for another team's contact, and leaves it as it is", async () => {
    const email = newAddress()
    const id = await createContact(service, { email })
    for (const reference of [id, email]) {
      expect(outcome(await service.call('DELETE', `/contacts/${reference}`, { token: service.other.token }))).toEqual(missing('Contact'))
    }
    expect(await readContact(service, id)).toEqual(contactRecord(id, email))
  })
})

describe('notifications of contacts', () => {
  it('tell how the contact is after each change, and which topics changed', async () => {
    const email = newAddress()
    const [segment, topic] = [await addSegment(service), await addTopic(service)]
    const id = await createContact(service, { email, segments: [segment], topics: [{ id: topic, subscription: 'opt_out' }] })
    await createContact(service, { email, first_name: 'Ada', topics: [{ id: topic, subscription: 'opt_out' }] })
    await service.call('PATCH', `/contacts/${id}`, { body: { unsubscribed: true } })
    await service.call('DELETE', `/contacts/${id}`)

    const told = await service.database.execute('select type, data from notifications where subject_id = $1 order by id', [id])
    const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const data = {
      id,
      email,
      first_name: null,
      last_name: null,
      unsubscribed: false,
      segment_ids: [segment],
      created_at: iso,
      updated_at: iso,
    }
    expect(told).toEqual([
      { type: 'contact.created', data },
      { type: 'contact.topics.updated', data: { email, topics: [{ id: topic, subscription: 'opt_out' }] } },
      { type: 'contact.updated', data: { ...data, first_name: 'Ada' } },
      { type: 'contact.updated', data: { ...data, first_name: 'Ada', unsubscribed: true } },
      { type: 'contact.deleted', data: { ...data, first_name: 'Ada', unsubscribed: true } },
    ])
  })
})
