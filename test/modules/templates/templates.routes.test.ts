import { Resend } from 'resend'
import { beforeAll, describe, expect, it } from 'vitest'
import { TEMPLATES_MAX } from '../../../src/modules/templates/templates.schema.ts'
import { failure, invalid, missing, outcome, TIMESTAMP, UUID } from '../../support/builders/answers.ts'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { createTemplate, publishedTemplate, templateInput, templateRecord, variableRecord } from '../../support/builders/templates.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

let resend: Resend

const service = shared(() => startTestService())
beforeAll(() => {
  resend = new Resend(service.token, { baseUrl: service.url })
})

type Body = Record<string, unknown>

const read = async (id: string) => (await service.call('GET', `/templates/${id}`)).body as Body
const listed = async (id: string) =>
  Object((await service.call('GET', '/templates?limit=100')).body).data.find((item: { id: string }) => item.id === id)
const patch = async (id: string, body: object) => outcome(await service.call('PATCH', `/templates/${id}`, { body }))
const post = async (path: string) => outcome(await service.call('POST', path))

let aliases = 0
const freshAlias = () => `alias-${++aliases}`

describe('POST /templates', () => {
  it('creates a draft, as the official client knows it', async () => {
    const { data, error } = await resend.templates.create({
      name: 'Order confirmation',
      from: 'Acme <hello@example.com>',
      subject: '{{{PRODUCT}}} is on its way',
      html: '<p>Thank you for {{{PRODUCT}}}.</p>',
      variables: [{ key: 'PRODUCT', type: 'string', fallbackValue: 'your order' }],
    })
    expect({ data, error }).toEqual({ data: { object: 'template', id: UUID, warnings: [] }, error: null })
    expect((await resend.templates.get(data?.id ?? '')).data).toEqual(templateRecord(data?.id ?? ''))
  })

  it('creates and publishes in one chain, as the official client does', async () => {
    const { data, error } = await resend.templates.create({ name: 'Welcome', html: '<p>Welcome.</p>' }).publish()
    expect({ data, error }).toEqual({ data: { object: 'template', id: UUID }, error: null })
    const template = await read(data?.id ?? '')
    expect(template).toEqual(
      templateRecord(data?.id ?? '', {
        ...{ name: 'Welcome', status: 'published', from: null, subject: null, html: '<p>Welcome.</p>', variables: [] },
        ...{ published_at: TIMESTAMP, published_version_id: template.current_version_id, has_unpublished_versions: false },
      }),
    )
  })

  it('takes everything that a template has', async () => {
    const alias = freshAlias()
    const variables = [
      { key: 'NAME', type: 'string', fallback_value: '' },
      { key: 'price', type: 'number', fallback_value: 0 },
      { key: 'IS_GIFT', type: 'boolean', fallback_value: false },
      { key: 'Address_2', type: 'object', fallback_value: { city: 'London', lines: [1, null] } },
      { key: 'GOODS', type: 'list', fallback_value: ['a', { b: 2 }] },
      { key: 'NEEDED', type: 'string' },
      { key: 'NULL', type: 'number', fallback_value: null },
    ]
    const fields = { alias, reply_to: ['help@example.com', 'Acme <sales@example.com>'], text: 'Hello {{{NAME}}}' }
    const id = await createTemplate(service, { ...fields, variables })
    expect(await read(alias)).toEqual(
      templateRecord(id, {
        ...fields,
        reply_to: 'help@example.com, Acme <sales@example.com>',
        variables: variables.map(({ key, ...rest }) => variableRecord(key, rest)),
      }),
    )
  })

  it('takes null as not given', async () => {
    const id = await createTemplate(service, { alias: null, from: null, subject: null, reply_to: null, text: null, variables: null })
    expect(await read(id)).toEqual(templateRecord(id, { from: null, subject: null, variables: [] }))
  })

  it('warns of placeholders that nothing can fill in', async () => {
    await service.call('POST', '/contact-properties', { body: { key: 'plan', type: 'string' } })
    const html =
      '{{{contact.plan}}} {{{contact.first_name|you}}} {{{contact.properties.seats|1}}} {{{UNSUBSCRIBE_URL}}} {{{ANY}}} {{{event.name}}}'
    expect(outcome(await service.call('POST', '/templates', { body: templateInput({ html }) }))).toEqual({
      status: 201,
      body: {
        object: 'template',
        id: UUID,
        warnings: [
          '`{{{contact.properties.seats}}}` names a property that your contacts do not have: create it with POST /contact-properties, or correct the name.',
          '`{{{event.name}}}` cannot be filled in: the key of a variable has no dots.',
        ],
      },
    })
  })

  it('refuses an alias that another template of the team has, and takes that of another team', async () => {
    const alias = freshAlias()
    await createTemplate(service, { alias })
    expect(outcome(await service.call('POST', '/templates', { body: templateInput({ alias }) }))).toEqual(
      invalid('Another of your templates already has this `alias`. Choose another one.'),
    )
    expect(await createTemplate(service, { alias }, { token: service.other.token })).toEqual(UUID)
  })

  it('refuses more templates than a team can have', async () => {
    const team = await service.service.context.repositories.teams.create('Full')
    await service.database.execute(
      `insert into templates (id, team_id, name, current_version_id, created_at, updated_at)
       select gen_random_uuid(), $1, 'x', gen_random_uuid(), now(), now() from generate_series(1, $2)`,
      [team.id, TEMPLATES_MAX],
    )
    const token = await service.createKey(team.id)
    expect(outcome(await service.call('POST', '/templates', { body: templateInput(), token }))).toEqual(
      invalid('A team can have at most 1,000 templates. Delete one first.'),
    )
  })
})

describe('GET /templates', () => {
  it('lists templates without their content, newest first', async () => {
    const team = await service.service.context.repositories.teams.create('Lists')
    const token = await service.createKey(team.id)
    const ids: string[] = []
    for (const name of ['One', 'Two', 'Three']) ids.unshift(await createTemplate(service, { name, alias: name }, { token }))
    const item = (id: string | undefined, name: string) => ({
      ...{ id, name, alias: name, status: 'draft', published_at: null, created_at: TIMESTAMP, updated_at: TIMESTAMP },
      has_unpublished_versions: true,
    })
    const official = new Resend(token, { baseUrl: service.url })
    expect((await official.templates.list()).data).toEqual({
      object: 'list',
      has_more: false,
      data: [item(ids[0], 'Three'), item(ids[1], 'Two'), item(ids[2], 'One')],
    })
    expect((await official.templates.list({ limit: 1, after: ids[0] ?? '' })).data).toEqual({
      object: 'list',
      has_more: true,
      data: [item(ids[1], 'Two')],
    })
  })
})

describe('GET /templates/{template_id}', () => {
  it.each(['unknown', UNKNOWN_ID, 'a b', '%F0%9F%98%80', 'x'.repeat(1_900)])('answers 404 for %s', async (id) =>
    expect(outcome(await service.call('GET', `/templates/${id}`))).toEqual(missing('Template')),
  )

  it("answers 404 for another team's template, by id and by alias", async () => {
    const alias = freshAlias()
    const id = await createTemplate(service, { alias })
    for (const name of [id, alias])
      expect(outcome(await service.call('GET', `/templates/${name}`, { token: service.other.token }))).toEqual(missing('Template'))
  })

  it('knows an id in upper case, and an alias only as it was given', async () => {
    const alias = `${freshAlias()}-x`
    const id = await createTemplate(service, { alias })
    expect(await read(id.toUpperCase())).toEqual(templateRecord(id, { alias }))
    expect(outcome(await service.call('GET', `/templates/${alias.toUpperCase()}`))).toEqual(missing('Template'))
  })
})

describe('PATCH /templates/{template_id}', () => {
  it('keeps every one of several changes that come together', async () => {
    const id = await createTemplate(service)
    const changes = { name: 'Changed', subject: 'Changed', html: '<p>Changed</p>', text: 'Changed', from: 'changed@example.com' }
    const answers = await Promise.all(Object.entries(changes).map(([field, value]) => patch(id, { [field]: value })))
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 200))
    expect(await read(id)).toMatchObject(changes)
  })

  it('changes a draft, as the official client does', async () => {
    const id = await createTemplate(service)
    const before = await read(id)
    const { data, error } = await resend.templates.update(id, { subject: 'New', variables: [{ key: 'PRODUCT', type: 'number' }] })
    expect({ data, error }).toEqual({ data: { object: 'template', id, warnings: [] }, error: null })
    const after = await read(id)
    expect(after).toEqual(templateRecord(id, { subject: 'New', variables: [variableRecord('PRODUCT', { type: 'number' })] }))
    expect(after.current_version_id).not.toBe(before.current_version_id)
  })

  it('makes a draft of a published template, while the published version stays', async () => {
    const id = await publishedTemplate(service)
    const before = await read(id)
    await patch(id, { html: '<p>New</p>' })
    const after = await read(id)
    expect(await listed(id)).toMatchObject({ status: 'published', has_unpublished_versions: true })
    expect(after).toEqual({
      ...before,
      ...{ html: '<p>New</p>', current_version_id: after.current_version_id, updated_at: TIMESTAMP, has_unpublished_versions: true },
    })
    expect(after.current_version_id).not.toBe(before.current_version_id)
    expect(await post(`/templates/${id}/publish`)).toEqual({ status: 200, body: { object: 'template', id } })
    expect(await read(id)).toEqual({
      ...after,
      ...{
        published_version_id: after.current_version_id,
        published_at: TIMESTAMP,
        updated_at: TIMESTAMP,
        has_unpublished_versions: false,
      },
    })
    expect(await listed(id)).toMatchObject({ status: 'published', has_unpublished_versions: false })
  })

  it('renames at once, without a new version', async () => {
    const [id, alias] = [await publishedTemplate(service), freshAlias()]
    const before = await read(id)
    expect(await patch(id, { name: 'Renamed', alias })).toEqual({ status: 200, body: { object: 'template', id, warnings: [] } })
    expect(await read(alias)).toEqual({ ...before, name: 'Renamed', alias, updated_at: TIMESTAMP })
    await patch(alias, { alias: null })
    expect(outcome(await service.call('GET', `/templates/${alias}`))).toEqual(missing('Template'))
  })

  it('makes no version when nothing changes', async () => {
    const id = await createTemplate(service)
    const before = await read(id)
    const { name: _name, variables, ...content } = templateInput()
    await patch(id, { ...content, variables })
    expect(await read(id)).toEqual({ ...before, updated_at: TIMESTAMP })
  })

  it('keeps the id of a variable that stays, and removes those that are not named', async () => {
    const id = await createTemplate(service, {
      variables: [
        { key: 'PRODUCT', type: 'string' },
        { key: 'OLD', type: 'string' },
      ],
    })
    const [first] = (await read(id)).variables as Body[]
    await patch(id, {
      variables: [
        { key: 'NEW', type: 'list' },
        { key: 'PRODUCT', type: 'string' },
      ],
    })
    const { variables } = await read(id)
    expect(variables).toEqual([variableRecord('NEW', { type: 'list' }), first])
    await patch(id, { variables: [] })
    expect((await read(id)).variables).toEqual([])
  })

  it('clears what can be empty', async () => {
    const id = await createTemplate(service, { alias: freshAlias(), text: 'x', reply_to: 'help@example.com' })
    await patch(id, { alias: null, from: null, subject: null, reply_to: null, text: null })
    expect(await read(id)).toEqual(templateRecord(id, { from: null, subject: null }))
  })

  it('takes an empty reply_to as none', async () => {
    const id = await createTemplate(service, { reply_to: '' })
    expect((await read(id)).reply_to).toBeNull()
    await patch(id, { reply_to: 'help@example.com' })
    await patch(id, { reply_to: [''] })
    expect((await read(id)).reply_to).toBeNull()
  })

  it("refuses another template's alias and keeps everything as it was", async () => {
    const [alias, id] = [freshAlias(), await createTemplate(service)]
    await createTemplate(service, { alias })
    const before = await read(id)
    expect(await patch(id, { alias, html: 'x' })).toEqual(
      invalid('Another of your templates already has this `alias`. Choose another one.'),
    )
    expect(await read(id)).toEqual(before)
  })

  it('warns as the creation does', async () => {
    const id = await createTemplate(service)
    const saved = { object: 'template', id, warnings: ['`{{{a.b}}}` cannot be filled in: the key of a variable has no dots.'] }
    expect(await patch(id, { text: '{{{a.b}}}' })).toEqual({ status: 200, body: saved })
    expect(await patch(id, { name: 'x' })).toEqual({ status: 200, body: saved })
  })

  it('answers 404 for an unknown template', async () => expect(await patch('unknown', { name: 'x' })).toEqual(missing('Template')))

  it('changes one after the other when two come at once', async () => {
    const id = await createTemplate(service)
    await Promise.all([patch(id, { subject: 'One' }), patch(id, { text: 'Two' })])
    expect(await read(id)).toEqual(templateRecord(id, { subject: 'One', text: 'Two' }))
  })
})

describe('POST /templates/{template_id}/publish', () => {
  it('changes nothing when the newest version is published', async () => {
    const id = await publishedTemplate(service)
    const before = await read(id)
    expect((await resend.templates.publish(id)).data).toEqual({ object: 'template', id })
    expect(await read(id)).toEqual(before)
  })

  it('takes the alias', async () => {
    const alias = freshAlias()
    const id = await createTemplate(service, { alias })
    expect(await post(`/templates/${alias}/publish`)).toEqual({ status: 200, body: { object: 'template', id } })
  })

  it('answers 404 for an unknown template', async () => expect(await post('/templates/unknown/publish')).toEqual(missing('Template')))
})

describe('POST /templates/{template_id}/duplicate', () => {
  it('creates a draft of the newest version, without the alias', async () => {
    const id = await publishedTemplate(service, { alias: freshAlias(), name: 'x'.repeat(100) })
    await patch(id, { text: 'Draft' })
    const { data, error } = await resend.templates.duplicate(id)
    expect({ data, error }).toEqual({ data: { object: 'template', id: UUID }, error: null })
    expect(data?.id).not.toBe(id)
    expect(await read(data?.id ?? '')).toEqual(templateRecord(data?.id ?? '', { name: `${'x'.repeat(93)} (copy)`, text: 'Draft' }))
  })

  it('answers 404 for an unknown template', async () => expect(await post('/templates/unknown/duplicate')).toEqual(missing('Template')))
})

describe('DELETE /templates/{template_id}', () => {
  it('deletes a template and its versions, and frees its alias', async () => {
    const alias = freshAlias()
    const id = await publishedTemplate(service, { alias })
    const { data, error } = await resend.templates.remove(alias)
    expect({ data, error }).toEqual({ data: { object: 'template', id, deleted: true }, error: null })
    expect(outcome(await service.call('GET', `/templates/${id}`))).toEqual(missing('Template'))
    expect(outcome(await service.call('DELETE', `/templates/${id}`))).toEqual(missing('Template'))
    expect(await service.database.execute('select id from template_versions where template_id = $1', [id])).toEqual([])
    expect(await createTemplate(service, { alias })).toEqual(UUID)
  })
})

it('gives nothing of templates to a key that may only send', async () => {
  for (const [method, path] of [
    ['GET', '/templates'],
    ['POST', '/templates/x/render'],
    ['DELETE', '/templates/x'],
  ] as const)
    expect(outcome(await service.call(method, path, { token: service.sendingToken, ...(method === 'POST' && { body: {} }) }))).toEqual(
      failure(401, 'restricted_api_key', expect.any(String)),
    )
})
