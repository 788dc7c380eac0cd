// Where a person is led who refused a program, or whose decision could not be carried out.
import { beforeAll, describe, expect, it } from 'vitest'
import { authorizeQuery, openBrowser, pkce, REDIRECT_URI, registerClient } from '../../support/clients/oauth-client.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const WEB_URI = 'https://editor.example/cb'
const DOCUMENT = 'https://known.example/client.json'
const KNOWN_URI = 'https://known.example/cb'

const service = shared(() => startTestService())
beforeAll(() => {
  service.service.context.gateways.clientDocuments.fetchDocument = async (url) =>
    url === DOCUMENT
      ? { ok: true, document: { client_id: DOCUMENT, client_name: 'Known', redirect_uris: [KNOWN_URI] }, cacheControl: null }
      : { ok: false }
})

async function refused(clientId: string, redirect_uri: string) {
  const browser = openBrowser(service)
  const asked = await browser.go('GET', `/oauth/authorize?${authorizeQuery(clientId, pkce().challenge, { redirect_uri })}`)
  const decided = await browser.go('POST', asked.location, { act: 'refuse' })
  expect(decided.status).toBe(303)
  return browser.go('GET', decided.location)
}
const ANSWER = { error: 'access_denied', error_description: 'the access was refused', state: 'state', iss: 'http://localhost:3000' }
const answerIn = (address: string) => Object.fromEntries(new URL(address).searchParams)

describe('a person who refused', () => {
  it('is led to no site that anyone may have registered, but is shown a link to it with the answer', async () => {
    const { client_id: clientId = '' } = await registerClient(service, { redirect_uris: [WEB_URI], client_name: 'Edit & <script>' })
    const page = await refused(clientId, WEB_URI)
    expect({ status: page.status, location: page.location, policy: page.headers.get('content-security-policy') }).toEqual({
      status: 200,
      location: '',
      policy: expect.stringMatching(/^default-src 'none'; style-src 'sha256-.*frame-ancestors 'none'$/),
    })
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const [, link = '', host] = /<a class="button" rel="noreferrer" href="([^"]+)">Back to <bdi>([^<]+)</.exec(page.text) ?? []
    const address = link.replaceAll('&amp;', '&')
    expect({ host, start: address.slice(0, WEB_URI.length), answer: answerIn(address) }).toEqual({
      host: 'editor.example',
      start: WEB_URI,
      answer: ANSWER,
    })
    expect(page.text).toContain('<h1>You refused access</h1>')
    expect(page.text).not.toContain('<script>')
  })

  it.each([
    ['on the own machine', REDIRECT_URI],
    ['with a scheme of its own', 'com.example.editor:/cb'],
  ])('a program %s is answered at once', async (_what, redirect_uri) => {
    const { client_id: clientId = '' } = await registerClient(service, { redirect_uris: [redirect_uri] })
    const { location } = await refused(clientId, redirect_uri)
    expect({ start: location.slice(0, redirect_uri.length), answer: answerIn(location) }).toEqual({ start: redirect_uri, answer: ANSWER })
  })

  it('a program that is described at its host is answered there at once', async () => {
    const { location } = await refused(DOCUMENT, KNOWN_URI)
    expect({ start: location.slice(0, KNOWN_URI.length), answer: answerIn(location) }).toEqual({ start: KNOWN_URI, answer: ANSWER })
  })
})
