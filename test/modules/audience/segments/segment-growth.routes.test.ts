// How a segment grows: by when contacts joined it, or when those that its filter finds were created.
import { expect, it } from 'vitest'
import { addSegment, createContact } from '../../../support/builders/contacts.ts'
import { UNKNOWN_ID } from '../../../support/builders/emails.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const service = shared(() => startTestService())

const grown = async (id: string) =>
  (await service.call('GET', `/segments/${id}/growth`)).body as { by: string; data: { date: string; added: number }[] }
const addedIn = ({ data }: { data: { added: number }[] }) => data.map(({ added }) => added).filter((added) => added > 0)

it('counts the contacts that are in it by the day on which they joined', async () => {
  const segment = await addSegment(service)
  for (const name of ['ada', 'bob', 'carol']) await createContact(service, { email: `${name}@example.com`, segments: [segment] })
  await createContact(service, { email: 'other@example.com' })
  await service.database.execute(
    `update contact_segments m set created_at = m.created_at - case c.email when 'ada@example.com' then interval '3 days' else interval '40 days' end
       from contacts c where c.id = m.contact_id and c.email <> 'bob@example.com'`,
  )
  const growth = await grown(segment)
  expect(growth.by).toBe('joined')
  expect(growth.data).toHaveLength(30)
  expect(addedIn(growth)).toEqual([1, 1])
  expect(growth.data.at(-4)?.added).toBe(1)
  expect(growth.data.at(-1)?.added).toBe(1)
})

it('counts those that a filter finds by the day on which they were created', async () => {
  const { body } = await service.call('POST', '/segments', {
    body: { name: 'Ada', filter: { field: 'email', operator: 'starts_with', value: 'ada' } },
  })
  const growth = await grown((body as { id: string }).id)
  expect([growth.by, addedIn(growth)]).toEqual(['created', [1]])
})

it('is not there for a segment of another team', async () => {
  const segment = await addSegment(service)
  expect((await service.call('GET', `/segments/${segment}/growth`, { token: service.other.token })).status).toBe(404)
  expect((await service.call('GET', `/segments/${UNKNOWN_ID}/growth`)).status).toBe(404)
})
