// What one process of a service wrote, another one knows at once, although it was asked a moment before and had to say no.
import { beforeAll, expect, it } from 'vitest'
import { createApiToken, createId, digestToken } from '../../src/lib/ids.ts'
import { createDestinations } from '../../src/modules/inbound/server/destinations.ts'
import { createReceivingDomain, createVerifiedDomain } from '../support/builders/domains.ts'
import { emailInput } from '../support/builders/emails.ts'
import { untilEvent } from '../support/builders/engine.ts'
import { shared, startTestService } from '../support/servers/service.ts'

const environment = { SENDER_POLICY: 'verified' }
const here = shared(() => startTestService({ environment }))
const there = shared(() => startTestService({ environment: { ...environment, ROLES: 'api,worker' }, beside: here }))
beforeAll(async () => {
  await createVerifiedDomain(here, 'ours.example')
  await here.database.execute(`update domains set can_send = true where name = 'ours.example'`)
})

const ask = (method: string, path: string, body?: unknown, token = here.token) => there.call(method, path, { token, body })
const write = (method: string, path: string, body?: unknown) => here.call(method, path, { body })
const idOf = ({ body }: { body: unknown }) => (body as { id: string }).id
const email = (more: object = {}) => emailInput({ from: 'hello@ours.example', ...more })

it('a domain that was verified: an email from it is accepted, and signed', async () => {
  const send = async () => (await ask('POST', '/emails', email({ from: 'hello@new.example' }))).status
  const signatures = async () => (await there.service.context.senderIdentityOf(here.teamId, 'new.example')).signers.length
  expect([await send(), await signatures()]).toEqual([403, 0])
  const { id } = await createVerifiedDomain(here, 'new.example')
  await here.database.execute('update domains set can_send = true where id = $1', [id])
  expect([await send(), await signatures()]).toEqual([200, 2])
})

it('the sender of a broadcast: it can be sent once its domain is verified', async () => {
  const segment = idOf(await write('POST', '/segments', { name: 'All' }))
  await write('POST', '/contacts', { email: 'ada@example.com', segments: [{ id: segment }] })
  const broadcast = idOf(
    await write('POST', '/broadcasts', { segment_id: segment, from: 'hello@news.example', subject: 'News', text: 'Hello' }),
  )
  const send = async () => (await ask('POST', `/broadcasts/${broadcast}/send`, {})).status
  expect(await send()).toBe(403)
  const { id } = await createVerifiedDomain(here, 'news.example')
  await here.database.execute('update domains set can_send = true where id = $1', [id])
  expect(await send()).toBe(200)
})

it('a domain for which receiving was switched on: mail for it is taken, and reports to its return path', async () => {
  const destinationOf = createDestinations(there.service.context)
  const kinds = async () => [await destinationOf('anyone@in.example'), await destinationOf('postmaster@send.returns.example')]
  expect(await kinds()).toEqual([null, null])
  await createReceivingDomain(here, here.teamId, 'in.example')
  await createVerifiedDomain(here, 'returns.example')
  expect(await kinds()).toEqual([
    { purpose: 'receiving', teamId: here.teamId },
    { purpose: 'postmaster', recipientId: null },
  ])
})

it('a topic that was created: an email may name it', async () => {
  const send = async (topic: string) => (await ask('POST', '/emails', email({ topic_id: topic }))).status
  expect(await send(createId())).toBe(422)
  expect(await send(idOf(await write('POST', '/topics', { name: 'News', default_subscription: 'opt_in' })))).toBe(200)
})

it('a key that was made: it is accepted', async () => {
  const token = createApiToken()
  const list = async () => (await ask('GET', '/emails', undefined, token)).status
  expect(await list()).toBe(403)
  await here.service.context.repositories.apiKeys.create(here.teamId, {
    name: 'New',
    permission: 'full_access',
    digest: digestToken(token),
  })
  expect(await list()).toBe(200)
})

it('a suppression that was lifted: the next email is delivered', async () => {
  const send = async () => idOf(await ask('POST', '/emails', email({ to: 'grace@example.com' })))
  await write('POST', '/suppressions', { email: 'grace@example.com' })
  await untilEvent(there, await send(), 'suppressed')
  await write('DELETE', '/suppressions/grace@example.com')
  await untilEvent(there, await send(), 'delivered')
})
