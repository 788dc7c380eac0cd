import { Resend } from 'resend'
import { beforeAll, describe, expect, it } from 'vitest'
import { WAITING_PER_TEAM_MAX } from '../../../../src/db/bounded-queries.ts'
import { createId } from '../../../../src/lib/ids.ts'
import { PROPERTIES_MAX } from '../../../../src/modules/audience/properties/properties.schema.ts'
import { invalid, missing, outcome, TIMESTAMP, UUID } from '../../../support/builders/answers.ts'
import { contactRecord, createContact, newAddress, readContact } from '../../../support/builders/contacts.ts'
import { UNKNOWN_ID } from '../../../support/builders/emails.ts'
import { until } from '../../../support/clocks/until.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

let resend: Resend
let made = 0

const service = shared(() => startTestService())
const impatient = shared(() => startTestService({ beside: service, patience: 1 }))
beforeAll(() => {
  resend = new Resend(service.token, { baseUrl: service.url })
})

const newKey = () => `key_${++made}`

async function createProperty(body: Record<string, unknown>): Promise<string> {
  const answer = await service.call('POST', '/contact-properties', { body: { key: newKey(), type: 'string', ...body } })
  if (answer.status !== 201) throw new Error(`The property was not created: ${answer.text}`)
  return (answer.body as { id: string }).id
}

const read = async (id: string) => (await service.call('GET', `/contact-properties/${id}`)).body

describe('POST /contact-properties', () => {
  it.each([
    ['string', 'your company', 'your company'],
    ['string', '', ''],
    ['number', 0, 0],
    ['number', -1.5, -1.5],
    ['string', null, null],
    ['number', undefined, null],
  ] as const)('creates a property of the type %s with the fallback %j', async (type, fallbackValue, kept) => {
    const key = newKey()
    const answer = await service.call('POST', '/contact-properties', { body: { key, type, fallback_value: fallbackValue } })
    const { id } = answer.body as { id: string }

    expect(outcome(answer)).toEqual({ status: 201, body: { object: 'contact_property', id: UUID } })
    expect(await read(id)).toEqual({ object: 'contact_property', id, key, type, fallback_value: kept, created_at: TIMESTAMP })
  })

  it('is understood by the official client', async () => {
    const key = newKey()
    const { data, error } = await resend.contactProperties.create({ key, type: 'number', fallbackValue: 5 })
    expect({ data, error }).toEqual({ data: { object: 'contact_property', id: UUID }, error: null })
    expect((await resend.contactProperties.get(data?.id ?? '')).data).toEqual({
      object: 'contact_property',
      id: data?.id,
      key,
      type: 'number',
      fallbackValue: 5,
      createdAt: TIMESTAMP,
    })
  })

  it.each(['k'.repeat(50), 'A', 'a_1', '1', 'constructor', 'toString', 'Email_2', 'ids', 'topic'])('takes the key %j', async (key) => {
    const id = await createProperty({ key })
    const email = newAddress()
    const contact = await createContact(service, { email, properties: { [key]: 'value' } })
    expect(await readContact(service, contact)).toEqual(
      contactRecord(contact, email, { properties: { [key]: { value: 'value', type: 'string' } } }),
    )
    expect(await read(id)).toMatchObject({ key })
  })

  it('tells keys apart by their case', async () => {
    await createProperty({ key: 'Plan' })
    await createProperty({ key: 'plan', type: 'number' })
    const id = await createContact(service, { email: newAddress(), properties: { Plan: 'paid', plan: 5 } })
    expect(await readContact(service, id)).toMatchObject({
      properties: { Plan: { value: 'paid', type: 'string' }, plan: { value: 5, type: 'number' } },
    })
  })

  const LETTERS = 'The `key` field may hold only letters of A to Z, digits and underscores.'
  const reserved = (key: string) => `The \`key\` field must not be \`${key}\`: this name is reserved for a field that every contact has.`
  it.each<[string, object, string]>([
    ['no key', { key: undefined }, 'Missing `key` field.'],
    ['an empty key', { key: '' }, 'The `key` field must not be empty.'],
    ['a key that is no text', { key: 5 }, 'The `key` field must be a string.'],
    ['a key of 51 characters', { key: 'k'.repeat(51) }, 'The `key` field must have at most 50 characters.'],
    ['a key with a hyphen', { key: 'a-b' }, LETTERS],
    ['a key with a space', { key: 'a b' }, LETTERS],
    ['a key with a line break', { key: 'a\n' }, LETTERS],
    ['a key with an umlaut', { key: 'ä' }, LETTERS],
    ...[
      'id',
      'ID',
      'email',
      'EMAIL',
      'first_name',
      'FIRST_NAME',
      'Last_Name',
      'created_at',
      'Updated_At',
      'unsubscribed',
      'UNSUBSCRIBED',
      'properties',
      'Segments',
      'topics',
      'unsubscribe_url',
      'UNSUBSCRIBE_URL',
    ].map((key): [string, object, string] => [`the key ${key}`, { key }, reserved(key)]),
    [
      'a key that no request can have',
      { key: '__proto__' },
      'The `key` field must not be `__proto__`: requests with a field of this name are refused.',
    ],
    ['no type', { type: undefined }, 'Missing `type` field.'],
    ['an unknown type', { type: 'boolean' }, 'The `type` field must be one of: `string`, `number`. It is "boolean".'],
    ['a number for text', { fallback_value: 5 }, 'The `fallback_value` field must be a string, like every value of this property.'],
    [
      'text for a number',
      { type: 'number', fallback_value: '5' },
      'The `fallback_value` field must be a number, like every value of this property.',
    ],
    ['a truth', { fallback_value: true }, 'The `fallback_value` field must be a string or a number.'],
    [
      'a fallback of 1,001 characters',
      { fallback_value: 'x'.repeat(1_001) },
      'The `fallback_value` field must have at most 1000 characters.',
    ],
  ])('refuses %s', async (_what, changes, message) => {
    const body = { key: newKey(), type: 'string', ...changes }
    expect(outcome(await service.call('POST', '/contact-properties', { body }))).toEqual(invalid(message))
  })

  it('refuses a number that no one can keep', async () => {
    const body = `{"key":"${newKey()}","type":"number","fallback_value":-1e999}`
    expect(outcome(await service.call('POST', '/contact-properties', { body }))).toEqual(
      invalid('The `fallback_value` field must be a number of at most 1.7976931348623157e+308.'),
    )
  })

  it('refuses a key that the team has, and takes one that only another team has', async () => {
    const key = newKey()
    await createProperty({ key })
    const body = { key, type: 'number' }
    expect(outcome(await service.call('POST', '/contact-properties', { body }))).toEqual(
      invalid(`There is already a property called \`${key}\`. Choose another \`key\`.`),
    )
    expect((await service.call('POST', '/contact-properties', { body, token: service.other.token })).status).toBe(201)
  })

  it('creates one property when many ask for the same key at once', async () => {
    const body = { key: newKey(), type: 'string' }
    const answers = await Promise.all(Array.from({ length: 20 }, () => service.call('POST', '/contact-properties', { body })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 19 }, () => 422)])
  })

  it('lets a team have 200, also when many come at once', async () => {
    const team = await service.service.context.repositories.teams.create('Many properties')
    const token = await service.createKey(team.id)
    await service.database.execute(
      `insert into contact_properties (id, team_id, key, type, created_at) select gen_random_uuid(), $1, 'n' || n, 'string', now() from generate_series(1, $2::int) n`,
      [team.id, PROPERTIES_MAX - 3],
    )
    const bodies = Array.from({ length: 12 }, () => ({ key: newKey(), type: 'string' }))
    const answers = await Promise.all(bodies.map((body) => service.call('POST', '/contact-properties', { token, body })))

    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3)
    for (const answer of answers.filter(({ status }) => status !== 201))
      expect(outcome(answer)).toEqual(invalid('A team can have at most 200 contact properties. Delete one first.'))
  })
})

describe('GET /contact-properties', () => {
  it('lists those of the team only, newest first, 20 unless a limit is given', async () => {
    const team = await service.service.context.repositories.teams.create('Lists')
    const client = new Resend(await service.createKey(team.id), { baseUrl: service.url })
    const ids: string[] = []
    for (let index = 0; index < 22; index += 1) {
      const { data } = await client.contactProperties.create({ key: `k${index}`, type: 'string', fallbackValue: `${index}` })
      ids.unshift(data?.id ?? '')
    }
    const page = (from: number, to: number, hasMore: boolean) => ({
      object: 'list',
      has_more: hasMore,
      data: ids.slice(from, to).map((id) => {
        const index = 21 - ids.indexOf(id)
        return { id, key: `k${index}`, type: 'string', fallbackValue: `${index}`, createdAt: TIMESTAMP }
      }),
    })
    expect((await client.contactProperties.list()).data).toEqual(page(0, 20, true))
    expect((await client.contactProperties.list({ limit: 22 })).data).toEqual(page(0, 22, false))
    expect((await client.contactProperties.list({ limit: 3, after: ids[4] ?? '' })).data).toEqual(page(5, 8, true))
    expect((await client.contactProperties.list({ limit: 3, before: ids[4] ?? '' })).data).toEqual(page(1, 4, true))
  })
})

describe('PATCH /contact-properties/:contact_property_id', () => {
  it('changes the fallback, and takes it away', async () => {
    const id = await createProperty({ fallback_value: 'before' })
    const { data } = await resend.contactProperties.update({ id, fallbackValue: 'after' })
    expect(data).toEqual({ object: 'contact_property', id })
    expect(await read(id)).toMatchObject({ fallback_value: 'after' })
    await service.call('PATCH', `/contact-properties/${id}`, { body: { fallback_value: null } })
    expect(await read(id)).toMatchObject({ fallback_value: null })
  })

  it('changes nothing else', async () => {
    const id = await createProperty({ key: 'constant' })
    const body = { fallback_value: 'after', key: 'other', type: 'number' }
    const answer = await service.call('PATCH', `/contact-properties/${id}`, { body })
    expect({ status: answer.status, ignored: answer.headers.get('x-ignored-fields') }).toEqual({ status: 200, ignored: 'key, type' })
    expect(await read(id)).toMatchObject({ key: 'constant', type: 'string', fallback_value: 'after' })
  })

  it.each([
    ['nothing', {}, 'Missing `fallback_value` field.'],
    ['the wrong type', { fallback_value: 5 }, 'The `fallback_value` field must be a string, like every value of this property.'],
    ['a truth', { fallback_value: false }, 'The `fallback_value` field must be a string or a number.'],
  ])('refuses %s, and changes nothing', async (_what, body, message) => {
    const id = await createProperty({ fallback_value: 'before' })
    expect(outcome(await service.call('PATCH', `/contact-properties/${id}`, { body }))).toEqual(invalid(message))
    expect(await read(id)).toMatchObject({ fallback_value: 'before' })
  })
})

describe('DELETE /contact-properties/:contact_property_id', () => {
  it('hides the values of all contacts at once, also from a property that has the key afterwards', async () => {
    const key = newKey()
    const id = await createProperty({ key })
    const email = newAddress()
    const contact = await createContact(service, { email, properties: { [key]: 'old' } })
    const { data } = await resend.contactProperties.remove(id)

    expect(data).toEqual({ object: 'contact_property', id, deleted: true })
    expect(await readContact(service, contact)).toEqual(contactRecord(contact, email))
    await createProperty({ key, type: 'number' })
    expect(await readContact(service, contact)).toEqual(contactRecord(contact, email))
    expect(outcome(await service.call('GET', `/contact-properties/${id}`))).toEqual(missing('Contact property'))
  })

  it('leaves a job that removes the values', async () => {
    const id = await createProperty({})
    const [row] = await service.database.execute<{ number: number }>('select number from contact_properties where id = $1', [id])
    await service.call('DELETE', `/contact-properties/${id}`)
    const jobs = await service.database.execute(
      `select j.payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
        where t.identifier = 'remove-property-values' and (j.payload ->> 'number')::int = $1`,
      [row?.number],
    )
    expect(jobs).toEqual([{ payload: { teamId: service.teamId, number: row?.number } }])
  })

  it('refuses one that the filter of a segment asks for', async () => {
    const id = await createProperty({})
    await service.database.execute(
      `insert into segments (id, team_id, name, filter, filter_uses, created_at) values ($1, $2, 'Paying', '{}', array[$3::uuid], now())`,
      [createId(), service.teamId, id],
    )
    expect(outcome(await service.call('DELETE', `/contact-properties/${id}`))).toEqual(
      invalid('This property is used by the filter of the segment `Paying`. Change that filter first.'),
    )
    expect(await read(id)).toMatchObject({ id })
  })
})

describe("another team's property, and one that is not there", () => {
  it('is a 404, and stays as it is', async () => {
    const id = await createProperty({ fallback_value: 'mine' })
    const calls = [
      ['GET', undefined],
      ['PATCH', { fallback_value: 'theirs' }],
      ['DELETE', undefined],
    ] as const
    for (const [method, body] of calls) {
      for (const [path, token] of [
        [id, service.other.token],
        [UNKNOWN_ID, service.token],
      ] as const)
        expect(outcome(await service.call(method, `/contact-properties/${path}`, { token, ...(body && { body }) }))).toEqual(
          missing('Contact property'),
        )
    }
    expect(await read(id)).toMatchObject({ fallback_value: 'mine' })
  })

  it('is not refused for its id alone: an id in upper case is the same', async () => {
    const id = await createProperty({})
    expect(await read(id.toUpperCase())).toMatchObject({ id })
    expect(outcome(await service.call('GET', '/contact-properties/company'))).toEqual(
      invalid('The `contact_property_id` parameter must be a UUID.'),
    )
  })
})

type Said = { message: string }

describe('GET /contact-properties/:contact_property_id/values', () => {
  const valuesOf = async (id: string, query = '') => (await service.call('GET', `/contact-properties/${id}/values${query}`)).body
  const holding = (values: unknown[]) => ({ object: 'contact_property_values', data: values.map((value) => ({ value })) })

  it('answers the values that contacts have, the most frequent first, and those that begin with a text', async () => {
    const key = newKey()
    const id = await createProperty({ key })
    const other = newKey()
    await createProperty({ key: other })
    for (const value of ['London', 'Lisbon', 'london', 'London', 'Paris', '50%_off\\', 'ΟΔΟΣΑ'])
      await createContact(service, { email: newAddress(), properties: { [key]: value, [other]: 'Lima' } })
    expect(await valuesOf(id)).toEqual({
      object: 'contact_property_values',
      data: [
        { value: 'London' },
        ...['50%_off\\', 'Lisbon', 'london', 'Paris', 'ΟΔΟΣΑ'].map((value) => expect.objectContaining({ value })),
      ],
    })
    expect(await valuesOf(id, '?search=LO')).toEqual(holding(['London', 'london']))
    expect(await valuesOf(id, `?search=${encodeURIComponent('50%_OFF\\')}`)).toEqual(holding(['50%_off\\']))
    // The database folds case, which ends a word otherwise than a script does.
    expect(await valuesOf(id, `?search=${encodeURIComponent('ΟΔΟΣ')}`)).toEqual(holding(['ΟΔΟΣΑ']))
    expect(await valuesOf(id, '?search=%25')).toEqual(holding([]))
    expect((await service.call('GET', `/contact-properties/${id}/values?search=%00`)).status).toBe(422)
  })

  it('answers numbers as such, and at most 20', async () => {
    const key = newKey()
    const id = await createProperty({ key, type: 'number' })
    for (let value = 1; value <= 21; value += 1) await createContact(service, { email: newAddress(), properties: { [key]: value } })
    await createContact(service, { email: newAddress(), properties: { [key]: 21 } })
    const { data } = (await valuesOf(id)) as { data: { value: number }[] }
    expect(data).toHaveLength(20)
    expect(data[0]).toEqual({ value: 21 })
    expect(await valuesOf(id, '?search=21')).toEqual(holding([21]))
  })

  it('answers 503 where they take too long, one after the other for a team, and keeps searches of emails from nothing', async () => {
    const id = await createProperty({ key: newKey() })
    const path = `/contact-properties/${id}/values`
    const readImpatiently = (asked: string) => impatient.call('GET', asked, { token: service.token })
    const slow = 'Reading the values of this property took longer than 1 second and was given up. Please try again in a few seconds.'
    const busy = 'Values of properties are being read already. Please try again in a few seconds.'
    await service.database.transaction(async (inside) => {
      await inside('lock table contacts')
      const asked = Promise.all(Array.from({ length: WAITING_PER_TEAM_MAX + 2 }, () => readImpatiently(path)))
      const answers = (await asked).map(({ status, headers, body }) => [status, headers.get('retry-after'), (body as Said).message])
      expect(new Set(answers.map(([status, after]) => `${status} ${after}`))).toEqual(new Set(['503 2']))
      expect(new Set(answers.map(([, , message]) => message))).toEqual(new Set([slow, busy]))
      await until(async () => {
        const held = readImpatiently(path)
        const searched = await readImpatiently('/emails?subject=anything')
        expect([(await held).status, searched.status]).toEqual([503, 200])
      })
    })
    expect((await service.call('GET', path)).status).toBe(200)
  })

  it('answers nothing of another team', async () => {
    const key = newKey()
    const id = await createProperty({ key })
    await createContact(service, { email: newAddress(), properties: { [key]: 'Secret' } })
    const { token } = service.other
    expect(outcome(await service.call('GET', `/contact-properties/${id}/values`, { token }))).toEqual(missing('Contact property'))
    expect(outcome(await service.call('GET', `/contact-properties/${UNKNOWN_ID}/values`))).toEqual(missing('Contact property'))
  })
})
