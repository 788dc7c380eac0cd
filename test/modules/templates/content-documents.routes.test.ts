import { beforeAll, describe, expect, it } from 'vitest'
import { CONTENT_DOCUMENT_LENGTH_MAX } from '../../../src/modules/templates/content-document.ts'
import { outcome } from '../../support/builders/answers.ts'
import { createBroadcast } from '../../support/builders/broadcasts.ts'
import { addSegment } from '../../support/builders/contacts.ts'
import { createTemplate } from '../../support/builders/templates.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())
let segmentId: string
beforeAll(async () => {
  segmentId = await addSegment(service)
})

type Body = Record<string, unknown>

/** With names that mean something to JavaScript, and a number that a column of the type jsonb would write otherwise. */
const DOCUMENT = {
  version: 1,
  doc: { type: 'doc', content: [{ type: 'text', text: 'a 😀', n: 1e21 }], __proto__x: 1, constructor: 'x' },
}

const KINDS = [
  ['templates', (fields: Body) => createTemplate(service, fields), 'current_version_id'],
  ['broadcasts', (fields: Body) => createBroadcast(service, { segment_id: segmentId, ...fields }), 'version'],
] as const

describe.each(KINDS)('the document of the editor, of %s', (path, create, versionField) => {
  const read = async (id: string) => (await service.call('GET', `/${path}/${id}`)).body as Body
  const patch = async (id: string, body: Body) => outcome(await service.call('PATCH', `/${path}/${id}`, { body }))

  it('is stored as it is, and stands in no list', async () => {
    const id = await create({ content_document: DOCUMENT })
    expect((await read(id)).content_document).toEqual(DOCUMENT)
    const { data } = (await service.call('GET', `/${path}`)).body as { data: Body[] }
    expect(data.find((each) => each.id === id)).not.toHaveProperty('content_document')
  })

  it('stays with other fields, is replaced with the HTML, and is cleared by HTML alone or by null', async () => {
    const id = await create({ content_document: DOCUMENT })
    await patch(id, { subject: 'Another' })
    expect((await read(id)).content_document).toEqual(DOCUMENT)
    await patch(id, { html: '<p>New</p>', content_document: { version: 2 } })
    expect(await read(id)).toMatchObject({ html: '<p>New</p>', content_document: { version: 2 } })
    await patch(id, { html: '<p>By hand</p>' })
    expect(await read(id)).toMatchObject({ html: '<p>By hand</p>', content_document: null })
    await patch(id, { content_document: DOCUMENT })
    await patch(id, { content_document: null })
    expect((await read(id)).content_document).toBeNull()
  })

  it('goes with a copy', async () => {
    const id = await create({ content_document: DOCUMENT })
    const copy = (await service.call('POST', `/${path}/${id}/duplicate`)).body as { id: string }
    expect((await read(copy.id)).content_document).toEqual(DOCUMENT)
  })

  it.each([
    ['without a version', { doc: {} }],
    ['that is no object', [1]],
    ['of a version that is no number', { version: 'one' }],
    ['that is too long', { version: 1, text: 'x'.repeat(CONTENT_DOCUMENT_LENGTH_MAX) }],
    ['that is too deep', { version: 1, deep: Array.from({ length: 60 }).reduce((inner: unknown) => [inner], 1) }],
  ])('refuses one %s', async (_what, content_document) => {
    const id = await create({})
    const refused = await patch(id, { content_document })
    expect(refused.status).toBe(422)
    expect((refused.body as Body).message).toMatch(/content_document|nested|within/)
    expect((await read(id)).content_document).toBeNull()
  })

  it('refuses a change of what someone else has changed meanwhile, and says who', async () => {
    const id = await create({})
    const before = (await read(id))[versionField]
    expect(await patch(id, { subject: 'First', expected_version: before })).toMatchObject({ status: 200 })
    expect(await patch(id, { subject: 'Second', expected_version: before })).toMatchObject({
      status: 409,
      body: { name: 'validation_error', message: expect.stringMatching(/was changed meanwhile by .+, at \d{4}-/) },
    })
    const after = await read(id)
    expect(after.subject).toBe('First')
    const second = await patch(id, { subject: 'Second', expected_version: after[versionField] })
    expect(second).toMatchObject({ status: 200, body: { version: (await read(id))[versionField] } })
    // Its answer is what the next one can expect, also if any was.
    const third = await patch(id, { name: 'Third', html: '<p>Third</p>', expected_version: Object(second.body).version })
    expect(third).toMatchObject({ status: 200, body: { version: (await read(id))[versionField] } })
    expect((await patch(id, { subject: 'Fourth', expected_version: null })).body).toMatchObject({ version: (await read(id))[versionField] })
    expect((await patch(id, { subject: 'Fifth' })).body).not.toHaveProperty('version')
  })

  it('takes one of several changes that come at once', async () => {
    const id = await create({})
    const version = (await read(id))[versionField]
    const answers = await Promise.all([1, 2, 3, 4].map((n) => patch(id, { subject: `At once ${n}`, expected_version: version })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
  })
})

describe('saving of a template while someone writes', () => {
  it('keeps what there was at the end of each hour', async () => {
    const id = await createTemplate(service, { subject: 'Made' })
    await patch(id, { subject: 'At nine', autosave: true })
    await patch(id, { subject: 'Until ten', autosave: true })
    await service.database.execute(
      "update template_versions set autosave_began_at = autosave_began_at - interval '1 hour' where template_id = $1",
      [id],
    )
    await patch(id, { subject: 'After ten', autosave: true })
    await patch(id, { subject: 'Later', autosave: true })
    expect(await subjects(id)).toEqual(['Later', 'Until ten', 'Made'])
  })

  it('leaves an alias alone, by which programs send', async () => {
    const id = await createTemplate(service, { alias: 'order-confirmation' })
    const refused = await patch(id, { alias: 'order-confirmatio', autosave: true })
    expect(refused).toMatchObject({ status: 422, body: { message: expect.stringContaining('`alias`') } })
    expect((await service.call('GET', '/templates/order-confirmation')).status).toBe(200)
  })

  const patch = async (id: string, body: Body) => outcome(await service.call('PATCH', `/templates/${id}`, { body }))
  const subjects = async (id: string) =>
    ((await service.call('GET', `/templates/${id}/versions`)).body as { data: { subject: string }[] }).data.map(({ subject }) => subject)

  it('keeps in the history what was saved by intent', async () => {
    const id = await createTemplate(service, { subject: 'Made' })
    for (const subject of ['H', 'He', 'Hel']) await patch(id, { subject, autosave: true })
    expect(await subjects(id)).toEqual(['Hel', 'Made'])
    await patch(id, { subject: 'Hel' })
    await patch(id, { subject: 'Hello', autosave: true })
    await patch(id, { subject: 'Hello!' })
    expect(await subjects(id)).toEqual(['Hello!', 'Hello', 'Hel', 'Made'])
  })

  it('keeps the version that is sent, and that of another writer', async () => {
    const id = await createTemplate(service, { subject: 'Made' })
    await patch(id, { subject: 'One', autosave: true })
    await service.call('POST', `/templates/${id}/publish`)
    await patch(id, { subject: 'Two', autosave: true })
    expect(await subjects(id)).toEqual(['Two', 'One', 'Made'])
    const other = (await service.call('POST', '/api-keys', { body: { name: 'other' } })).body as { token: string }
    await service.call('PATCH', `/templates/${id}`, { body: { subject: 'Three', autosave: true }, token: other.token })
    expect(await subjects(id)).toEqual(['Three', 'Two', 'One', 'Made'])
  })

  it('restores the document with the version', async () => {
    const id = await createTemplate(service, { content_document: DOCUMENT })
    const { data } = (await service.call('GET', `/templates/${id}/versions`)).body as { data: { id: string }[] }
    await patch(id, { html: '<p>Overwritten</p>' })
    await service.call('POST', `/templates/${id}/versions/${data[0]?.id}/restore`)
    expect((await service.call('GET', `/templates/${id}`)).body).toMatchObject({ content_document: DOCUMENT })
  })
})

it('refuses a change of a draft that someone else has scheduled meanwhile', async () => {
  const id = await createBroadcast(service, { segment_id: segmentId, html: '<p>{{{UNSUBSCRIBE_URL}}}</p>' })
  const { version } = Object((await service.call('GET', `/broadcasts/${id}`)).body)
  expect((await service.call('POST', `/broadcasts/${id}/send`, { body: { scheduled_at: 'in 1 day' } })).status).toBe(200)
  const answer = await service.call('PATCH', `/broadcasts/${id}`, { body: { html: '<p>Half a sent</p>', expected_version: version } })
  expect(answer.status).toBe(409)
  const byItself = await service.call('PATCH', `/broadcasts/${id}`, { body: { html: '<p>Half a sent</p>', autosave: true } })
  expect(byItself).toMatchObject({ status: 422, body: { message: expect.stringContaining('no longer a draft') } })
  expect(Object((await service.call('GET', `/broadcasts/${id}`)).body).html).toBe('<p>{{{UNSUBSCRIBE_URL}}}</p>')
})

it('sends what was looked at, and not what someone else has written since', async () => {
  const id = await createBroadcast(service, { segment_id: segmentId, html: '<p>Looked at {{{UNSUBSCRIBE_URL}}}</p>' })
  const { version } = Object((await service.call('GET', `/broadcasts/${id}`)).body)
  await service.call('PATCH', `/broadcasts/${id}`, { body: { html: '<p>Half a sent</p>' } })
  expect((await service.call('POST', `/broadcasts/${id}/send`, { body: { expected_version: version } })).status).toBe(409)
  expect(Object((await service.call('GET', `/broadcasts/${id}`)).body)).toMatchObject({ status: 'draft', html: '<p>Half a sent</p>' })
})

it('publishes what was looked at, and not what someone else has written since', async () => {
  const id = await createTemplate(service, { subject: 'Looked at' })
  const read = async () => Object((await service.call('GET', `/templates/${id}`)).body)
  const publish = async (expected_version?: unknown) =>
    service.call('POST', `/templates/${id}/publish`, { ...(expected_version !== undefined && { body: { expected_version } }) })
  const { current_version_id } = await read()
  await service.call('PATCH', `/templates/${id}`, { body: { subject: 'Half a sent' } })
  expect(await publish(current_version_id)).toMatchObject({
    status: 409,
    body: { message: expect.stringMatching(/was changed meanwhile by .+, at \d{4}-.+before you publish it\.$/) },
  })
  expect(await read()).toMatchObject({ status: 'draft', published_version_id: null })
  const newest = (await read()).current_version_id
  expect((await publish(newest.toUpperCase())).status).toBe(200)
  expect((await read()).published_version_id).toBe(newest)
  await service.call('PATCH', `/templates/${id}`, { body: { subject: 'Whatever it says' } })
  expect((await publish(null)).status).toBe(200)
  await service.call('PATCH', `/templates/${id}`, { body: { subject: 'Again' } })
  expect((await publish()).status).toBe(200)
  expect(await read()).toMatchObject({ has_unpublished_versions: false })
})

it('says of nothing in a document that it was ignored', async () => {
  const { headers } = await service.call('POST', '/templates', {
    body: { name: 'Open', html: '<p>x</p>', content_document: DOCUMENT, unknown: 1 },
  })
  expect(headers.get('x-ignored-fields')).toBe('unknown')
})
