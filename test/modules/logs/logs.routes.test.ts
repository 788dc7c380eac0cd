import { Resend } from 'resend'
import { beforeAll, describe, expect, it } from 'vitest'
import { missing, outcome, TIMESTAMP, UUID } from '../../support/builders/answers.ts'
import { emailInput, UNKNOWN_ID } from '../../support/builders/emails.ts'
import { listLogs, logIdOf, logOf, logRecord, newAgent } from '../../support/builders/request-logs.ts'
import { grantedToken } from '../../support/clients/oauth-client.ts'
import { until } from '../../support/clocks/until.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

let resend: Resend

const service = shared(() => startTestService())
beforeAll(() => {
  resend = new Resend(service.token, { baseUrl: service.url })
})

const refusal = (statusCode: number, name: string, message: string) => ({ statusCode, name, message })

describe('a request log', () => {
  it('holds what was asked and what was answered', async () => {
    const body = emailInput({ cc: ['a@example.com'], tags: [{ name: 'a', value: 'b' }], headers: { 'X-A': '1' } })
    expect(await logOf(service, 'POST', '/emails', { body })).toEqual(logRecord({ request_body: body, response_body: { id: UUID } }))
  })

  it('holds a request that was refused, with the answer', async () => {
    expect(await logOf(service, 'POST', '/emails', { body: { from: 'a@example.com' } })).toEqual(
      logRecord({
        response_status: 422,
        request_body: { from: 'a@example.com' },
        response_body: refusal(422, 'validation_error', 'Missing `to` field.'),
      }),
    )
  })

  it('names the path without its query, and the path that was called', async () => {
    expect(await logOf(service, 'GET', '/emails?limit=1&after=0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c10')).toMatchObject({
      method: 'GET',
      endpoint: '/emails',
    })
    expect(await logOf(service, 'POST', '/email', { body: emailInput() })).toMatchObject({ endpoint: '/email' })
    expect(await logOf(service, 'GET', `/emails/${UNKNOWN_ID}`)).toEqual(
      logRecord({
        method: 'GET',
        endpoint: `/emails/${UNKNOWN_ID}`,
        response_status: 404,
        response_body: refusal(404, 'not_found', 'Email not found'),
      }),
    )
  })

  it('holds a request of a key that may not make it', async () => {
    expect(await logOf(service, 'GET', '/emails', { token: service.sendingToken })).toMatchObject({
      response_status: 401,
      response_body: refusal(401, 'restricted_api_key', 'This API key may only send emails. Use a key with full access.'),
    })
  })

  it('of an unknown path holds no bodies', async () => {
    expect(await logOf(service, 'POST', '/nowhere', { body: { password: 'secret' } })).toEqual(
      logRecord({ endpoint: '/nowhere', response_status: 404 }),
    )
  })

  it('of a body that is not JSON holds none', async () => {
    expect(await logOf(service, 'POST', '/emails', { body: '{"from": "a@example.com' })).toEqual(
      logRecord({
        response_status: 400,
        response_body: refusal(400, 'validation_error', 'The request body is not valid JSON at line 1, column 24.'),
      }),
    )
  })

  it('of a body of another type holds none', async () => {
    expect(await logOf(service, 'POST', '/emails', { body: 'from=a', headers: { 'content-type': 'text/plain' } })).toMatchObject({
      response_status: 415,
      request_body: null,
    })
  })
})

describe('what is not logged', () => {
  it('is reading the logs, and everything that needs no key', async () => {
    const agent = newAgent()
    const headers = { 'user-agent': agent }
    for (const path of ['/logs', `/logs/${UNKNOWN_ID}`, '/health/live', '/downloads/x', '/share/x', '/openapi.json']) {
      await service.call('GET', path, { headers })
    }
    const last = newAgent()
    await service.call('GET', '/emails', { headers: { 'user-agent': last } })
    await logIdOf(service, last)
    expect((await listLogs(service)).filter((entry) => entry.user_agent === agent)).toEqual([])
  })

  it('is a request without a valid key', async () => {
    const agent = newAgent()
    await service.call('POST', '/emails', { token: null, body: emailInput(), headers: { 'user-agent': agent } })
    await service.call('POST', '/emails', {
      token: 're_unknown_unknown_unknown_unknown',
      body: emailInput(),
      headers: { 'user-agent': agent },
    })
    const last = newAgent()
    await service.call('GET', '/emails', { headers: { 'user-agent': last } })
    await logIdOf(service, last)
    expect(await service.database.execute('select id from request_logs where user_agent = $1', [agent])).toEqual([])
  })
})

describe('resend.logs', () => {
  it('lists without bodies, newest first, and reads one', async () => {
    const agent = newAgent()
    await service.call('POST', '/emails', { body: emailInput(), headers: { 'user-agent': agent } })
    const id = await logIdOf(service, agent)

    const { data, error } = await resend.logs.list({ limit: 100 })
    expect(error).toBeNull()
    expect(data).toEqual({ object: 'list', has_more: expect.any(Boolean), data: expect.any(Array) })
    expect(data?.data.find((entry) => entry.id === id)).toEqual({
      id,
      created_at: TIMESTAMP,
      endpoint: '/emails',
      method: 'POST',
      response_status: 200,
      user_agent: agent,
      api_key: { id: UUID, name: 'full_access' },
      person: null,
    })
    const ids = data?.data.map((entry) => entry.id) ?? []
    expect(ids).toEqual([...ids].sort().reverse())

    const { data: one } = await resend.logs.get(id)
    expect(one).toEqual(logRecord({ id, user_agent: agent, request_body: emailInput(), response_body: { id: UUID } }))
  })

  it('names the API key as long as it exists, and its id to no one who may not read keys', async () => {
    const { data: key } = await resend.apiKeys.create({ name: 'Of the log' })
    const agent = newAgent()
    await service.call('POST', '/emails', { body: emailInput(), token: key?.token ?? '', headers: { 'user-agent': agent } })
    const path = `/logs/${await logIdOf(service, agent)}`
    expect((await service.call('GET', path)).body).toMatchObject({ api_key: { id: key?.id, name: 'Of the log' }, person: null })
    const found = await service.call('GET', `/logs?api_key_id=${key?.id}`)
    expect(found.body).toMatchObject({ data: [{ api_key: { id: key?.id, name: 'Of the log' } }] })
    const reading = await grantedToken(service, 'logs:read')
    expect((await service.call('GET', path, { token: reading })).body).toMatchObject({ api_key: null })
    await resend.apiKeys.remove(key?.id ?? '')
    expect((await service.call('GET', path)).body).toMatchObject({ api_key: { id: key?.id, name: null } })
  })

  it('lists 20 unless told otherwise, and pages', async () => {
    await Promise.all(Array.from({ length: 25 }, () => service.call('GET', '/emails?limit=1')))
    await until(async () => expect((await listLogs(service)).length).toBeGreaterThan(25))
    const { data: first } = await resend.logs.list()
    expect(first?.data).toHaveLength(20)
    expect(first?.has_more).toBe(true)
    const { data: next } = await resend.logs.list({ limit: 2, after: first?.data[17]?.id ?? '' })
    expect(next?.data).toEqual(first?.data.slice(18))
  })

  it("does not show another team's logs", async () => {
    const agent = newAgent()
    await service.call('GET', '/emails', { headers: { 'user-agent': agent } })
    const id = await logIdOf(service, agent)
    const answer = await service.call('GET', `/logs/${id}`, { token: service.other.token })
    expect(outcome(answer)).toEqual(missing('Log'))
    const theirs = await service.call('GET', '/logs', { token: service.other.token })
    expect(theirs.body).toEqual({ object: 'list', has_more: false, data: [] })
  })

  it('needs a key with full access', async () => {
    const answer = await service.call('GET', '/logs', { token: service.sendingToken })
    expect(answer.status).toBe(401)
  })
})
