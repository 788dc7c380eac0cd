import { Resend } from 'resend'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { FILTER_DEPTH_MAX, FILTER_LEAVES_MAX } from '../../../../src/modules/audience/segments/segments.schema.ts'
import { until } from '../../../support/clocks/until.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

let resend: Resend
let ids: Record<'ada' | 'grace' | 'alan', string>

const service = shared(() => startTestService())
const impatient = shared(() => startTestService({ beside: service, patience: 1 }))
beforeAll(async () => {
  resend = new Resend(service.token, { baseUrl: service.url })
  for (const token of [service.token, service.other.token]) {
    await service.call('POST', '/contact-properties', { token, body: { key: 'company', type: 'string', fallback_value: 'none' } })
    await service.call('POST', '/contact-properties', { token, body: { key: 'score', type: 'number' } })
  }
})

beforeEach(async () => {
  await service.database.execute('truncate contacts, contact_segments, contact_topics, segments, topics')
  ids = {
    ada: await create('/contacts', { email: 'ada@example.com', first_name: 'Ada', properties: { company: "50%_O'Brien", score: 9.5 } }),
    grace: await create('/contacts', { email: 'grace@example.org', first_name: 'Grace', properties: { score: 10 } }),
    alan: await create('/contacts', { email: 'alan@example.com', unsubscribed: true }),
  }
})

async function create(path: string, body: object, token = service.token): Promise<string> {
  const answer = await service.call('POST', path, { body, token })
  const created = answer.body
  if (answer.status !== 201 || created === null || typeof created !== 'object' || !('id' in created)) throw new Error(answer.text)
  return String(created.id)
}

const readImpatiently = (path: string, token = service.token) => impatient.call('GET', path, { token })

const filtered = (filter: object) => create('/segments', { name: 'Found', filter })
const refusal = async (filter: unknown) => {
  const { status, body } = await service.call('POST', '/segments', { body: { name: 'Refused', filter } })
  return { status, body }
}
const invalid = (message: string) => ({ status: 422, body: { statusCode: 422, name: 'validation_error', message } })

/** The contacts of a segment, read by both paths. */
async function emailsOf(segmentId: string): Promise<string[]> {
  const answer = await service.call('GET', `/segments/${segmentId}/contacts`)
  expect(await service.call('GET', `/contacts?segment_id=${segmentId}`)).toMatchObject({ status: answer.status, body: answer.body })
  const { data } = answer.body as { data: { email: string }[] }
  return data.map(({ email }) => email)
}

describe('POST /segments/counts', () => {
  const count = async (filter: unknown, token = service.token) => {
    const { status, body } = await service.call('POST', '/segments/counts', { body: { filter }, token })
    return { status, body }
  }

  it('counts the contacts of the own team that a filter finds, and stores nothing', async () => {
    const ofExample = { field: 'email', operator: 'ends_with', value: '@example.com' }
    expect(await count(ofExample)).toEqual({ status: 200, body: { object: 'segment_count', contacts: 2, is_exact: true } })
    expect(await count(ofExample, service.other.token)).toMatchObject({ body: { contacts: 0 } })
    expect((await service.call('GET', '/segments')).body).toMatchObject({ data: [] })
  })

  it('names the rule that is not valid', async () => {
    expect(await count({ all: [{ property: 'gone', operator: 'is_set' }] })).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('`filter.all[0].property`') },
    })
  })
})

describe('GET /segments/:segment_id/contacts', () => {
  it('lists who was put into a segment, and whom a filter finds, in the same form', async () => {
    const put = await create('/segments', { name: 'Put' })
    await service.call('POST', `/contacts/${ids.grace}/segments/${put}`)
    const found = await filtered({ property: 'score', operator: 'equals', value: 10 })
    for (const segment of [put, found]) {
      const { data, error } = await resend.contacts.list({ segmentId: segment })
      expect(error).toBeNull()
      expect(data).toEqual({
        object: 'list',
        has_more: false,
        data: [
          {
            object: 'contact',
            id: ids.grace,
            email: 'grace@example.org',
            first_name: 'Grace',
            last_name: null,
            created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}\+00$/),
            unsubscribed: false,
            suppressed: false,
          },
        ],
      })
    }
  })

  it('says of each contact whether its address is suppressed, also in the lists of all and of a search', async () => {
    const put = await create('/segments', { name: 'Put' })
    for (const id of [ids.grace, ids.alan]) await service.call('POST', `/contacts/${id}/segments/${put}`)
    await service.call('POST', '/suppressions', { body: { email: 'grace@example.org' } })
    for (const path of [
      `/segments/${put}/contacts`,
      `/audiences/${put}/contacts`,
      `/contacts?segment_id=${put}`,
      '/contacts',
      '/contacts?search=a',
    ]) {
      const { body } = await service.call('GET', path)
      const { data } = body as { data: { id: string; suppressed: boolean }[] }
      expect(data.flatMap(({ id, suppressed }) => (suppressed ? [id] : []))).toEqual([ids.grace])
    }
    await service.call('DELETE', '/suppressions/grace@example.org')
  })

  it('pages in both directions, newest first', async () => {
    const put = await create('/segments', { name: 'Put' })
    for (const id of Object.values(ids)) await service.call('POST', `/contacts/${id}/segments/${put}`)
    for (const segment of [put, await filtered({ field: 'email', operator: 'contains', value: '@example' })]) {
      const page = async (query: string) => {
        const { body } = await service.call('GET', `/segments/${segment}/contacts?${query}`)
        const { data, has_more: hasMore } = body as { data: { id: string }[]; has_more: boolean }
        return { ids: data.map(({ id }) => id), hasMore }
      }
      expect(await page('limit=2')).toEqual({ ids: [ids.alan, ids.grace], hasMore: true })
      expect(await page(`limit=2&after=${ids.grace}`)).toEqual({ ids: [ids.ada], hasMore: false })
      expect(await page(`limit=1&before=${ids.ada}`)).toEqual({ ids: [ids.grace], hasMore: true })
      expect(await page(`limit=2&before=${ids.grace}`)).toEqual({ ids: [ids.alan], hasMore: false })
    }
  })

  it('answers 404 for a segment of another team and for none, by both paths', async () => {
    const theirs = await create('/segments', { name: 'Theirs' }, service.other.token)
    for (const id of [theirs, '0193a5c2-7d4e-7b1a-9c3f-000000000000']) {
      for (const path of [`/segments/${id}/contacts`, `/contacts?segment_id=${id}`])
        expect(await service.call('GET', path)).toMatchObject({
          status: 404,
          body: { statusCode: 404, name: 'not_found', message: 'Segment not found' },
        })
    }
  })

  it('takes what a filter compares with as it stands', async () => {
    const company = (operator: string, value: string) => filtered({ property: 'company', operator, value })
    expect(await emailsOf(await company('contains', '%_O'))).toEqual(['ada@example.com'])
    expect(await emailsOf(await company('starts_with', '5_%'))).toEqual([])
    expect(await emailsOf(await company('equals', "50%_o'brien"))).toEqual(['ada@example.com'])
    for (const value of ["'; drop table contacts; --", "' or 'a' = 'a", '$1', '\\', '"}'])
      for (const operator of ['equals', 'contains', 'starts_with', 'ends_with'])
        expect(await emailsOf(await company(operator, value))).toEqual([])
    expect(await emailsOf(await company('not_equals', "' or 'a' = 'a"))).toHaveLength(3)
  })

  it.each([
    ['equals', 'A.b@münchen.example', ['a.b@xn--mnchen-3ya.example']],
    ['equals', '"a.b"@MÜNCHEN.example', ['a.b@xn--mnchen-3ya.example']],
    ['equals', 'a.b@XN--MNCHEN-3YA.example', ['a.b@xn--mnchen-3ya.example']],
    ['not_equals', 'a.b@münchen.example', ['alan@example.com', 'grace@example.org', 'ada@example.com']],
    ['ends_with', '@münchen.example', ['a.b@xn--mnchen-3ya.example']],
    ['ends_with', 'Example.ORG', ['grace@example.org']],
    ['contains', 'B@münchen.ex', ['a.b@xn--mnchen-3ya.example']],
    ['contains', 'münchen.', ['a.b@xn--mnchen-3ya.example']],
    ['not_contains', '@münchen', ['alan@example.com', 'grace@example.org', 'ada@example.com']],
    ['starts_with', 'a.b@münchen', ['a.b@xn--mnchen-3ya.example']],
  ])('looks for an address in the form in which it is kept: %s %s', async (operator, value, found) => {
    await create('/contacts', { email: 'a.b@münchen.example' })
    expect(await emailsOf(await filtered({ field: 'email', operator, value }))).toEqual(found)
  })

  it('does not take what stands in for a missing value', async () => {
    expect(await emailsOf(await filtered({ property: 'company', operator: 'equals', value: 'none' }))).toEqual([])
    expect(await emailsOf(await filtered({ property: 'company', operator: 'is_not_set' }))).toEqual([
      'alan@example.com',
      'grace@example.org',
    ])
  })

  it('follows contacts, topics and memberships at once', async () => {
    const topic = await create('/topics', { name: 'News', default_subscription: 'opt_in' })
    const segment = await create('/segments', { name: 'Put' })
    const optedIn = await filtered({ topic, subscription: 'opt_in' })
    const outside = await filtered({ segment, member: false })
    expect([(await emailsOf(optedIn)).length, (await emailsOf(outside)).length]).toEqual([3, 3])
    await service.call('PATCH', `/contacts/${ids.ada}/topics`, { body: [{ id: topic, subscription: 'opt_out' }] })
    await service.call('POST', `/contacts/${ids.ada}/segments/${segment}`)
    expect(await emailsOf(optedIn)).toEqual(['alan@example.com', 'grace@example.org'])
    expect(await emailsOf(outside)).toEqual(['alan@example.com', 'grace@example.org'])
  })

  it('finds with a filter as deep and as large as it may be', async () => {
    const leaf = { field: 'email', operator: 'ends_with', value: '.com' }
    const deep = (depth: number) => Array.from({ length: depth - 1 }).reduce<object>((rule) => ({ all: [rule] }), leaf)
    expect(await emailsOf(await filtered(deep(FILTER_DEPTH_MAX)))).toEqual(['alan@example.com', 'ada@example.com'])
    expect(await refusal(deep(FILTER_DEPTH_MAX + 1))).toEqual(invalid('The `filter` field may have at most 20 rules within one another.'))

    const topic = await create('/topics', { name: 'News', default_subscription: 'opt_in' })
    const kinds = [
      (index: number) => ({ field: 'email', operator: 'equals', value: `nobody${index}@example.com` }),
      (index: number) => ({ property: 'score', operator: 'greater_than', value: index + 10 }),
      (index: number) => ({ property: 'company', operator: 'contains', value: `nothing${index}` }),
      () => ({ topic, subscription: 'opt_out' }),
    ]
    const large = (count: number) => ({ any: [leaf, ...Array.from({ length: count - 1 }, (_, index) => kinds[index % 4]?.(index))] })
    expect(await emailsOf(await filtered(large(FILTER_LEAVES_MAX)))).toEqual(['alan@example.com', 'ada@example.com'])
    expect(await refusal(large(FILTER_LEAVES_MAX + 1))).toEqual(
      invalid('The `filter` field may have at most 1,000 rules that ask something of a contact.'),
    )
  })

  it('finds with a filter that asks for hundreds of segments', async () => {
    const segments: string[] = []
    for (let index = 0; index < 300; index++) segments.push(await create('/segments', { name: `Segment ${index}` }))
    await service.call('POST', `/contacts/${ids.grace}/segments/${segments.at(-1)}`)
    expect(await emailsOf(await filtered({ any: segments.map((segment) => ({ segment, member: true })) }))).toEqual(['grace@example.org'])
  })

  it('shows a filter as it was written', async () => {
    const topic = await create('/topics', { name: 'News', default_subscription: 'opt_out' })
    const segment = await create('/segments', { name: 'Put' })
    const filter = {
      all: [
        {
          any: [
            { property: 'company', operator: 'contains', value: 'X' },
            { property: 'score', operator: 'is_set' },
          ],
        },
        { not: { segment, member: false } },
        { topic, subscription: 'opt_in' },
        { field: 'created_at', operator: 'after', value: '2026-01-01T00:00:00.000Z' },
        { field: 'email', operator: 'ends_with', value: '@MÜNCHEN.example' },
        { field: 'email', operator: 'is_set' },
      ],
    }
    expect(await service.call('GET', `/segments/${await filtered(filter)}`)).toMatchObject({ status: 200, body: { filter } })
  })
})

describe('a filter', () => {
  it('may name only what the team has', async () => {
    const token = service.other.token
    await service.call('POST', '/contact-properties', { token, body: { key: 'theirs', type: 'string' } })
    const topic = await create('/topics', { name: 'Theirs', default_subscription: 'opt_in' }, token)
    const segment = await create('/segments', { name: 'Theirs' }, token)
    const inside = (rule: object) => ({ any: [{ field: 'email', operator: 'is_set' }, { not: rule }] })
    expect(await refusal(inside({ property: 'theirs', operator: 'is_set' }))).toEqual(
      invalid(
        'The `filter.any[1].not.property` field is not a property of your contacts: create it first with POST /contact-properties. It is "theirs".',
      ),
    )
    expect(await refusal(inside({ topic, subscription: 'opt_in' }))).toEqual(
      invalid(`The \`filter.any[1].not.topic\` field is not the id of one of your topics. It is "${topic}".`),
    )
    expect(await refusal(inside({ segment, member: true }))).toEqual(
      invalid(`The \`filter.any[1].not.segment\` field is not the id of one of your segments. It is "${segment}".`),
    )
  })

  it('may not name a segment with a filter', async () => {
    const segment = await filtered({ field: 'email', operator: 'is_set' })
    expect(await refusal({ segment, member: true })).toEqual(
      invalid(
        `The \`filter.segment\` field names a segment with a filter: a filter can refer only to segments without one. It is "${segment}".`,
      ),
    )
  })

  it('compares a property with what it can be compared with', async () => {
    expect(await refusal({ property: 'score', operator: 'contains', value: '1' })).toEqual(
      invalid(
        'The `filter.operator` field must be one of: `equals`, `not_equals`, `greater_than`, `greater_or_equal`, `less_than`, `less_or_equal`, `is_set`, `is_not_set`. The property `score` is a number. It is "contains".',
      ),
    )
    expect(await refusal({ property: 'score', operator: 'equals', value: '1' })).toEqual(
      invalid('The `filter.value` field must be a number, like every value of the property `score`. It is "1".'),
    )
    expect(await refusal({ property: 'company', operator: 'equals', value: 1 })).toEqual(
      invalid('The `filter.value` field must be a string, like every value of the property `company`. It is 1.'),
    )
  })

  it.each(['company"', "company' or true --", '__proto__', 'constructor', '1'])('knows a property by its exact key: %s', async (property) =>
    expect(await refusal({ property, operator: 'is_set' })).toEqual(
      invalid(
        `The \`filter.property\` field is not a property of your contacts: create it first with POST /contact-properties. It is ${JSON.stringify(property)}.`,
      ),
    ),
  )

  it('that takes too long is given up with what to do, and leaves no connection', async () => {
    const segment = await filtered({ field: 'email', operator: 'is_set' })
    const answers = await service.database.transaction(async (inside) => {
      await inside('lock table contacts in access exclusive mode')
      return Promise.all([readImpatiently(`/segments/${segment}/contacts`), readImpatiently(`/contacts?segment_id=${segment}`)])
    })
    for (const answer of answers) expect(answer).toMatchObject(invalid(TOO_SLOW))
    expect(await emailsOf(segment)).toHaveLength(3)
  })

  it('is given up together with all others of its team where a contact is asked for its segments, or exported', async () => {
    const put = await create('/segments', { name: 'Put' })
    for (let count = 0; count < 3; count += 1) await filtered({ segment: put, member: true })
    const paths = [`/contacts/${ids.ada}/segments`, `/contacts/${ids.ada}/export`]
    const answers = await service.database.transaction(async (inside) => {
      await inside('lock table contact_segments in access exclusive mode')
      return Promise.all(paths.map((path) => readImpatiently(path)))
    })
    for (const answer of answers) expect(answer).toMatchObject(invalid(TOO_SLOW))
    for (const path of paths) expect((await service.call('GET', path)).status).toBe(200)
  })

  it('keeps no one else waiting when many ask for it: of a team two run at once, the others are told when to come back', async () => {
    const topic = await create('/topics', { name: 'News', default_subscription: 'opt_in' })
    const slow = await filtered({ topic, subscription: 'opt_out' })
    const put = await create('/segments', { name: 'Put' })
    const theirs = await create('/segments', { name: 'Theirs', filter: { field: 'email', operator: 'is_set' } }, service.other.token)
    const ended: { status: number; headers: Headers; body: unknown }[] = []

    await service.database.transaction(async (inside) => {
      // Every reader of choices waits.
      await inside('lock table contact_topics in access exclusive mode')
      const asked = Array.from({ length: 30 }, async () => ended.push(await readImpatiently(`/segments/${slow}/contacts`)))
      const others = await Promise.all([
        impatient.call('POST', '/emails', { body: EMAIL, token: service.token }),
        readImpatiently(`/segments/${put}/contacts`),
        readImpatiently(`/segments/${theirs}/contacts`, service.other.token),
      ])
      expect(others.map(({ status }) => status)).toEqual([200, 200, 200])
      // None of the slow ones used up its time, so none of the others waited for them.
      expect(ended.filter(({ status }) => status !== 503)).toEqual([])
      await until(() => expect(ended).toHaveLength(28))
      expect(asked).toHaveLength(30)
    })

    await until(() => expect(ended).toHaveLength(30))
    const refused = ended.filter(({ status }) => status === 503)
    expect(refused).toHaveLength(28)
    for (const { headers, body } of refused) {
      expect(headers.get('retry-after')).toBe('5')
      expect(body).toMatchObject({ message: 'Other filters of segments are being run already. Please try again in a few seconds.' })
    }
    expect(await emailsOf(slow)).toEqual([])
  })
})

const EMAIL = { from: 'Acme <hello@example.com>', to: 'delivered@simulator.test', subject: 'Your receipt', text: 'Thank you.' }
const TOO_SLOW =
  'The filter of this segment took longer than 5 seconds among so many contacts. Give it fewer rules, or put the contacts into a segment without a filter.'
