import { beforeAll, describe, expect, it } from 'vitest'
import { createBoundedQueries } from '../../../src/db/bounded-queries.ts'
import { segmentMemberRepository } from '../../../src/modules/audience/segments/segment-members.repository.ts'
import { createBroadcast } from '../../support/builders/broadcasts.ts'
import { addSegment, createContact } from '../../support/builders/contacts.ts'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { type Seen, signIn, visit } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const PAGE = '/console/segments'

let cookie: string
const service = shared(() => startTestService())
beforeAll(async () => {
  cookie = await signIn(service)
  await service.call('POST', '/contact-properties', { body: { key: 'city', type: 'string' } })
  await service.call('POST', '/contact-properties', { body: { key: 'age', type: 'number' } })
  await createContact(service, { email: 'ada@example.com', first_name: 'Ada', properties: { city: 'London', age: 36 } })
  await createContact(service, { email: 'bob@example.com', first_name: 'Bob', properties: { city: 'Paris' } })
  await createContact(service, { email: 'cleo@example.net' })
})

type Form = Record<string, string>
const look = (path = '') => visit(service, 'GET', `${PAGE}${path}`, { cookie })
const post = (path: string, form: Form = {}) => visit(service, 'POST', `${PAGE}${path}`, { cookie, form })
const problemOf = ({ status, text }: Seen) => [status, /role="alert"[^>]*>([\s\S]*?)<\/p>/.exec(text)?.[1]?.replace(/<[^>]*>/g, '')]
const contactsOf = ({ text }: Seen) => [...text.matchAll(/<th scope="row"><a href="[^"]*"><bdi>([^<]*)</g)].map(([, email]) => email)
const countOf = ({ text }: Seen) =>
  /<dt>Contacts<\/dt><dd><span id="counted"[^>]*>([^<]*)/.exec(text)?.[1] ?? /<span role="status">([^<]*)/.exec(text)?.[1]
const read = async (id: string) => (await service.call('GET', `/segments/${id}`)).body as { name: string; filter: unknown }
const idIn = ({ location }: Seen) => location?.split('/')[3]?.split('?')[0] ?? ''

/** What the form of a page would send if nothing in it was changed. */
function fieldsOf({ text }: Seen): Form {
  const form: Form = {}
  for (const [, name = '', value = ''] of text.matchAll(/<input type="(?:text|hidden)"[^>]* name="([^"]*)" value="([^"]*)"/g))
    form[name] = value
  for (const [, name = '', options = ''] of text.matchAll(/<select name="([^"]*)"[^>]*>([\s\S]*?)<\/select>/g))
    form[name] = (/value="([^"]*)" selected/.exec(options) ?? /value="([^"]*)"/.exec(options))?.[1] ?? ''
  return form
}

describe('segments in the console', () => {
  it('begin with an explanation', async () => {
    expect((await look()).text).toContain('<h2>No segments yet</h2>')
  })

  it('are built rule by rule without a script, counted, and stored as the API stores them', async () => {
    let page = await look('/new')
    const press = async (act: string, changes: Form = {}) => {
      page = await post('/new', { ...fieldsOf(page), ...changes, act })
      return page
    }
    await press('add 0', { name: 'Londoners', 'add-0': 'property:city' })
    await press('group 0', { 'operator-0.0': 'equals', 'value-0.0': 'LONDON' })
    await press('add 0.1', { 'add-0.1': 'property:age' })
    await press('add 0.1', { 'add-0.1': 'field:unsubscribed', 'operator-0.1.0': 'greater_than', 'value-0.1.0': '30' })
    await press('add 0', { 'add-0': 'field:email' })
    await press('remove 0.2')
    expect(countOf(await press('count'))).toBe('1 contact')
    const saved = await press('save')
    expect(saved.location).toMatch(/\?done=created$/)
    expect(await read(idIn(saved))).toMatchObject({
      name: 'Londoners',
      filter: {
        all: [
          { property: 'city', operator: 'equals', value: 'LONDON' },
          {
            any: [
              { property: 'age', operator: 'greater_than', value: 30 },
              { field: 'unsubscribed', operator: 'equals', value: false },
            ],
          },
        ],
      },
    })
    const shown = await look(`/${idIn(saved)}?count=yes`)
    expect([countOf(shown), contactsOf(shown)]).toEqual(['1 contact', ['ada@example.com']])
    expect(shown.text).toContain('<bdi>city</bdi> is <strong dir="auto">LONDON</strong>')
    expect(shown.text).toContain('<bdi>Subscription</bdi>: subscribed')
  })

  it('are changed in place, and saving an unchanged form changes nothing', async () => {
    const filter = { not: { field: 'email', operator: 'ends_with', value: '@example.net' } }
    const { id } = (await service.call('POST', '/segments', { body: { name: 'Not net', filter } })).body as { id: string }
    const form = fieldsOf(await look(`/${id}/edit`))
    expect((await post(`/${id}/edit`, { ...form, act: 'save' })).location).toBe(`${PAGE}/${id}?done=saved`)
    expect(await read(id)).toMatchObject({ name: 'Not net', filter: { not: { any: [filter.not] } } })
    expect(contactsOf(await look(`/${id}?count=yes`))).toEqual(['bob@example.com', 'ada@example.com'])
    await post(`/${id}/edit`, { name: 'Everyone by hand', 'kind-0': 'all', act: 'save' })
    expect(await read(id)).toMatchObject({ name: 'Everyone by hand', filter: null })
  })

  it('without a filter keep their contacts when they are renamed', async () => {
    const id = await addSegment(service)
    await createContact(service, { email: 'kept@example.org', segments: [id] })
    await post(`/${id}/edit`, { name: 'Renamed', act: 'save' })
    const seen = await look(`/${id}?count=yes`)
    expect([countOf(seen), contactsOf(seen)]).toEqual(['1 contact', ['kept@example.org']])
    await service.call('DELETE', '/contacts/kept@example.org')
  })

  const rule = (subject: string, operator: string, value: string): Form => ({
    ...{ name: 'Wrong', 'kind-0': 'all', 'kind-0.0': 'any' },
    ...{ 'subject-0.0.0': subject, 'operator-0.0.0': operator, 'value-0.0.0': value },
  })
  it.each<[Form, unknown]>([
    [
      rule('property:age', 'greater_than', 'old'),
      { filter: { all: [{ any: [{ property: 'age', operator: 'greater_than', value: 'old' }] }] } },
    ],
    [rule('property:nope', 'equals', 'x'), { filter: { all: [{ any: [{ property: 'nope', operator: 'equals', value: 'x' }] }] } }],
    [rule('field:email', 'before', 'x'), { filter: { all: [{ any: [{ field: 'email', operator: 'before', value: 'x' }] }] } }],
    [
      rule('field:created_at', 'after', 'soon'),
      { filter: { all: [{ any: [{ field: 'created_at', operator: 'after', value: 'soon' }] }] } },
    ],
    [rule(`topic:${UNKNOWN_ID}`, '', 'opt_in'), { filter: { all: [{ any: [{ topic: UNKNOWN_ID, subscription: 'opt_in' }] }] } }],
    [{ name: ' ' }, { name: '' }],
    [{ name: 'Empty group', 'kind-0': 'all', 'kind-0.0': 'any' }, { filter: { all: [{ any: [] }] } }],
  ])('refuse %j with the sentence of the API, at its rule', async (form, body) => {
    const answer = await service.call('POST', '/segments', { body: { name: 'Wrong', ...(body as object) } })
    const { message } = answer.body as { message: string }
    const refused = await post('/new', { ...form, act: 'save' })
    const decoded = message.replaceAll('`', '').replaceAll('"', '&quot;')
    expect([answer.status, ...problemOf(refused)]).toEqual([422, 422, decoded])
    if ('subject-0.0.0' in form) expect(refused.text).toMatch(/name="(value|operator)-0\.0\.0"[^>]* aria-invalid="true"/)
  })

  it('are deleted after a question, but not while a filter uses them', async () => {
    const id = await addSegment(service)
    const filter = { segment: id, member: true }
    const user = (await service.call('POST', '/segments', { body: { name: 'User', filter } })).body as { id: string }
    expect(problemOf(await post(`/${id}/delete`))).toEqual([422, expect.stringContaining('is used by the filter of the segment User')])
    await post(`/${user.id}/delete`)
    expect((await post(`/${id}/delete`)).location).toBe(`${PAGE}?done=deleted&removed=${id}`)
    expect((await look(`/${id}`)).status).toBe(404)
  })

  it('of another team do not exist', async () => {
    const other = await addSegment(service, { ofTeam: service.other.teamId })
    for (const id of [other, UNKNOWN_ID, 'nope'])
      expect([
        (await look(`/${id}`)).status,
        (await look(`/${id}/edit`)).status,
        (await look(`/${id}/delete`)).status,
        (await post(`/${id}/edit`, { name: 'x', act: 'save' })).status,
        (await post(`/${id}/delete`)).status,
      ]).toEqual([404, 404, 404, 404, 404])
  })
})

describe('a count that takes too long', () => {
  const filter = { field: 'email', operator: 'contains', value: '@' } as const

  it('is that of the newest contacts, and says that there are more', async () => {
    const slow = createBoundedQueries(
      { ...service.database, transaction: (work) => service.database.transaction((inside) => work(slowed(inside))) },
      { msMax: 50 },
    )
    type Execute = Parameters<Parameters<typeof service.database.transaction>[0]>[0]
    const slowed = (inside: Execute): Execute =>
      ((sql: string, values?: unknown[]) =>
        inside(String(sql).startsWith('select') ? `select pg_sleep(1)` : sql, String(sql).startsWith('select') ? [] : values)) as Execute
    const members = segmentMemberRepository(service.database, {
      filterQueries: createBoundedQueries(service.database),
      quickCounts: slow,
      walkedMax: 2,
    })
    expect(await members.countSoon(service.teamId, { id: UNKNOWN_ID, filter })).toEqual({ contacts: 2, isAll: false })
  })
})

describe('a segment that takes long to read', () => {
  it('has a page at once, whose contacts and count follow', async () => {
    const filter = { any: [{ field: 'email', operator: 'contains', value: 'example' }] }
    const { id } = (await service.call('POST', '/segments', { body: { name: 'Slow', filter } })).body as { id: string }
    const held = await service.database.connect()
    let seen: Seen
    try {
      await held.query('begin; lock table contacts, contact_segments in access exclusive mode')
      seen = await look(`/${id}`)
    } finally {
      await held.query('rollback')
      held.release()
    }
    expect(seen.status).toBe(200)
    expect(seen.text).toContain('being counted …')
    expect(seen.text).toContain(`<a class="button quiet" href="${PAGE}/${id}?count=yes">Count them</a>`)
    const [, live = ''] = /data-live="([^"]*)"/.exec(seen.text) ?? []
    const part = await visit(service, 'GET', live, { cookie })
    expect(part.text).toMatch(/^<span id="counted">3 contacts<\/span><div id="members">/)
    expect(contactsOf(part)).toHaveLength(3)
    expect(countOf(await look(`/${id}?count=yes`))).toBe('3 contacts')
  })

  it('leads to the broadcasts to it', async () => {
    const id = await addSegment(service)
    const broadcast = await createBroadcast(service, { segment_id: id, name: 'Letter' })
    expect((await look(`/${id}`)).text).toContain(`<a href="/console/broadcasts/${broadcast}"><bdi>Letter</bdi></a>`)
    expect((await look(`/${await addSegment(service)}`)).text).toContain('None yet. <a href="/console/broadcasts/new">')
  })
})
