import { beforeAll, expect, it } from 'vitest'
import { send } from '../../../support/builders/emails.ts'
import { callAs, type SignedInPerson, signInPerson } from '../../../support/clients/people.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

// No worker, so that the deliveries stay as the tests write them.
const service = shared(() => startTestService({ environment: { ROLES: 'api' } }))
let owner: SignedInPerson
beforeAll(async () => {
  owner = await signInPerson(service, 'owner', { roles: { [service.teamId]: 'owner' } })
})

const ask = (id: string, person = owner) => callAs(service, person, 'GET', `/emails/${id}/deliveries`)

it('tells which recipients have a try ahead, and when', async () => {
  const id = await send(service, { to: ['ada@example.org', 'grace@example.org', 'sent@example.org'] })
  const change = (columns: string, address: string) =>
    service.database.execute(`${columns} where id in (select id from recipients where email_id = $1 and address = $2)`, [id, address])
  await change(`update deliveries set due_at = '2031-02-03T12:00:00Z'`, 'ada@example.org')
  await change(`update deliveries set due_at = 'infinity'`, 'grace@example.org')
  await change('delete from deliveries', 'sent@example.org')
  expect((await ask(id)).body).toEqual({
    object: 'list',
    data: [
      { recipient: 'ada@example.org', state: 'waiting', due_at: '2031-02-03 12:00:00.000000+00' },
      { recipient: 'grace@example.org', state: 'paused', due_at: null },
    ],
  })
})

it('is told to roles that read emails, of their own team', async () => {
  const id = await send(service)
  const statusFor = async (role: 'support' | 'marketer') =>
    (await ask(id, await signInPerson(service, role, { roles: { [service.teamId]: role } }))).status
  expect([await statusFor('support'), await statusFor('marketer')]).toEqual([200, 403])
  expect((await ask(await send(service, {}, { token: service.other.token }))).status).toBe(404)
})
