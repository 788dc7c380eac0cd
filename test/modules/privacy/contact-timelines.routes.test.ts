import { expect, it } from 'vitest'
import { addTopic, createContact, newAddress } from '../../support/builders/contacts.ts'
import { send, UNKNOWN_ID } from '../../support/builders/emails.ts'
import { signInAs } from '../../support/clients/console.ts'
import { OWN_PAGE } from '../../support/clients/people.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())

type Entry = { id: string; type: string; subject: string | null; topics: unknown; event: string | null; unsubscribed: boolean | null }
const timelineOf = async (reference: string, query = '', headers?: Record<string, string>) => {
  const options = headers ? { token: null, headers } : {}
  const { status, body } = await service.call('GET', `/contacts/${encodeURIComponent(reference)}/timeline${query}`, options)
  expect(status).toBe(200)
  return body as { has_more: boolean; data: Entry[] }
}

it('tells what a contact got and did, newest first, page by page', async () => {
  const email = newAddress()
  const topic = await addTopic(service)
  const id = await createContact(service, { email })
  await send(service, { to: email, subject: 'First' })
  await service.call('POST', '/events/send', { body: { event: 'plan.changed', email, payload: {} } })
  await service.call('PATCH', `/contacts/${id}/topics`, { body: { topics: [{ id: topic, subscription: 'opt_out' }] } })
  await service.call('PATCH', `/contacts/${id}`, { body: { unsubscribed: true } })

  const whole = await timelineOf(id)
  expect(whole.data.map(({ type, subject, event, unsubscribed }) => [type, subject ?? event ?? unsubscribed])).toEqual([
    ['contact.updated', true],
    ['contact.topics.updated', null],
    ['event', 'plan.changed'],
    ['email', 'First'],
    ['contact.created', false],
  ])
  expect(whole.data[1]?.topics).toEqual([{ id: topic, subscription: 'opt_out' }])
  const first = await timelineOf(email, '?limit=2')
  const rest = await timelineOf(email, `?limit=20&after=${first.data[1]?.id}`)
  expect({ hasMore: first.has_more, ids: [...first.data, ...rest.data].map((entry) => entry.id) }).toEqual({
    hasMore: true,
    ids: whole.data.map((entry) => entry.id),
  })
})

it('tells of an address that is not a contact, and has none of an unknown id', async () => {
  const email = newAddress()
  await send(service, { to: email, subject: 'To no contact' })
  expect((await timelineOf(email)).data.map(({ subject }) => subject)).toEqual(['To no contact'])
  expect((await service.call('GET', `/contacts/${UNKNOWN_ID}/timeline`)).status).toBe(404)
})

it('leaves out the parts that a role may not read, and fills the page with the others', async () => {
  const email = newAddress()
  const id = await createContact(service, { email })
  for (const subject of ['One', 'Two', 'Three']) await send(service, { to: email, subject })
  const cookie = await signInAs(service.service.context, service.teamId, 'marketer')
  const seen = await timelineOf(id, '?limit=1', { cookie, ...OWN_PAGE })
  expect(seen).toMatchObject({ has_more: false, data: [{ type: 'contact.created' }] })
})
