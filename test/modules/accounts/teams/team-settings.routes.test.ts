import { expect, it } from 'vitest'
import { createReceivingDomain } from '../../../support/builders/domains.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const service = shared(() => startTestService())
const TIME = expect.stringMatching(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\.\d{6}\+00$/)

it('shows the team of the key, and changes only what it is told to', async () => {
  const { body: before } = await service.call('GET', '/team')
  expect(before).toEqual({
    ...{ object: 'team', id: service.teamId, name: expect.any(String), color: null, logo_id: null, logo_url: null },
    ...{ receiving_domains: [], created_at: TIME },
  })
  expect(await service.call('PATCH', '/team', { body: { color: '#1D4FC4' } })).toMatchObject({
    status: 200,
    body: { ...(before as object), color: '#1d4fc4' },
  })
  expect(await service.call('PATCH', '/team', { body: { name: 'Acme Ltd' } })).toMatchObject({
    status: 200,
    body: { name: 'Acme Ltd', color: '#1d4fc4' },
  })
  expect(await service.call('PATCH', '/team', { body: { color: null } })).toMatchObject({ body: { name: 'Acme Ltd', color: null } })
  expect((await service.call('GET', '/team')).body).toEqual({ ...(before as object), name: 'Acme Ltd' })
})

it('changes nothing of another team', async () => {
  const { token } = service.other
  const { body: before } = await service.call('GET', '/team', { token })
  await service.call('PATCH', '/team', { body: { name: 'Ours', color: '#000000' } })
  expect((await service.call('GET', '/team', { token })).body).toEqual(before)
  expect(before).toMatchObject({ id: service.other.teamId })
})

it('names the domains whose mail arrives, and no others', async () => {
  await createReceivingDomain(service, service.teamId, 'b.example')
  await createReceivingDomain(service, service.teamId, 'a.example', { record: 'temporary_failure' })
  await createReceivingDomain(service, service.teamId, 'unseen.example', { record: 'pending' })
  await createReceivingDomain(service, service.teamId, 'off.example', { receiving: false })
  await createReceivingDomain(service, service.teamId, 'unowned.example', { ownsName: false })
  await createReceivingDomain(service, service.other.teamId, 'other.example')
  expect((await service.call('GET', '/team')).body).toMatchObject({ receiving_domains: ['a.example', 'b.example'] })
})

it('names the domain that every team has by INBOUND_DOMAIN', async () => {
  const receiving = await startTestService({ environment: { INBOUND_DOMAIN: 'in.example.net' } })
  expect((await receiving.call('GET', '/team')).body).toMatchObject({ receiving_domains: [`${receiving.teamId}.in.example.net`] })
  await receiving.close()
})

it.each([
  [{ color: 'red' }, 'The `color` field must be a color of the form `#rrggbb`.'],
  [{ color: '#1d4fc4;}' }, 'The `color` field must be a color of the form `#rrggbb`.'],
  [{ color: '#fff' }, 'The `color` field must be a color of the form `#rrggbb`.'],
  [{ name: null }, expect.stringContaining('`name`')],
  [{ name: 'a\nb' }, 'The `name` field must be one line without control characters or marks of the direction of writing.'],
  [{ name: 'x'.repeat(101) }, expect.stringContaining('100')],
])('refuses %j', async (body, message) => {
  expect(await service.call('PATCH', '/team', { body })).toMatchObject({ status: 422, body: { message } })
})

it('leaves the change in the audit log', async () => {
  await service.call('PATCH', '/team', { body: { name: 'Acme', color: '#ffffff' } })
  await service.call('PATCH', '/team', { body: { color: '#00ff00' } })
  const { data } = (await service.call('GET', '/audit-log?limit=1')).body as { data: object[] }
  expect(data).toMatchObject([
    {
      ...{ action: 'team.update', target: { type: 'team', id: service.teamId } },
      ...{ before: { color: '#ffffff' }, after: { color: '#00ff00' } },
    },
  ])
})
