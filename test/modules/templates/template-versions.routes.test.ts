import { describe, expect, it } from 'vitest'
import { VERSIONS_KEPT_MAX } from '../../../src/modules/templates/templates.schema.ts'
import { invalid, missing, outcome, TIMESTAMP, UUID } from '../../support/builders/answers.ts'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { createTemplate, publishedTemplate } from '../../support/builders/templates.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())

type Body = Record<string, unknown>
type List = { object: string; has_more: boolean; data: (Body & { id: string; subject: string; is_published: boolean })[] }

const read = async (id: string) => (await service.call('GET', `/templates/${id}`)).body as Body
const versions = async (id: string, query = '') => (await service.call('GET', `/templates/${id}/versions${query}`)).body as List
const patch = (id: string, body: object) => service.call('PATCH', `/templates/${id}`, { body })
const restore = async (id: string, version: string, token = service.token) =>
  outcome(await service.call('POST', `/templates/${id}/versions/${version}/restore`, { token }))
const render = async (id: string, body: object) => outcome(await service.call('POST', `/templates/${id}/render`, { body }))

describe('GET /templates/{template_id}/versions', () => {
  it('lists what the template has said, newest first', async () => {
    const alias = 'with-versions'
    const id = await publishedTemplate(service, { alias })
    await patch(id, { subject: 'Two' })
    const { current_version_id, published_version_id } = await read(id)
    const envelope = {
      from: 'Acme <hello@example.com>',
      reply_to: null,
      created_at: TIMESTAMP,
      author: expect.any(String),
      restored_from: null,
    }
    expect(await versions(alias)).toEqual({
      object: 'list',
      has_more: false,
      data: [
        { ...envelope, id: current_version_id, subject: 'Two', is_published: false, published_at: null },
        { ...envelope, id: published_version_id, subject: '{{{PRODUCT}}} is on its way', is_published: true, published_at: TIMESTAMP },
      ],
    })
  })

  it('pages', async () => {
    const id = await createTemplate(service, { subject: '1' })
    await patch(id, { subject: '2' })
    await patch(id, { subject: '3' })
    const first = await versions(id, '?limit=2')
    expect([first.has_more, first.data.map(({ subject }) => subject)]).toEqual([true, ['3', '2']])
    const second = await versions(id, `?after=${first.data[1]?.id}`)
    expect([second.has_more, second.data.map(({ subject }) => subject)]).toEqual([false, ['1']])
  })

  it('keeps the newest and the one that is sent', async () => {
    const id = await publishedTemplate(service, { subject: '0' })
    for (let count = 1; count <= VERSIONS_KEPT_MAX + 2; count += 1) await patch(id, { subject: `${count}` })
    const { data } = await versions(id, '?limit=100')
    const kept = Array.from({ length: VERSIONS_KEPT_MAX }, (_, at) => `${VERSIONS_KEPT_MAX + 2 - at}`)
    expect(data.map(({ subject }) => subject)).toEqual([...kept, '0'])
    expect(data.filter((version) => version.is_published).map(({ subject }) => subject)).toEqual(['0'])
  })

  it("answers 404 for another team's template and an unknown one", async () => {
    const id = await createTemplate(service)
    expect(outcome(await service.call('GET', `/templates/${id}/versions`, { token: service.other.token }))).toEqual(missing('Template'))
    expect(outcome(await service.call('GET', '/templates/unknown/versions'))).toEqual(missing('Template'))
  })
})

describe('GET /templates/{template_id}/versions/{version_id}', () => {
  it('shows what the template said', async () => {
    const id = await publishedTemplate(service)
    const before = await read(id)
    await patch(id, { html: 'New', text: 'New', variables: [] })
    const { from, subject, reply_to, html, text, variables } = before
    expect((await service.call('GET', `/templates/${id}/versions/${before.current_version_id}`)).body).toEqual({
      object: 'template_version',
      ...{ id: before.current_version_id, is_published: true, created_at: TIMESTAMP, published_at: TIMESTAMP },
      ...{ author: expect.any(String), restored_from: null },
      ...{ from, subject, reply_to, html, text, variables, content_document: null },
    })
  })

  it("answers 404 for another template's version, and another team's", async () => {
    const id = await createTemplate(service)
    const { current_version_id: own } = await read(id)
    const { current_version_id: other } = await read(await createTemplate(service))
    const get = async (path: string, token = service.token) => outcome(await service.call('GET', `/templates/${path}`, { token }))
    for (const path of [`${id}/versions/${other}`, `${id}/versions/${UNKNOWN_ID}`, `unknown/versions/${own}`])
      expect(await get(path)).toEqual(missing('Version'))
    expect(await get(`${id}/versions/${own}`, service.other.token)).toEqual(missing('Version'))
  })
})

describe('POST /templates/{template_id}/versions/{version_id}/restore', () => {
  it('makes a draft that says what the version said', async () => {
    const id = await publishedTemplate(service)
    const before = await read(id)
    await patch(id, { html: '{{{a.b}}}', subject: null, variables: [] })
    const { data } = await versions(id)
    expect(await restore(id, `${before.published_version_id}`.toUpperCase())).toEqual({
      status: 200,
      body: { object: 'template', id, warnings: [] },
    })
    const after = await read(id)
    expect(after).toEqual({
      ...before,
      ...{ current_version_id: UUID, updated_at: TIMESTAMP, has_unpublished_versions: true },
    })
    expect([before.current_version_id, data[0]?.id]).not.toContain(after.current_version_id)
    const newest = await versions(id)
    expect(newest.data.map((version) => version.id)).toEqual([after.current_version_id, ...data.map((version) => version.id)])
    expect(newest.data.map((version) => version.restored_from)).toEqual([before.published_version_id, null, null])
  })

  it('warns of what the version says', async () => {
    const id = await createTemplate(service, { html: '{{{a.b}}}' })
    const [first] = (await versions(id)).data
    await patch(id, { html: 'x' })
    const warnings = ['`{{{a.b}}}` cannot be filled in: the key of a variable has no dots.']
    expect(await restore(id, first?.id ?? '')).toEqual({ status: 200, body: { object: 'template', id, warnings } })
  })

  it('makes nothing of the newest version', async () => {
    const id = await createTemplate(service)
    const before = await versions(id)
    expect(await restore(id, before.data[0]?.id ?? '')).toEqual({ status: 200, body: { object: 'template', id, warnings: [] } })
    expect(await versions(id)).toEqual(before)
  })

  it("answers 404 for an unknown version, another template's, and another team's template", async () => {
    const id = await createTemplate(service)
    const other = (await versions(await createTemplate(service))).data[0]?.id ?? ''
    const own = (await versions(id)).data[0]?.id ?? ''
    expect(await restore(id, UNKNOWN_ID)).toEqual(missing('Version'))
    expect(await restore(id, other)).toEqual(missing('Version'))
    expect(await restore('unknown', own)).toEqual(missing('Version'))
    expect(await restore(id, own, service.other.token)).toEqual(missing('Version'))
    expect(await restore(id, 'x')).toEqual(invalid('The `version_id` parameter must be a UUID.'))
  })
})

describe('POST /templates/{template_id}/render', () => {
  it('fills in the newest version, with values as they are', async () => {
    const id = await publishedTemplate(service)
    await patch(id, { text: 'For {{{PRODUCT}}} & {{{OTHER}}}' })
    const { current_version_id } = await read(id)
    expect(await render(id, { variables: { PRODUCT: '<b>A&B</b>', UNUSED: 'x' } })).toEqual({
      status: 200,
      body: {
        ...{ object: 'template', id, version_id: current_version_id, subject: '<b>A&B</b> is on its way' },
        ...{ html: '<p>Thank you for <b>A&B</b>.</p>', text: 'For <b>A&B</b> & ', missing: ['OTHER'] },
      },
    })
  })

  it('fills in a version, with fallbacks', async () => {
    const id = await createTemplate(service)
    const { current_version_id } = await read(id)
    await patch(id, { html: 'New' })
    expect(await render(id, { version_id: `${current_version_id}`.toUpperCase() })).toEqual({
      status: 200,
      body: {
        ...{ object: 'template', id, version_id: current_version_id, subject: 'your order is on its way' },
        ...{ html: '<p>Thank you for your order.</p>', text: null, missing: [] },
      },
    })
  })

  it('writes every type', async () => {
    const variables = ['string', 'number', 'boolean', 'object', 'list'].map((type) => ({ key: type, type }))
    const html = '{{{string}}} {{{number}}} {{{boolean}}} {{{object}}} {{{list}}} {{{any}}}'
    const id = await createTemplate(service, { html, variables, subject: null })
    const values = { string: 'a', number: 1.5, boolean: false, object: { a: [1] }, list: ['x', null], any: [2] }
    expect(await render(id, { variables: values })).toMatchObject({ body: { html: 'a 1.5 false {"a":[1]} ["x",null] [2]', subject: null } })
  })

  it('says what is missing, also what only contacts have', async () => {
    const html = '{{{A}}} {{{contact.first_name}}} {{{FIRST_NAME|you}}} {{{UNSUBSCRIBE_URL}}} {{{B|b}}} {{{A}}}'
    const id = await createTemplate(service, { html, subject: '{{{C}}}', variables: [{ key: 'A', type: 'string' }] })
    expect(await render(id, {})).toMatchObject({
      status: 200,
      body: { html: '  you  b ', missing: ['C', 'A', 'contact.first_name', 'UNSUBSCRIBE_URL'] },
    })
  })

  it.each<[string, object, string]>([
    ['a number for a string', { PRODUCT: 1 }, 'The `variables.PRODUCT` field must be a string, as the template declares.'],
    ['null', { PRODUCT: null }, 'The `variables.PRODUCT` field must be a string, a number, true or false, an object or an array.'],
    ['a reserved name', { EMAIL: 'x' }, 'The `variables.EMAIL` field must be left out: this name is reserved for a field of contacts.'],
  ])('refuses %s as a value', async (_what, variables, message) => {
    const id = await createTemplate(service)
    expect(await render(id, { variables })).toEqual(invalid(message))
  })

  it('refuses to make more than an email can have', async () => {
    const id = await createTemplate(service, { html: '{{{PRODUCT}}}'.repeat(1_000) })
    expect(await render(id, { variables: { PRODUCT: 'x'.repeat(100_000) } })).toEqual(
      invalid('The template has more than 2 MB of HTML and text once it is filled in. Send shorter values, or use fewer placeholders.'),
    )
  })

  it('answers 404 for what there is not', async () => {
    const id = await createTemplate(service)
    expect(await render('unknown', {})).toEqual(missing('Template'))
    expect(await render(id, { version_id: UNKNOWN_ID })).toEqual(missing('Version'))
  })

  it('sends nothing', async () => {
    const team = await service.service.context.repositories.teams.create('No mail')
    const token = await service.createKey(team.id)
    const id = await createTemplate(service, {}, { token })
    await service.call('POST', `/templates/${id}/render`, { body: {}, token })
    expect((await service.call('GET', '/emails', { token })).body).toEqual({ object: 'list', has_more: false, data: [] })
  })
})
