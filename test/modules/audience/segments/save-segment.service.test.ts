import { expect, it } from 'vitest'
import { createSegment, updateSegment } from '../../../../src/modules/audience/segments/segments.service.ts'
import { UNKNOWN_ID } from '../../../support/builders/emails.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const service = shared(() => startTestService())

const idOf = ({ body }: { body: unknown }) => (body as { id: string }).id
const create = async (path: string, body: object, token = service.token) => idOf(await service.call('POST', path, { body, token }))
const filterThatNames = (segment: string) => ({ filter: { segment, member: true }, uses: [segment] })
const GONE = 'Something that the `filter` field names was changed or deleted at the same time. Check the filter, and retry.'

// The filter was read while the thing that it names existed. By the time it is stored, that thing has changed.
it.each([
  ['was deleted', async () => UNKNOWN_ID],
  ['has got a filter', () => create('/segments', { name: 'Filtered', filter: { field: 'email', operator: 'is_set' } })],
  ["is another team's", () => create('/segments', { name: 'Theirs' }, service.other.token)],
])('stores no filter when what it names %s', async (_what, createNamed) => {
  const { context } = service.service
  const filter = filterThatNames(await createNamed())
  const segment = await createSegment(context, service.teamId, { name: 'Plain', filter: null })
  await expect(createSegment(context, service.teamId, { name: 'New', filter })).rejects.toThrow(GONE)
  await expect(updateSegment(context, service.teamId, { id: segment.id, change: { name: 'Changed', filter } })).rejects.toThrow(GONE)
  expect((await service.call('GET', `/segments/${segment.id}`)).body).toMatchObject({ name: 'Plain', filter: null })
})

it('says which segment keeps something from being deleted: of several the oldest', async () => {
  const named = await Promise.all([
    create('/segments', { name: 'In use' }).then((id) => [`/segments/${id}`, { segment: id, member: true }] as const),
    create('/topics', { name: 'In use', default_subscription: 'opt_in' }).then(
      (id) => [`/topics/${id}`, { topic: id, subscription: 'opt_in' }] as const,
    ),
    create('/contact-properties', { key: 'in_use', type: 'string' }).then(
      (id) => [`/contact-properties/${id}`, { property: 'in_use', operator: 'is_set' }] as const,
    ),
  ])
  const filter = { all: named.map(([, rule]) => rule) }
  const oldest = await create('/segments', { name: 'Oldest', filter })
  await create('/segments', { name: 'Newer', filter })
  // Its row becomes the last of its table.
  await service.database.execute(
    'with moved as (delete from segments where id = $1 returning *) insert into segments select * from moved',
    [oldest],
  )
  for (const [path] of named) {
    const { text } = await service.call('DELETE', path)
    expect(text).toContain('used by the filter of the segment `Oldest`')
  }
})

it('stores a filter that names a segment, a topic and a property of the team, which then stay', async () => {
  const { context } = service.service
  const segment = await create('/segments', { name: 'Named' })
  const topic = await create('/topics', { name: 'Named', default_subscription: 'opt_in' })
  const property = await create('/contact-properties', { key: 'named', type: 'string' })
  const filter = { ...filterThatNames(segment), uses: [segment, topic, property] }
  await createSegment(context, service.teamId, { name: 'Naming', filter })
  for (const path of [`/segments/${segment}`, `/topics/${topic}`, `/contact-properties/${property}`]) {
    const { status, text } = await service.call('DELETE', path)
    expect({ path, status, names: text.includes('the filter of the segment `Naming`') }).toEqual({ path, status: 422, names: true })
  }
})
