// Clients whose `client_id` is the address of their metadata document.
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createClientDocuments } from '../../../src/modules/oauth/client-documents.client.ts'
import { askForAccess, authorizeQuery, openBrowser, pkce, post } from '../../support/clients/oauth-client.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const REDIRECT_URI = 'https://editor.example/cb'
let addresses = 0
/** Each test has its own, because documents are kept for a while. */
const newAddress = () => {
  addresses += 1
  return `https://editor.example/client-${addresses}.json`
}
const documentAt = (client_id: string, more: object = {}) => ({ client_id, client_name: 'Editor', redirect_uris: [REDIRECT_URI], ...more })

describe('a request for access', () => {
  let documents: Record<string, Record<string, unknown>>
  const asked: string[] = []

  const service = shared(() => startTestService())
  beforeAll(() => {
    service.service.context.gateways.clientDocuments.fetchDocument = async (url) => {
      asked.push(url)
      const document = documents[url]
      return document ? { ok: true, document, cacheControl: null } : { ok: false }
    }
  })

  const begin = (clientId: string, more: Record<string, string | null> = {}) =>
    openBrowser(service).go(
      'GET',
      `/oauth/authorize?${authorizeQuery(clientId, pkce().challenge, { redirect_uri: REDIRECT_URI, ...more })}`,
    )

  it('works without a registration, and the client gets an id that stays', async () => {
    const clientId = newAddress()
    documents = { [clientId]: documentAt(clientId, { logo_uri: 'https://editor.example/logo.png', scope: 'domains:read emails:send' }) }
    const ids: unknown[] = []
    for (const scope of ['domains:read', 'emails:send']) {
      const { verifier, challenge } = pkce()
      const answer = await askForAccess(service, authorizeQuery(clientId, challenge, { redirect_uri: REDIRECT_URI, scope }))
      const fields = { grant_type: 'authorization_code', client_id: clientId, code: answer.searchParams.get('code') ?? '' }
      const { body } = await post(service, '/oauth/token', { ...fields, redirect_uri: REDIRECT_URI, code_verifier: verifier })
      expect(body).toMatchObject({ token_type: 'Bearer', scope })
      expect(
        (await post(service, '/oauth/token', { grant_type: 'refresh_token', client_id: clientId, refresh_token: body.refresh_token }))
          .status,
      ).toBe(200)
      const { data } = (await service.call('GET', '/oauth/grants')).body as { data: { client_id: string; client: object }[] }
      expect(data[0]?.client).toEqual({ name: 'Editor', logo_uri: 'https://editor.example/logo.png' })
      ids.push(data[0]?.client_id)
    }
    expect(ids).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), ids[0]])
    expect(asked.filter((url) => url === clientId).length).toBe(1)
  })

  it('shows the host as confirmed, and that of a registered client as not confirmed', async () => {
    const clientId = newAddress()
    documents = { [clientId]: documentAt(clientId) }
    const browser = openBrowser(service)
    await browser.signIn(service)
    const { location } = await browser.go(
      'GET',
      `/oauth/authorize?${authorizeQuery(clientId, pkce().challenge, { redirect_uri: REDIRECT_URI, scope: 'logs:read' })}`,
    )
    expect((await browser.go('GET', location)).text).toContain('<bdi>editor.example</bdi> (confirmed)')
  })

  it.each<[string, (id: string) => Record<string, unknown>]>([
    ['lies about its id', () => documentAt('https://other.example/client.json')],
    ['names no id', () => ({ client_name: 'Editor', redirect_uris: [REDIRECT_URI] })],
    ['speaks for another host', (id) => documentAt(id, { redirect_uris: ['https://victim.example/cb'] })],
    ['has a secret', (id) => documentAt(id, { client_secret: 's' })],
    ['wants to prove itself by a secret', (id) => documentAt(id, { token_endpoint_auth_method: 'client_secret_post' })],
    ['has no address', (id) => documentAt(id, { redirect_uris: [] })],
    ['has an address that runs', (id) => documentAt(id, { redirect_uris: [REDIRECT_URI, 'javascript:alert(1)'] })],
    ['has our name', (id) => documentAt(id, { client_name: 'Posthaste' })],
    ['is not there', () => ({})],
  ])('is refused when the document %s', async (_what, documentOf) => {
    const clientId = newAddress()
    documents = { [clientId]: documentOf(clientId) }
    const answer = await begin(clientId)
    expect(answer).toMatchObject({ status: 400, location: '' })
    expect(JSON.parse(answer.text)).toMatchObject({ error: expect.stringMatching(/^invalid_client/) })
  })

  it('fetches nothing for the token endpoint', async () => {
    const clientId = newAddress()
    documents = { [clientId]: documentAt(clientId) }
    const { status } = await post(service, '/oauth/token', { grant_type: 'refresh_token', client_id: clientId, refresh_token: 'x' })
    expect({ status, asked: asked.includes(clientId) }).toEqual({ status: 400, asked: false })
  })
})

describe('a document', () => {
  let server: Server | undefined
  const serve = async (listener: RequestListener): Promise<string> => {
    server = createServer(listener)
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/client.json`
  }
  afterEach(() => {
    server?.closeAllConnections()
    server?.close()
  })
  const fetchFrom = async (url: string, { allowPrivateNetworks = true, timeoutMs = 6_000 } = {}) => {
    const documents = createClientDocuments({ allowPrivateNetworks }, { timeoutMs })
    try {
      return await documents.fetchDocument(url)
    } finally {
      await documents.close()
    }
  }

  it('is read once, with how long it may be kept', async () => {
    const url = await serve((_request, response) => response.setHeader('cache-control', 'max-age=600').end('{"client_id":"x"}'))
    expect(await fetchFrom(url)).toEqual({ ok: true, document: { client_id: 'x' }, cacheControl: 'max-age=600' })
  })

  it.each<[string, RequestListener, { timeoutMs: number }?]>([
    ['is huge', (_request, response) => void response.end(JSON.stringify({ x: 'x'.repeat(6_000) }))],
    ['is no JSON', (_request, response) => void response.end('<html>')],
    ['is a list', (_request, response) => void response.end('[]')],
    ['is elsewhere', (_request, response) => void response.writeHead(302, { location: '/other.json' }).end()],
    ['is missing', (_request, response) => void response.writeHead(404).end('{}')],
    ['never ends', (_request, response) => void response.write('{'), { timeoutMs: 500 }],
    ['never begins', () => {}, { timeoutMs: 500 }],
  ])('is refused when it %s', async (_what, listener, options) => {
    expect(await fetchFrom(await serve(listener), options)).toEqual({ ok: false })
  })

  it('waits for no more than four from one host at once', async () => {
    let open = 0
    const url = await serve(() => {
      open += 1
    })
    const documents = createClientDocuments({ allowPrivateNetworks: true }, { timeoutMs: 60_000 })
    const asked = Array.from({ length: 6 }, () => documents.fetchDocument(url))
    expect(await Promise.all(asked.slice(4))).toEqual([{ ok: false }, { ok: false }])
    await expect.poll(() => open).toBe(4)
    await documents.close()
    expect(await Promise.all(asked)).toEqual(Array(6).fill({ ok: false }))
  })

  it('is not fetched from a private address', async () => {
    let requests = 0
    const url = await serve((_request, response) => {
      requests += 1
      response.end('{}')
    })
    expect(await fetchFrom(url, { allowPrivateNetworks: false })).toEqual({ ok: false })
    expect(await fetchFrom(url.replace('127.0.0.1', 'localhost'), { allowPrivateNetworks: false })).toEqual({ ok: false })
    expect(requests).toBe(0)
  })
})
