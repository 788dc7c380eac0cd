import { beforeEach, describe, expect, it } from 'vitest'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { problemIn, sectionVisitor, signIn, visit } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const ADDRESS = '/console/events'

let cookie: string

const service = shared(() => startTestService())
beforeEach(async () => {
  cookie = await signIn(service)
})

const { read, send } = sectionVisitor(ADDRESS, () => ({ service, cookie }))
const eventNamed = async (name: string) => (await service.call('GET', `/events/${encodeURIComponent(name)}`)).body

it('says what an event is while there is none', async () => {
  const { text } = await read()
  expect(text).toContain('No events yet')
  expect(text).toContain('<details class="sheet" id="add" open>')
})

it('creates, changes and deletes an event', async () => {
  const { location } = await send(ADDRESS, { name: ' order.shipped ', schema: '{"total": "number"}' })
  expect(await eventNamed('order.shipped')).toMatchObject({ schema: { total: 'number' }, updated_at: null })
  expect(location).toMatch(/^\/console\/events\/[0-9a-f-]{36}\?done=created$/)
  const address = location?.split('?', 1)[0] ?? ''
  const page = await read(address)
  expect(page.text).toContain('{\n  &quot;total&quot;: &quot;number&quot;\n}</textarea>')
  expect((await send(`${address}/schema`, { schema: '' })).location).toBe(`${address}?done=saved`)
  expect(await eventNamed('order.shipped')).toMatchObject({ schema: null, updated_at: expect.any(String) })
  expect((await read()).text).toMatch(/<bdi>order\.shipped<\/bdi>[\s\S]*not checked/)
  expect((await send(`${address}/delete`)).location).toBe(`${ADDRESS}?done=deleted`)
  expect(await eventNamed('order.shipped')).toMatchObject({ statusCode: 404 })
  expect((await send(`${address}/delete`)).status).toBe(404)
})

describe('a form that is refused', () => {
  it.each([
    ['an empty name', { name: '' }, /^The `name` field must/],
    ['a reserved name', { name: 'resend:email.sent' }, /^The `name` field may not begin with `resend:`/],
    ['a name of 10,000 characters', { name: 'n'.repeat(10_000) }, /^The `name` field must have at most 100 characters/],
    ['text that is no JSON', { name: 'n', schema: '{"a": ' }, /^The `schema` field is not valid JSON at line 1, column 7\.$/],
    ['a type that does not exist', { name: 'n', schema: '{"a": "float"}' }, /^The `schema.a` field must be/],
    ['a list', { name: 'n', schema: '[1]' }, /^The `schema` field must be/],
    [
      'a field without a name',
      { name: 'n', schema: '{"": "string"}' },
      /^The `schema` field must have field names of 1 to 100 characters\.$/,
    ],
  ])('with %s says why, and keeps what was typed', async (_name, form, sentence) => {
    const seen = await send(ADDRESS, form)
    expect(problemIn(seen)).toEqual({ status: 422, problem: expect.stringMatching(sentence) })
    expect(seen.text).toContain('<details class="sheet" id="add" open>')
  })

  it('with a name that another event has, or a schema that is not one, changes nothing', async () => {
    const { location } = await send(ADDRESS, { name: 'taken' })
    const address = location?.split('?', 1)[0] ?? ''
    expect(problemIn(await send(ADDRESS, { name: 'taken' }))).toMatchObject({
      status: 422,
      problem: 'Another of your events already has this `name`. Choose another one.',
    })
    const refused = await send(`${address}/schema`, { schema: '{{' })
    expect(refused.status).toBe(422)
    expect(refused.text).toContain('{{</textarea>')
    expect((await read(`${address}/schema`)).location).toBe(address)
  })

  it('comes from another site, or from no one who is signed in', async () => {
    const form = { name: 'forged' }
    expect((await visit(service, 'POST', ADDRESS, { cookie, form, origin: 'https://evil.example' })).status).toBe(403)
    expect((await visit(service, 'POST', ADDRESS, { form })).location).toBe('/console/sign-in')
    expect(await eventNamed('forged')).toMatchObject({ statusCode: 404 })
  })
})

describe('what a contact did', () => {
  it('is shown with its payload, newest first, also what came before the contact', async () => {
    const { location } = await send(ADDRESS, { name: 'page.viewed' })
    const address = location?.split('?', 1)[0] ?? ''
    await service.call('POST', '/events/send', {
      body: { event: 'page.viewed', email: 'ada@example.com', payload: { path: '<b>first</b>' } },
    })
    await service.call('POST', '/contacts', { body: { email: 'ada@example.com' } })
    await service.call('POST', '/events/send', { body: { event: 'order.placed', email: 'ada@example.com', payload: { total: 7 } } })
    const { text } = await read(`${address}?contact=+ADA@example.com`)
    expect(text.indexOf('&quot;total&quot;: 7')).toBeGreaterThan(0)
    expect(text.indexOf('&quot;total&quot;: 7')).toBeLessThan(text.indexOf('&lt;b&gt;first&lt;/b&gt;'))
  })

  it.each(['nobody@example.com', 'not an address', '<b>'])('says that %s is no contact', async (typed) => {
    await send(ADDRESS, { name: 'page.viewed' })
    const { id } = (await eventNamed('page.viewed')) as { id: string }
    const { status, text } = await read(`${ADDRESS}/${id}?contact=${encodeURIComponent(typed)}`)
    expect(status).toBe(200)
    expect(text).toContain('is not a contact of your team.')
  })

  it("is not shown of another team's contact", async () => {
    const { token } = service.other
    await service.call('POST', '/contacts', { token, body: { email: 'theirs@example.com' } })
    await service.call('POST', '/events/send', { token, body: { event: 'theirs', email: 'theirs@example.com', payload: { a: 'secret' } } })
    await send(ADDRESS, { name: 'page.viewed' })
    const { id } = (await eventNamed('page.viewed')) as { id: string }
    expect((await read(`${ADDRESS}/${id}?contact=theirs@example.com`)).text).toContain('is not a contact of your team.')
  })
})

it("is unknown with another team's id, and with none that exists", async () => {
  const { body } = await service.call('POST', '/events', { token: service.other.token, body: { name: 'other.team' } })
  const { id: theirs } = body as { id: string }
  for (const id of [theirs, UNKNOWN_ID, 'order.shipped']) {
    expect({ id, status: (await read(`${ADDRESS}/${id}`)).status }).toEqual({ id, status: 404 })
    expect({ id, status: (await send(`${ADDRESS}/${id}/schema`, { schema: '' })).status }).toEqual({ id, status: 404 })
    expect({ id, status: (await send(`${ADDRESS}/${id}/delete`)).status }).toEqual({ id, status: 404 })
  }
  expect((await service.call('GET', `/events/${theirs}`, { token: service.other.token })).status).toBe(200)
})
