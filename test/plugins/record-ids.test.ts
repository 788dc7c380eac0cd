import { METHODS } from 'node:http'
import { describe, expect, it } from 'vitest'
import { emailRecord, failure, invalid, missing, outcome } from '../support/builders/answers.ts'
import { send, UNKNOWN_ID } from '../support/builders/emails.ts'
import { rawRequest } from '../support/clients/raw-requests.ts'
import { shared, startTestService } from '../support/servers/service.ts'

const service = shared(() => startTestService())

type Operation = [method: string, path: (id: string) => string, body?: object]

const ON_EMAILS: Operation[] = [
  ['GET', (id) => `/emails/${id}`],
  ['PATCH', (id) => `/emails/${id}`, { scheduled_at: 'in 2 hours' }],
  ['POST', (id) => `/emails/${id}/cancel`],
  ['POST', (id) => `/emails/${id}/share`, {}],
  ['GET', (id) => `/emails/${id}/attachments`],
  ['GET', (id) => `/emails/${id}/events`],
]

const NO_UUID = 'parameter must be a UUID.'
const MALFORMED = [
  ['x', NO_UUID],
  ['%20', NO_UUID],
  ['%F0%9F%98%80', NO_UUID],
  [`urn:uuid:${UNKNOWN_ID}`, NO_UUID],
  [`{${UNKNOWN_ID}}`, NO_UUID],
  [UNKNOWN_ID.replaceAll('-', ''), NO_UUID],
  [`${UNKNOWN_ID}0`, NO_UUID],
  [`${UNKNOWN_ID}%0A`, NO_UUID],
  ['x'.repeat(1_900), NO_UUID],
  ['%00', 'parameter holds a NUL or half of a surrogate pair, which cannot be stored. Remove it.'],
] as const

describe.each(ON_EMAILS)('%s %s', (method, path, body) => {
  const call = (id: string, token = service.token) => service.call(method, path(id), { token, ...(body && { body }) })

  it.each(MALFORMED)('answers 422 for the id %s', async (id, sentence) => {
    expect(outcome(await call(id))).toEqual(invalid(`The \`email_id\` ${sentence}`))
  })

  it('answers 404 for an unknown id', async () => {
    expect(outcome(await call(UNKNOWN_ID))).toEqual(missing('Email'))
  })

  it("answers 404 for another team's email and leaves it as it is", async () => {
    const id = await send(service, { scheduled_at: 'in 1 hour' })
    const before = await service.call('GET', `/emails/${id}`)
    expect(outcome(await call(id, service.other.token))).toEqual(missing('Email'))
    expect((await service.call('GET', `/emails/${id}`)).body).toEqual(before.body)
  })

  it('answers 422 for a path that is not percent-encoded well', async () => {
    expect(outcome(await call('%zz'))).toEqual(invalid('The path of the request is not a valid URL path.'))
    expect(outcome(await call('%C3'))).toEqual(invalid('The path of the request is not a valid URL path.'))
  })

  it('knows an id in upper case, and answers it as it is stored', async () => {
    const id = await send(service, { scheduled_at: 'in 1 hour' })
    const { status, body: answered } = await call(id.toUpperCase())
    expect(status).toBe(200)
    if (answered !== null && typeof answered === 'object' && 'id' in answered) expect(answered.id).toBe(id)
  })
})

describe('other ids', () => {
  it.each(MALFORMED)('answers 422 for the log, the attachment and the key %s', async (id, sentence) => {
    expect(outcome(await service.call('GET', `/logs/${id}`))).toEqual(invalid(`The \`log_id\` ${sentence}`))
    const attachment = await service.call('GET', `/emails/${UNKNOWN_ID}/attachments/${id}`)
    expect(outcome(attachment)).toEqual(invalid(`The \`attachment_id\` ${sentence}`))
    expect(outcome(await service.call('DELETE', `/api-keys/${id}`))).toEqual(invalid(`The \`api_key_id\` ${sentence}`))
  })

  it('answers 404 for unknown ones', async () => {
    expect(outcome(await service.call('GET', `/logs/${UNKNOWN_ID}`))).toEqual(missing('Log'))
    expect(outcome(await service.call('GET', `/emails/${UNKNOWN_ID}/attachments/${UNKNOWN_ID}`))).toEqual(missing('Attachment'))
  })

  it('answers 405 with the methods that a path takes', async () => {
    const id = await send(service)
    const answer = await service.call('DELETE', `/emails/${id}`)
    expect(outcome(answer)).toEqual(failure(405, 'method_not_allowed', 'This endpoint does not support DELETE. Use GET, HEAD, PATCH.'))
    expect(answer.headers.get('allow')).toBe('GET, HEAD, PATCH')
    expect((await service.call('GET', `/emails/${id}`)).body).toEqual(emailRecord(id))
  })

  it('answers every method that HTTP knows, and none with a fault of ours', async () => {
    // CONNECT is for proxies: Node closes the connection. HEAD has no body.
    for (const method of METHODS.filter((name) => name !== 'CONNECT' && name !== 'HEAD')) {
      for (const path of ['/emails', '/nowhere', '/health/live']) {
        const { status } = await rawRequest(service, { method, path })
        expect(status, `${method} ${path}`).toBeLessThan(500)
      }
    }
  })

  it('are read with a slash after them as without', async () => {
    const [without, withSlash] = [await service.call('GET', `/emails/${UNKNOWN_ID}`), await service.call('GET', `/emails/${UNKNOWN_ID}/`)]
    expect(outcome(without)).toEqual(failure(404, 'not_found', 'Email not found'))
    expect(outcome(withSlash)).toEqual(outcome(without))
  })

  it('answers 404 for paths that do not exist', async () => {
    for (const path of ['/nowhere', `/emails/${UNKNOWN_ID}/nowhere`, '/v1/emails']) {
      const answer = await service.call('GET', path)
      expect(outcome(answer), path).toEqual(failure(404, 'not_found', 'The requested endpoint does not exist.'))
    }
  })
})
