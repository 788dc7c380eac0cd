import { expect, it } from 'vitest'
import { addTopic, createContact, newAddress } from '../../support/builders/contacts.ts'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())

type Reason = {
  reason: string
  keeps_from: string
  topic_id: string | null
  since: string | null
  explanation: string
  remedy: { method: 'PATCH' | 'DELETE' | 'POST'; path: string; body: object | null } | null
}
type Deliverability = { contact_id: string | null; gets_mail: boolean; gets_bulk_mail: boolean; reasons: Reason[] }

async function read(reference: string, token?: string): Promise<Deliverability> {
  const { status, body } = await service.call('GET', `/contacts/${encodeURIComponent(reference)}/deliverability`, token ? { token } : {})
  expect(status).toBe(200)
  return body as Deliverability
}

it('says of a contact who gets everything that nothing keeps mail away', async () => {
  const id = await createContact(service, { email: newAddress() })
  expect(await read(id)).toMatchObject({ contact_id: id, gets_mail: true, gets_bulk_mail: true, reasons: [] })
})

it('names each reason with a request that ends it', async () => {
  const email = newAddress()
  const id = await createContact(service, { email })
  const refused = await addTopic(service)
  const closed = await addTopic(service, { defaultSubscription: 'opt_out' })
  await service.call('PATCH', `/contacts/${id}/topics`, { body: { topics: [{ id: refused, subscription: 'opt_out' }] } })
  await service.call('PATCH', `/contacts/${id}`, { body: { unsubscribed: true } })
  await service.call('POST', '/suppressions', { body: { email } })

  const before = await read(id)
  expect({
    ...before,
    reasons: before.reasons.map(({ reason, keeps_from: from, topic_id: topic }) => [reason, from, topic]),
  }).toMatchObject({
    gets_mail: false,
    gets_bulk_mail: false,
    reasons: [
      ['suppressed', 'all_mail', null],
      ['unsubscribed', 'bulk_mail', null],
      ['not_opted_in', 'topic', closed],
      ['opted_out', 'topic', refused],
    ],
  })
  expect(before.reasons.map(({ since }) => since !== null)).toEqual([true, true, false, true])
  for (const { remedy } of before.reasons) {
    if (!remedy) throw new Error('There is no remedy')
    const { method, path, body } = remedy
    expect((await service.call(method, path, body ? { body } : {})).status).toBe(200)
  }
  expect(await read(id)).toMatchObject({ gets_mail: true, gets_bulk_mail: true, reasons: [] })
})

it('tells of an address without a contact what it opted out of, as delivery does', async () => {
  const email = newAddress()
  const id = await createContact(service, { email })
  await service.call('PATCH', `/contacts/${id}`, { body: { unsubscribed: true } })
  await service.call('DELETE', `/contacts/${id}`)
  const { reasons, ...found } = await read(email)
  expect(found).toMatchObject({ contact_id: null, gets_mail: true, gets_bulk_mail: false })
  expect(reasons.slice(0, 2).map(({ reason, remedy }) => [reason, remedy?.path ?? null])).toEqual([
    ['unsubscribed', null],
    ['not_a_contact', '/contacts'],
  ])
})

it.each([
  ['bounce', 'The address does not exist, or its domain does not accept mail.'],
  ['complaint', 'The person reported an email as spam.'],
  ['manual', 'Your team put the address on the suppression list.'],
] as const)('explains a suppression by its origin: %s', async (origin, explanation) => {
  const email = newAddress()
  await service.service.context.repositories.suppressions.add(service.teamId, [{ email, origin }])
  expect((await read(email)).reasons[0]).toMatchObject({ reason: 'suppressed', explanation })
})

it('knows nothing of another team', async () => {
  const email = newAddress()
  const id = await createContact(service, { email })
  await service.call('POST', '/suppressions', { body: { email } })
  expect((await service.call('GET', `/contacts/${id}/deliverability`, { token: service.other.token })).status).toBe(404)
  expect((await service.call('GET', `/contacts/${UNKNOWN_ID}/deliverability`)).status).toBe(404)
  expect(await read(email, service.other.token)).toMatchObject({
    contact_id: null,
    gets_mail: true,
    reasons: [{ reason: 'not_a_contact' }],
  })
})
