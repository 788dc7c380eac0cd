import { beforeAll, describe, expect, it } from 'vitest'
import { shared, startTestService } from '../support/servers/service.ts'

const webhook = { endpoint: `https://example.com/${'x'.repeat(1_500)}`, events: ['email.sent'] }
let webhookId: string

const service = shared(() => startTestService())
beforeAll(async () => {
  webhookId = ((await service.call('POST', '/webhooks', { body: webhook })).body as { id: string }).id
})

/** An answer as a client gets it who accepts these encodings. */
async function get(path: string, accepted: string) {
  const { status, headers, body } = await service.call('GET', path, { headers: { 'accept-encoding': accepted } })
  return {
    status,
    encoding: headers.get('content-encoding'),
    vary: headers.get('vary'),
    length: Number(headers.get('content-length')),
    body,
  }
}

describe('a reply of more than 1 KB', () => {
  it.each([
    ['gzip, deflate', 'gzip'],
    ['gzip, deflate, br', 'br'],
  ])('is the same, and shorter, for a client that accepts %s', async (accepted, encoding) => {
    const plain = await get('/webhooks', 'identity')
    const compressed = await get('/webhooks', accepted)

    expect(plain).toMatchObject({ status: 200, encoding: null, vary: 'Accept-Encoding', body: { object: 'list' } })
    expect(compressed).toEqual({ ...plain, encoding, length: compressed.length })
    expect(compressed.length).toBeLessThan(plain.length / 2)
  })

  it('is never compressed if it has a secret in it', async () => {
    expect(await get(`/webhooks/${webhookId}`, 'gzip, br')).toMatchObject({
      status: 200,
      encoding: null,
      vary: null,
      body: { endpoint: webhook.endpoint, signing_secret: expect.stringMatching(/^whsec_/) },
    })
  })
})

it('leaves a short reply as it is', async () => {
  expect(await get('/topics', 'gzip, br')).toMatchObject({ status: 200, encoding: null, vary: null })
})
