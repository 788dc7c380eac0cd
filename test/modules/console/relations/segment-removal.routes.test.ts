import { beforeAll, expect, it } from 'vitest'
import { createContact } from '../../../support/builders/contacts.ts'
import { callAs, type SignedInPerson, signInPerson } from '../../../support/clients/people.ts'
import { create } from '../../../support/records/record-builder.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

// No worker, so that the list of a deleted segment stays.
const service = shared(() => startTestService({ environment: { ROLES: 'api' } }))
let owner: SignedInPerson
beforeAll(async () => {
  owner = await signInPerson(service, 'owner', { roles: { [service.teamId]: 'owner' } })
})

const leftOf = async (id: string, person = owner) => (await callAs(service, person, 'GET', `/segments/${id}/removal`)).body

it('counts the contacts that are left in the list of a deleted segment, for its team alone', async () => {
  const id = await create(service, '/segments', { name: 'Readers' })
  for (const email of ['ada@example.org', 'grace@example.org']) await createContact(service, { email, segments: [id] })
  const nothing = { object: 'segment_removal', id, contacts_left: 0, is_exact: true }
  expect(await leftOf(id)).toEqual(nothing)
  await service.call('DELETE', `/segments/${id}`)
  expect(await leftOf(id)).toEqual({ ...nothing, contacts_left: 2 })
  const other = await signInPerson(service, 'other', { roles: { [service.other.teamId]: 'owner' } })
  expect(await leftOf(id, other)).toEqual(nothing)
  await service.database.execute('delete from contact_segments where segment_id = $1', [id])
  expect(await leftOf(id)).toEqual(nothing)
})
