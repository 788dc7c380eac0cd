import { describe, expect, it } from 'vitest'
import { emailRecord, outcome, UUID } from '../support/builders/answers.ts'
import { emailInput, send } from '../support/builders/emails.ts'
import { rawRequest } from '../support/clients/raw-requests.ts'
import { shared, startTestService } from '../support/servers/service.ts'

const service = shared(() => startTestService())

const JSON_TYPE = { 'content-type': 'application/json' }

describe('requests as the official clients send them', () => {
  it('takes a POST that announces JSON and has no body (Node)', async () => {
    const id = await send(service, { scheduled_at: 'in 1 hour' })
    const answer = await rawRequest(service, {
      method: 'POST',
      path: `/emails/${id}/cancel`,
      headers: { ...JSON_TYPE, 'content-length': '0', 'user-agent': 'resend-node:6.38.0' },
    })
    expect(outcome(answer)).toEqual({ status: 200, body: { object: 'email', id } })
  })

  it('takes a POST without body and without content type (curl)', async () => {
    const id = await send(service)
    const answer = await rawRequest(service, { method: 'POST', path: `/emails/${id}/share` })
    expect(outcome(answer)).toEqual({ status: 200, body: { object: 'email', id, url: expect.stringContaining('/share/') } })
  })

  it('takes `{}` on GET (Python)', async () => {
    const id = await send(service)
    const answer = await rawRequest(service, { method: 'GET', path: `/emails/${id}`, headers: JSON_TYPE, body: '{}' })
    expect(outcome(answer)).toEqual({ status: 200, body: emailRecord(id) })
  })

  it('takes `{}` on DELETE and on a POST without fields (Python)', async () => {
    const { body } = await service.call('POST', '/api-keys', { body: { name: 'short' } })
    const { id } = body as { id: string }
    const deleted = await rawRequest(service, { method: 'DELETE', path: `/api-keys/${id}`, headers: JSON_TYPE, body: '{}' })
    expect(outcome(deleted)).toEqual({ status: 200, body: { object: 'api_key', id, deleted: true } })

    const emailId = await send(service, { scheduled_at: 'in 1 hour' })
    const canceled = await rawRequest(service, { method: 'POST', path: `/emails/${emailId}/cancel`, headers: JSON_TYPE, body: '{}' })
    expect(outcome(canceled)).toEqual({ status: 200, body: { object: 'email', id: emailId } })
  })

  it('takes an id that is repeated in the body (Python)', async () => {
    const id = await send(service, { scheduled_at: 'in 1 hour' })
    const answer = await rawRequest(service, {
      method: 'PATCH',
      path: `/emails/${id}`,
      headers: JSON_TYPE,
      body: JSON.stringify({ id, scheduled_at: 'in 2 hours' }),
    })
    expect(outcome(answer)).toEqual({ status: 200, body: { object: 'email', id } })
    expect(answer.headers['x-ignored-fields']).toBe('id')
  })

  it('takes attachments as arrays of bytes, empty arrays and nulls (Go)', async () => {
    const id = await send(service, {
      cc: [],
      bcc: null,
      reply_to: null,
      attachments: [{ content: [104, 105], filename: 'hi.txt', content_type: 'text/plain', inline_content_id: null }],
    })
    const { body } = await service.call('GET', `/emails/${id}/attachments`)
    expect(body).toMatchObject({ data: [{ filename: 'hi.txt', size: 2 }] })
  })

  it('takes doubled slashes, which a base URL with a slash at its end makes', async () => {
    const sent = await rawRequest(service, { method: 'POST', path: '//emails', headers: JSON_TYPE, body: JSON.stringify(emailInput()) })
    expect(outcome(sent)).toEqual({ status: 200, body: { id: UUID } })
    const { id } = sent.body as { id: string }
    const read = await rawRequest(service, { method: 'GET', path: `//emails//${id}` })
    expect(outcome(read)).toEqual({ status: 200, body: emailRecord(id) })
  })

  it('takes JSON with a charset and in any case', async () => {
    const answer = await rawRequest(service, {
      method: 'POST',
      path: '/emails',
      headers: { 'content-type': 'Application/JSON; charset=UTF-8' },
      body: JSON.stringify(emailInput()),
    })
    expect(outcome(answer)).toEqual({ status: 200, body: { id: UUID } })
  })

  it('takes requests without a User-Agent, and credentials with the scheme in any case', async () => {
    const answer = await rawRequest(service, {
      method: 'GET',
      path: '/emails?limit=1',
      token: null,
      headers: { authorization: `bearer  ${service.token}` },
    })
    expect(answer.status).toBe(200)
  })

  it('answers every API error as JSON', async () => {
    for (const path of ['/nowhere', '/emails/%zz', '/emails/x', '/emails?limit=0']) {
      const answer = await rawRequest(service, { method: 'GET', path })
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
      expect(answer.body).toEqual({ statusCode: answer.status, name: expect.any(String), message: expect.any(String) })
    }
  })
})
