import { describe, expect, it } from 'vitest'
import { UUID } from '../../support/builders/answers.ts'
import { emailInput, send } from '../../support/builders/emails.ts'
import { logOf } from '../../support/builders/request-logs.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())

describe('redaction', () => {
  it('of the token of a new key', async () => {
    expect(await logOf(service, 'POST', '/api-keys', { body: { name: 'new' } })).toMatchObject({
      request_body: { name: 'new' },
      response_body: { object: 'api_key', id: UUID, token: '[redacted]' },
    })
  })

  it('of the content of attachments, in every form, also in a batch', async () => {
    const forms = ['aGk=', [1, 2], { type: 'Buffer', data: [1, 2] }]
    const attachments = forms.map((content) => ({ filename: 'a.txt', content }))
    const redacted = forms.map(() => ({ filename: 'a.txt', content: '[redacted]' }))
    expect(await logOf(service, 'POST', '/emails', { body: emailInput({ attachments }) })).toMatchObject({
      request_body: { attachments: redacted },
    })
    expect(await logOf(service, 'POST', '/emails/batch', { body: [emailInput(), emailInput({ attachments })] })).toMatchObject({
      request_body: [emailInput(), emailInput({ attachments: redacted })],
      response_body: { data: [{ id: UUID }, { id: UUID }] },
    })
  })

  it('of the query of the URL of a file, also in a batch', async () => {
    const attachments = [{ path: 'https://files.example/a.pdf?X-Amz-Signature=secret' }]
    const redacted = [{ path: 'https://files.example/a.pdf?[redacted]' }]
    expect(await logOf(service, 'POST', '/emails', { body: emailInput({ attachments }) })).toMatchObject({
      response_status: 200,
      request_body: emailInput({ attachments: redacted }),
    })
    const { request_body: batch, response_body: refusal } = await logOf(service, 'POST', '/emails/batch', {
      body: [emailInput({ attachments: [...attachments, { path: 'file:///etc/passwd?secret' }] })],
    })
    expect(batch).toEqual([emailInput({ attachments: [...redacted, { path: 'file:[redacted]' }] })])
    expect(JSON.stringify(refusal)).not.toContain('secret')
  })

  it('of content of a wrong type, which is refused', async () => {
    const { request_body: body } = await logOf(service, 'POST', '/emails', {
      body: emailInput({ attachments: [{ content: { secret: 'x' } }] }),
    })
    expect(body).toEqual(emailInput({ attachments: [{ content: '[redacted]' }] }))
  })

  it('of links that are signed', async () => {
    const id = await send(service, { attachments: [{ content: 'aGk=', filename: 'a.txt' }] })
    expect(await logOf(service, 'POST', `/emails/${id}/share`, { body: { expires_in: '1h' } })).toMatchObject({
      request_body: { expires_in: '1h' },
      response_body: { object: 'email', id, url: '[redacted]' },
    })
    const { response_body: listed } = await logOf(service, 'GET', `/emails/${id}/attachments`)
    expect(listed).toMatchObject({ data: [{ filename: 'a.txt', download_url: '[redacted]' }] })
  })

  it('of every value whose field is not known, and of no other', async () => {
    const body = {
      ...emailInput(),
      password: 'hunter2',
      nested: { deep: ['x'] },
      subject: { secret: 'x' },
      tags: [{ name: 'a', value: 5, key: 're_x' }],
    }
    expect(await logOf(service, 'POST', '/emails', { body })).toMatchObject({
      request_body: {
        ...emailInput(),
        password: '[not kept]',
        nested: '[not kept]',
        subject: { secret: '[not kept]' },
        tags: [{ name: 'a', value: 5, key: '[not kept]' }],
      },
    })
    expect(await logOf(service, 'POST', '/emails', { body: '"re_a_secret"' })).toMatchObject({ request_body: '[not kept]' })
    expect(await logOf(service, 'POST', '/emails', { body: ['re_a_secret'] })).toMatchObject({ request_body: '[not kept]' })
    expect(await logOf(service, 'POST', '/api-keys', { body: { name: 5 } })).toMatchObject({ request_body: { name: 5 } })
  })

  it('comes before the cut: nothing of a large file is kept', async () => {
    const content = Buffer.alloc(200_000, 'secret').toString('base64')
    expect(await logOf(service, 'POST', '/emails', { body: emailInput({ attachments: [{ content }] }) })).toMatchObject({
      request_body: emailInput({ attachments: [{ content: '[redacted]' }] }),
      request_body_truncated: false,
    })
  })
})

describe('large bodies', () => {
  const KEPT = 64 * 1024

  it('are cut at 64 KiB, and say so', async () => {
    const body = emailInput({ html: 'x'.repeat(KEPT) })
    const { request_body: kept, ...rest } = await logOf(service, 'POST', '/emails', { body })
    expect(kept).toBe(JSON.stringify(body).slice(0, KEPT))
    expect(rest).toMatchObject({ request_body_truncated: true, response_body: { id: UUID }, response_body_truncated: false })
  })

  it('are kept whole up to that', async () => {
    const fits = KEPT - JSON.stringify(emailInput({ html: '' })).length
    const body = emailInput({ html: 'x'.repeat(fits) })
    expect(await logOf(service, 'POST', '/emails', { body })).toMatchObject({ request_body: body, request_body_truncated: false })
    expect(await logOf(service, 'POST', '/emails', { body: emailInput({ html: 'x'.repeat(fits + 1) }) })).toMatchObject({
      request_body_truncated: true,
    })
  })

  it('are cut between characters', async () => {
    for (const html of ['é'.repeat(KEPT), '😀'.repeat(KEPT), `x${'😀'.repeat(KEPT)}`]) {
      const { request_body: kept } = await logOf(service, 'POST', '/emails', { body: emailInput({ html }) })
      const text = String(kept)
      expect(Buffer.byteLength(text)).toBeGreaterThan(KEPT - 4)
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(KEPT)
      expect(JSON.stringify(emailInput({ html })).startsWith(text)).toBe(true)
    }
  })

  it('of answers are cut as well', async () => {
    const id = await send(service, { html: 'x'.repeat(KEPT) })
    const { response_body: kept, ...rest } = await logOf(service, 'GET', `/emails/${id}`)
    expect(String(kept)).toHaveLength(KEPT)
    expect(rest).toMatchObject({ response_body_truncated: true, request_body_truncated: false })
  })
})

describe('what a database refuses', () => {
  it.each<[string, unknown, unknown]>([
    ['a NUL in a value', emailInput({ subject: 'a\0b' }), emailInput({ subject: 'a\ufffdb' })],
    ['half of a surrogate pair', emailInput({ subject: 'a\ud800' }), emailInput({ subject: 'a\ufffd' })],
    ['a NUL in the name of a header', emailInput({ headers: { 'X\0': 'y' } }), emailInput({ headers: { 'X\ufffd': 'y' } })],
    ['a NUL in the name of an unknown field', emailInput({ 'x\0': 1 }), emailInput({ 'x\ufffd': '[not kept]' })],
  ])('is logged nevertheless, and keeps no other log back: %s', async (_what, body, kept) => {
    const [bad, good] = await Promise.all([logOf(service, 'POST', '/emails', { body }), logOf(service, 'GET', '/emails?limit=1')])
    expect(bad).toMatchObject({ request_body: kept })
    expect(good).toMatchObject({ response_status: 200 })
  })

  it('in a batch, in an error and in a path is logged as well', async () => {
    expect(await logOf(service, 'POST', '/emails/batch', { body: [emailInput({ text: '\0' })] })).toMatchObject({ response_status: 422 })
    expect(await logOf(service, 'POST', '/emails', { body: emailInput({ headers: { [`x${'😀'.repeat(150)}`]: 5 } }) })).toMatchObject({
      response_status: 422,
    })
    expect(await logOf(service, 'GET', '/emails/%00')).toMatchObject({ response_status: 422, endpoint: '/emails/%00' })
    expect(await logOf(service, 'GET', `/emails/${'x'.repeat(1_800)}`)).toMatchObject({
      response_status: 422,
      endpoint: `/emails/${'x'.repeat(1_016)}`,
    })
  })
})
