// What may be written without the right to send, and when that right is needed too.
import { beforeAll, describe, expect, it } from 'vitest'
import { tokensFor } from '../../support/clients/oauth-client.ts'
import { create } from '../../support/records/record-builder.ts'
import { automationRecord } from '../../support/records/team.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

let writing: string
let sending: string

const service = shared(() => startTestService())
beforeAll(async () => {
  const write = 'automations:write broadcasts:write webhooks:read'
  writing = (await tokensFor(service, { scope: write })).access_token
  sending = (await tokensFor(service, { scope: `${write} broadcasts:send` })).access_token
})

const answer = async (token: string, method: string, path: string, body?: object) => {
  const answered = await service.call(method, path, { token, ...(body && { body }) })
  return [answered.status, (answered.body as { message?: string }).message]
}
const LACKS = [403, 'This access token lacks the scope `broadcasts:send`. Ask for access with that scope.']

describe('an automation', () => {
  const graph = {
    steps: [
      { key: 'start', type: 'trigger', config: { event_name: 'record.made' } },
      { key: 'wait', type: 'delay', config: { duration: '1 day' } },
    ],
    connections: [{ from: 'start', to: 'wait' }],
  }

  it('can be written, but neither enabled nor changed while it is enabled', async () => {
    expect(await answer(writing, 'POST', '/automations', { name: 'A', status: 'enabled', ...graph })).toEqual(LACKS)
    expect((await answer(writing, 'POST', '/automations', { name: 'A', ...graph }))[0]).toBe(201)
    const path = `/automations/${await automationRecord.make(service, () => Promise.reject(new Error('None')))}`
    expect((await answer(writing, 'PATCH', path, { name: 'B' }))[0]).toBe(200)
    expect(await answer(writing, 'PATCH', path, { status: 'enabled' })).toEqual(LACKS)
    expect((await answer(sending, 'PATCH', path, { status: 'enabled' }))[0]).toBe(200)
    expect(await answer(writing, 'PATCH', path, graph)).toEqual(LACKS)
    expect((await answer(writing, 'PATCH', path, { status: 'disabled', ...graph }))[0]).toBe(200)
  })
})

describe('a broadcast', () => {
  it('can be written as a draft, but not changed once it is scheduled, except for its name', async () => {
    const segment_id = await create(service, '/segments', { name: 'Record' })
    const id = await create(service, '/broadcasts', { segment_id, from: 'hello@example.com', subject: 'Record', text: 'Record.' })
    const path = `/broadcasts/${id}`
    expect((await answer(writing, 'PATCH', path, { subject: 'Draft' }))[0]).toBe(200)
    await service.database.execute(`update broadcasts set status = 'scheduled', scheduled_at = now() + interval '1 hour' where id = $1`, [
      id,
    ])
    expect(await answer(writing, 'PATCH', path, { subject: 'Changed' })).toEqual(LACKS)
    expect((await answer(writing, 'PATCH', path, { name: 'Named' }))[0]).toBe(200)
  })
})

describe('a webhook', () => {
  it('is listed with the right to read, but its secret is not shown', async () => {
    const id = await create(service, '/webhooks', { endpoint: 'https://hooks.example.com/', events: ['email.sent'] })
    const listed = await service.call('GET', '/webhooks', { token: writing })
    expect(listed).toMatchObject({ status: 200, body: { data: [{ id }] } })
    expect(listed.text).not.toContain('whsec_')
    expect(await answer(writing, 'GET', `/webhooks/${id}`)).toEqual([
      403,
      'This access token lacks the scope `webhooks:write`. Ask for access with that scope.',
    ])
  })
})
