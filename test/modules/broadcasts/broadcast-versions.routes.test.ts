import { beforeAll, describe, expect, it } from 'vitest'
import { VERSIONS_KEPT_MAX } from '../../../src/modules/templates/templates.schema.ts'
import { missing, outcome, TIMESTAMP, UUID } from '../../support/builders/answers.ts'
import { createBroadcast } from '../../support/builders/broadcasts.ts'
import { addSegment } from '../../support/builders/contacts.ts'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())
let segmentId: string
beforeAll(async () => {
  segmentId = await addSegment(service)
})

type Body = Record<string, unknown>
type Version = Body & { id: string; subject: string; is_current: boolean; restored_from: string | null; author: string | null }
type List = { object: string; has_more: boolean; data: Version[] }

const HTML = '<p>{{{UNSUBSCRIBE_URL}}}</p>'
const create = (fields: Body = {}) => createBroadcast(service, { segment_id: segmentId, subject: 'Made', html: HTML, ...fields })
const read = async (id: string) => (await service.call('GET', `/broadcasts/${id}`)).body as Body
const versions = async (id: string, query = '') => (await service.call('GET', `/broadcasts/${id}/versions${query}`)).body as List
const subjects = async (id: string) => (await versions(id)).data.map(({ subject }) => subject)
const patch = async (id: string, body: Body, token = service.token) =>
  outcome(await service.call('PATCH', `/broadcasts/${id}`, { body, token }))
const restore = async (id: string, version = '', token = service.token) =>
  outcome(await service.call('POST', `/broadcasts/${id}/versions/${version}/restore`, { token }))
const act = async (id: string, name: string, body: Body = {}) =>
  expect((await service.call('POST', `/broadcasts/${id}/${name}`, { body })).status).toBe(200)

describe('GET /broadcasts/{broadcast_id}/versions', () => {
  it('lists what the broadcast has said, newest first', async () => {
    const id = await create({ from: 'Acme <hello@example.com>', preview_text: 'Soon', reply_to: ['a@example.com', 'b@example.com'] })
    await patch(id, { subject: 'Two', preview_text: null })
    const version = {
      ...{ id: UUID, created_at: TIMESTAMP, author: expect.any(String), restored_from: null },
      ...{ from: 'Acme <hello@example.com>', reply_to: 'a@example.com, b@example.com' },
    }
    expect(await versions(id)).toEqual({
      object: 'list',
      has_more: false,
      data: [
        { ...version, is_current: true, subject: 'Two', preview_text: null },
        { ...version, is_current: false, subject: 'Made', preview_text: 'Soon' },
      ],
    })
  })

  it('has none of what is no content, and none of what changes nothing', async () => {
    const id = await create()
    await patch(id, { name: 'Renamed', rate_per_hour: 5 })
    await patch(id, { subject: 'Made' })
    expect(await subjects(id)).toEqual(['Made'])
  })

  it('pages, and keeps the newest', async () => {
    const id = await create({ subject: '0' })
    for (let count = 1; count <= VERSIONS_KEPT_MAX + 1; count += 1) await patch(id, { subject: `${count}` })
    const { data } = await versions(id, '?limit=100')
    expect(data.map(({ subject }) => subject)).toEqual(
      Array.from({ length: VERSIONS_KEPT_MAX }, (_, at) => `${VERSIONS_KEPT_MAX + 1 - at}`),
    )
    const first = await versions(id, '?limit=2')
    expect([first.has_more, first.data.map((version) => version.id)]).toEqual([true, data.slice(0, 2).map((version) => version.id)])
    const second = await versions(id, `?limit=2&after=${first.data[1]?.id}`)
    expect(second.data.map((version) => version.id)).toEqual(data.slice(2, 4).map((version) => version.id))
    expect(second.data.some(({ is_current }) => is_current)).toBe(false)
  })

  it('begins with what was said before versions were kept', async () => {
    const id = await create({ subject: 'Long ago' })
    await service.database.execute('delete from broadcast_versions where broadcast_id = $1', [id])
    expect(await subjects(id)).toEqual([])
    await patch(id, { subject: 'Today' })
    const { data } = await versions(id)
    expect(data.map(({ subject, author }) => [subject, author])).toEqual([
      ['Today', expect.any(String)],
      ['Long ago', null],
    ])
    // A program of the version before changes it beside this one.
    await service.database.execute('update broadcasts set subject = $2 where id = $1', [id, 'In between'])
    await patch(id, { subject: 'Tomorrow', autosave: true })
    expect(await subjects(id)).toEqual(['Tomorrow', 'In between', 'Today', 'Long ago'])
  })

  it('ends with the broadcast', async () => {
    const id = await create()
    expect((await service.call('DELETE', `/broadcasts/${id}`)).status).toBe(200)
    expect(await service.database.execute('select from broadcast_versions where broadcast_id = $1', [id])).toEqual([])
  })

  it("answers 404 for another team's broadcast and an unknown one", async () => {
    const id = await create()
    expect(outcome(await service.call('GET', `/broadcasts/${id}/versions`, { token: service.other.token }))).toEqual(missing('Broadcast'))
    expect(outcome(await service.call('GET', `/broadcasts/${UNKNOWN_ID}/versions`))).toEqual(missing('Broadcast'))
  })
})

describe('GET /broadcasts/{broadcast_id}/versions/{broadcast_version_id}', () => {
  it('shows what the broadcast said', async () => {
    const document = { version: 1, doc: { type: 'doc' } }
    const id = await create({ text: 'As it was', content_document: document })
    await patch(id, { html: '<p>New</p>', text: null })
    const [, first] = (await versions(id)).data
    expect((await service.call('GET', `/broadcasts/${id}/versions/${`${first?.id}`.toUpperCase()}`)).body).toEqual({
      object: 'broadcast_version',
      ...first,
      ...{ html: HTML, text: 'As it was', content_document: document },
    })
  })

  it("answers 404 for another broadcast's version, and another team's", async () => {
    const [id, other] = [await create(), await create()]
    const [own] = (await versions(id)).data
    const get = async (path: string, token = service.token) => outcome(await service.call('GET', `/broadcasts/${path}`, { token }))
    for (const path of [`${other}/versions/${own?.id}`, `${id}/versions/${UNKNOWN_ID}`, `${UNKNOWN_ID}/versions/${own?.id}`])
      expect(await get(path)).toEqual(missing('Version'))
    expect(await get(`${id}/versions/${own?.id}`, service.other.token)).toEqual(missing('Version'))
  })
})

describe('POST /broadcasts/{broadcast_id}/versions/{broadcast_version_id}/restore', () => {
  it('makes a version that says what the older one said, and leaves the rest', async () => {
    const id = await create({ content_document: { version: 1 }, reply_to: 'a@example.com' })
    const before = await read(id)
    const [first] = (await versions(id)).data
    await patch(id, { name: 'Renamed', rate_per_hour: 7, subject: 'Two', html: '<p>New</p>', text: 'New', reply_to: null })
    expect(await restore(id, first?.id.toUpperCase())).toEqual({
      status: 200,
      body: { object: 'broadcast', id, warnings: expect.any(Array) },
    })
    expect(await read(id)).toEqual({ ...before, name: 'Renamed', rate_per_hour: 7, version: expect.any(String) })
    const { data } = await versions(id)
    expect(data.map(({ subject, restored_from }) => [subject, restored_from])).toEqual([
      ['Made', first?.id],
      ['Two', null],
      ['Made', null],
    ])
  })

  it('makes nothing of the newest version', async () => {
    const id = await create()
    const before = await versions(id)
    expect(await restore(id, before.data[0]?.id)).toMatchObject({ status: 200 })
    expect(await versions(id)).toEqual(before)
  })

  it('changes what is scheduled only to what can be sent, and nothing that is being sent', async () => {
    const id = await create({ html: '' })
    const [empty] = (await versions(id)).data
    await patch(id, { html: HTML })
    const [whole] = (await versions(id)).data
    await act(id, 'send', { scheduled_at: 'in 1 day' })
    expect(await restore(id, empty?.id)).toMatchObject({ status: 422, body: { message: expect.stringContaining('has no content') } })
    await patch(id, { subject: 'Overwritten' })
    expect(await restore(id, whole?.id)).toMatchObject({ status: 200 })
    expect(await read(id)).toMatchObject({ status: 'scheduled', subject: 'Made', html: HTML })
    await service.database.execute("update broadcasts set status = 'sent' where id = $1", [id])
    expect(await restore(id, whole?.id)).toMatchObject({ status: 422, body: { message: expect.stringContaining('its status is `sent`') } })
    expect((await versions(id)).data).toHaveLength(4)
  })

  it("answers 404 for another broadcast's version, and another team's", async () => {
    const [id, other] = [await create(), await create()]
    const [own] = (await versions(id)).data
    expect(await restore(other, own?.id)).toEqual(missing('Version'))
    expect(await restore(id, own?.id, service.other.token)).toEqual(missing('Version'))
  })
})

describe('saving of a broadcast while someone writes', () => {
  const later = (id: string) =>
    service.database.execute("update broadcasts set autosave_began_at = autosave_began_at - interval '1 hour' where id = $1", [id])

  it('keeps in the history what was saved by intent', async () => {
    const id = await create()
    for (const subject of ['H', 'He', 'Hel']) await patch(id, { subject, autosave: true })
    expect(await subjects(id)).toEqual(['Hel', 'Made'])
    await patch(id, { subject: 'Hel' })
    await patch(id, { subject: 'Hello', autosave: true })
    await patch(id, { subject: 'Hello!' })
    expect(await subjects(id)).toEqual(['Hello!', 'Hello', 'Hel', 'Made'])
  })

  it('keeps what there was at the end of each hour, before it was scheduled, and what another wrote', async () => {
    const id = await create()
    await patch(id, { subject: 'At nine', autosave: true })
    await patch(id, { subject: 'Until ten', autosave: true })
    await later(id)
    await patch(id, { subject: 'After ten', autosave: true })
    await act(id, 'send', { scheduled_at: 'in 1 day' })
    await act(id, 'cancel')
    await patch(id, { subject: 'A draft again', autosave: true })
    const other = (await service.call('POST', '/api-keys', { body: { name: 'other' } })).body as { token: string }
    await patch(id, { subject: 'By another', autosave: true }, other.token)
    expect(await subjects(id)).toEqual(['By another', 'A draft again', 'After ten', 'Until ten', 'Made'])
    expect((await versions(id)).data[0]?.author).toBe('other')
    expect(await patch(id, { subject: 'Mine', expected_version: 'x' })).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('was changed meanwhile by other, at ') },
    })
  })
})
