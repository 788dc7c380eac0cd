// What an editor saves by itself while someone writes is one entry, and everything that someone means to do is one of its own.
import { beforeAll, describe, expect, it } from 'vitest'
import { joinWaiting, verifyChain } from '../../../src/modules/audit/chain.service.ts'
import { createBroadcast } from '../../support/builders/broadcasts.ts'
import { addSegment } from '../../support/builders/contacts.ts'
import { createTemplate } from '../../support/builders/templates.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())
let segmentId: string
let otherSegmentId: string
let otherToken: string
beforeAll(async () => {
  segmentId = await addSegment(service)
  otherSegmentId = await addSegment(service)
  otherToken = Object((await service.call('POST', '/api-keys', { body: { name: 'other' } })).body).token
  await service.call('POST', '/webhooks', { body: { endpoint: 'https://example.com/hook', events: ['audit.recorded'] } })
})

type Body = Record<string, unknown>

const KINDS = [
  [
    'templates',
    () => createTemplate(service, { subject: 'Made' }),
    'update template_versions set autosave_began_at = $2 where template_id = $1',
  ],
  [
    'broadcasts',
    () => createBroadcast(service, { segment_id: segmentId, subject: 'Made', html: '<p>{{{UNSUBSCRIBE_URL}}}</p>' }),
    'update broadcasts set autosave_began_at = $2 where id = $1',
  ],
] as const

/** The acts on a record, the oldest first. */
const actsOn = async (id: string): Promise<string[]> => {
  const { data } = (await service.call('GET', `/audit-log?target_id=${id}&limit=100`)).body as { data: { id: string; action: string }[] }
  const told = await service.database.execute<{ id: string }>(
    "select subject_id as id from notifications where type = 'audit.recorded' and subject_id = any($1::uuid[]) order by subject_id desc",
    [data.map((entry) => entry.id)],
  )
  expect(told.map((notification) => notification.id)).toEqual(data.map((entry) => entry.id))
  return data.map(({ action }) => action.replace(/^\w+\./, '')).reverse()
}

describe.each(KINDS)('what is saved by itself, of %s', (path, create, age) => {
  const patch = async (id: string, body: Body, token = service.token) =>
    expect((await service.call('PATCH', `/${path}/${id}`, { body, token })).status).toBe(200)
  const write = async (id: string, ...subjects: string[]) => {
    for (const subject of subjects) await patch(id, { subject, autosave: true })
  }

  it('is one entry in an hour, and one event', async () => {
    const id = await create()
    await write(id, 'H', 'He', 'Hel', 'Hel')
    expect(await actsOn(id)).toEqual(['create', 'update'])
    await service.database.execute(age, [id, new Date(Date.now() - 60 * 60 * 1000)])
    await write(id, 'Hell', 'Hello')
    expect(await actsOn(id)).toEqual(['create', 'update', 'update'])
  })

  it('does not hide what is done by intent, or by another', async () => {
    const id = await create()
    await write(id, 'H', 'He')
    await patch(id, { subject: 'Hello' })
    await write(id, 'Hello y', 'Hello you')
    await patch(id, { subject: 'Hello we', autosave: true }, otherToken)
    await write(id, 'Mine')
    expect(await actsOn(id)).toEqual(['create', 'update', 'update', 'update', 'update', 'update'])
  })

  it('names the one who wrote last, although that is no entry', async () => {
    const id = await create()
    const { data } = (await service.call('GET', `/audit-log?target_id=${id}`)).body as { data: { created_at: string }[] }
    await patch(id, { subject: 'H', autosave: true }, otherToken)
    await patch(id, { subject: 'He', autosave: true }, otherToken)
    const answer = await service.call('PATCH', `/${path}/${id}`, { body: { subject: 'Mine', expected_version: 'read before' } })
    expect(answer.status).toBe(409)
    const { message } = answer.body as { message: string }
    expect(message).toMatch(/was changed meanwhile by other, at \d{4}-/)
    expect(Date.parse(/at (\S+Z)/.exec(message)?.[1] ?? '')).toBeGreaterThanOrEqual(Date.parse(data[0]?.created_at ?? ''))
  })

  it('fits into the chain', async () => {
    const id = await create()
    await write(id, 'H', 'He', 'Hel')
    const { repositories, auditKeys } = service.service.context
    for (let joined = -1; joined !== 0; ) ({ joined } = await joinWaiting({ repositories, auditKeys }))
    expect(await verifyChain(repositories, service.teamId, auditKeys())).toMatchObject({ chainBreak: null })
  })
})

it('is an entry of its own if it changes who gets a broadcast, and so are sending, publishing and restoring', async () => {
  const [[, template], [, broadcast]] = KINDS
  const [ofTemplate, ofBroadcast] = [await template(), await broadcast()]
  const call = async (method: string, path: string, body?: Body) =>
    expect([path, (await service.call(method, path, body && { body })).status]).toEqual([path, 200])
  const firstOf = async (path: string) => Object((await service.call('GET', `${path}/versions`)).body).data.at(-1).id
  await call('PATCH', `/broadcasts/${ofBroadcast}`, { subject: 'H', autosave: true })
  await call('PATCH', `/broadcasts/${ofBroadcast}`, { subject: 'He', segment_id: otherSegmentId, autosave: true })
  await call('PATCH', `/broadcasts/${ofBroadcast}`, { subject: 'Hel', segment_id: otherSegmentId, autosave: true })
  await call('POST', `/broadcasts/${ofBroadcast}/versions/${await firstOf(`/broadcasts/${ofBroadcast}`)}/restore`)
  await call('POST', `/broadcasts/${ofBroadcast}/send`, { scheduled_at: 'in 1 day' })
  await call('POST', `/broadcasts/${ofBroadcast}/cancel`)
  expect(await actsOn(ofBroadcast)).toEqual(['create', 'update', 'update', 'versions.restore', 'send', 'cancel'])
  await call('PATCH', `/templates/${ofTemplate}`, { subject: 'H', autosave: true })
  await call('PATCH', `/templates/${ofTemplate}`, { subject: 'He', name: 'Renamed', autosave: true })
  await call('PATCH', `/templates/${ofTemplate}`, { subject: 'Hel', autosave: true })
  await call('POST', `/templates/${ofTemplate}/publish`)
  await call('PATCH', `/templates/${ofTemplate}`, { subject: 'Hell', autosave: true })
  await call('POST', `/templates/${ofTemplate}/versions/${await firstOf(`/templates/${ofTemplate}`)}/restore`)
  expect(await actsOn(ofTemplate)).toEqual(['create', 'update', 'update', 'publish', 'update', 'versions.restore'])
})
